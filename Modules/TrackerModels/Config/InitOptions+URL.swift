#if FoundationURL
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    extension InitOptions {
        /// Makes options for a host given as a URL; what is left out has its default.
        public init(
            writeKey: String, ingestionHost: URL, debug: Bool = false, flushIntervalSeconds: Int = 10,
            maxQueueEvents: Int? = nil, flushAt: Int = 20, maxBatchSize: Int = 100, maxBatchBytes: Int = 475_000,
            requestTimeout: Duration = .seconds(8), app: AppInfo = AppInfo(), context: JSONObject = [:],
            delivery: DeliveryOptions = DeliveryOptions()
        ) {
            self.init(
                writeKey: writeKey, ingestionHost: ingestionHost.absoluteString, debug: debug,
                flushIntervalSeconds: flushIntervalSeconds, maxQueueEvents: maxQueueEvents, flushAt: flushAt,
                maxBatchSize: maxBatchSize, maxBatchBytes: maxBatchBytes, requestTimeout: requestTimeout, app: app,
                context: context, delivery: delivery)
        }
    }
#endif
