const loadModule = require('../load.cjs')

// For `require`, and for compilers that allow no `require` of an ES module. There is one tracker for both kinds.
module.exports = loadModule(() => require('./shared.js'), __filename, './shared.js').MobileTracker
