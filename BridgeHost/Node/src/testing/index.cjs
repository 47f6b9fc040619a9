const loadModule = require('../load.cjs')

// For `require`, and for compilers that allow no `require` of an ES module.
module.exports = loadModule(() => require('./index.js'), __filename, './index.js')
