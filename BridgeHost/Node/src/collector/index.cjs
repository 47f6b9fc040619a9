// For `require`, and for compilers that allow no `require` of an ES module.
module.exports = require('./index.js')
