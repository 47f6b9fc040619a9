// All types stand in index.d.cts: an ES module can take types from a CommonJS module, not the other way round.
export * from './index.cjs'
export { MobileTracker as default } from './index.cjs'
