/**
 * Gives an ES module of this package to a program that requires it.
 *
 * Jest has a `require` of its own, which takes no ES module. That of Node does.
 *
 * @param {() => object} load It calls the `require` of the program, where a bundler sees it.
 * @param {string} filename That of the file with `load`.
 * @param {string} path What `load` requires.
 */
module.exports = function loadModule(load, filename, path) {
    try {
        return load()
    } catch (error) {
        if (error?.code !== 'ERR_REQUIRE_ESM' && error?.name !== 'SyntaxError') throw error
        return process.getBuiltinModule('node:module').createRequire(filename)(path)
    }
}
