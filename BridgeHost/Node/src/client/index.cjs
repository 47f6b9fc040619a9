// For `require`, and for compilers that allow no `require` of an ES module. There is one tracker for both kinds.
module.exports = require('./shared.js').MobileTracker
