// For `require`, and for compilers that allow no `require` of an ES module. There is one tracker for both kinds.
module.exports = load().MobileTracker

function load() {
    try {
        return require('./shared.js')
    } catch (error) {
        // Jest has a `require` of its own, which takes no ES module. That of Node does.
        if (error?.code !== 'ERR_REQUIRE_ESM' && error?.name !== 'SyntaxError') throw error
        return process.getBuiltinModule('node:module').createRequire(__filename)('./shared.js')
    }
}
