import TrackerModels

/// The keys of the options that all clients share.
enum DeliveryFields {
    /// They stand among a client's own keys.
    static let table = ConfigTable<DeliveryOptions>([
        .string(
            "storageDirectory", \.storageDirectory,
            "The state folder; by default the host's `--storage-dir`, else `$XDG_STATE_HOME/mobile-tracker/<app>`, else "
                + "`~/.local/state/mobile-tracker/<app>`, where `<app>` is the host's `--app-name`."),
        .choice("persistence", \.persistence, "Where undelivered events live; `disk` by default."),
        .choice("durability", \.durability, "The death of the process or of the machine; `process` by default."),
        .integer(
            "maxQueuedEvents", \.maxQueuedEvents, "How many events the queue holds; 100,000 by default."),
        .integer(
            "maxQueuedBytes", \.maxQueuedBytes, "How many bytes of events the queue holds; 64 MiB by default."),
        .integer("maxEventBytes", \.maxEventBytes, "A larger event is refused; 512 KiB by default."),
        .optionalMilliseconds(
            "eventTTLMs", \.eventTTL, from: 1, "How long an event may wait before it is dropped; for ever by default."),
        .optionalChoice(
            "overflow", \.overflow,
            "Past either bound: the call is refused as QUEUE_FULL, or the oldest event is dropped; by default "
                + "`refuseNew`, of analytics and basic `dropOldest`."),
        .integer(
            "maxConcurrentRequests", \.maxConcurrentRequests, to: 64,
            "Requests under way at once; 1 by default. More trades order for speed."),
        .milliseconds(
            "requestTimeoutMs", \.requestTimeout, from: 1_000, to: 600_000,
            "How long a request may take; 30,000 by default."),
        .choice("compression", \.compression, "How request bodies are compressed; `gzip` by default."),
        .integer(
            "compressionThreshold", \.compressionThreshold,
            "Bodies of at least this many bytes are compressed; 1,024 by default."),
        .milliseconds(
            "retryDelayMs", \.retryDelay, from: 10, to: 3_600_000,
            "The wait after a first failure, doubled with each further one; 250 by default."),
        .integer(
            "failureThreshold", \.failureThreshold,
            "After this many failures in a row the circuit breaker opens; 3 by default."),
        .milliseconds(
            "cooldownMs", \.cooldown, from: 10,
            "How long the breaker stays open at first; 10,000 by default, at least `retryDelayMs`."),
        .milliseconds(
            "maxCooldownMs", \.maxCooldown, from: 10,
            "How long it stays open at most; 120,000 by default, at least `cooldownMs`."),
        .share("jitter", \.jitter, "How far a wait may differ from its length, either way; 0.2 by default."),
        .string("caBundle", \.caBundle, "A file of certificates to trust instead of the system's."),
        .string("proxy", \.proxy, "A proxy's URL; by default as the environment says."),
        .boolean(
            "allowInsecureHTTP", \.allowInsecureHTTP,
            "Whether plain http may be used to other machines; false by default."),
    ])
}
