// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// A module at its folder, with the settings every target shares.
func module(_ name: String, at path: String, _ dependencies: Target.Dependency...) -> Target {
    .target(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

/// The tests of one module, which import it by itself.
func tests(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: dependencies + ["TestSupport"],
        path: "Tests/\(name)Tests",
        swiftSettings: settings
    )
}

/// A shim for a C library of the system.
func shim(_ name: String, linking library: String) -> Target {
    .target(name: name, path: "Modules/\(name)", linkerSettings: [.linkedLibrary(library)])
}

/// A program that shows how a product is used, built as a user would build it: without the settings of this package.
func example(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .executableTarget(name: "\(name)Example", dependencies: dependencies, path: "Docs/Examples/\(name)")
}

let package = Package(
    name: "MobileTracker",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "TrackerJSON", targets: ["TrackerJSON"]),
        .library(name: "TrackerModels", targets: ["TrackerModels"]),
        .library(name: "TrackerStorage", targets: ["TrackerStorage"]),
        .library(name: "TrackerNetworking", targets: ["TrackerNetworking"]),
        .library(name: "TrackerCore", targets: ["TrackerCore"]),
        .library(name: "TrackerTesting", targets: ["TrackerTesting"]),
        .executable(name: "BridgeHost", targets: ["BridgeHost"]),
    ],
    traits: [
        .trait(
            name: "FoundationURL", description: "Foundation's URL in options; Date, URL, UUID and Decimal as values."),
        // The host takes texts alone, and is built without: it is 4 MB smaller for it.
        .default(enabledTraits: ["FoundationURL"]),
    ],
    targets: [
        shim("CSQLite", linking: "sqlite3"),
        // libcurl is loaded when it is needed.
        shim("CCurl", linking: "dl"),
        shim("CZlib", linking: "z"),
        module("TrackerPlatform", at: "Modules/TrackerPlatform"),
        module("TrackerJSON", at: "Modules/TrackerJSON"),
        module("TrackerModels", at: "Modules/TrackerModels", "TrackerJSON", "TrackerPlatform"),
        module("TrackerStorage", at: "Modules/TrackerStorage", "TrackerModels", "TrackerPlatform", "CSQLite"),
        module(
            "TrackerNetworking", at: "Modules/TrackerNetworking",
            "TrackerModels", "TrackerPlatform", "CCurl", "CZlib"
        ),
        module(
            "TrackerCore", at: "Modules/TrackerCore",
            "TrackerModels", "TrackerPlatform", "TrackerStorage", "TrackerNetworking"
        ),
        module(
            "TrackerTesting", at: "Modules/TrackerTesting",
            "TrackerCore", "TrackerJSON", "TrackerModels", "TrackerNetworking", "TrackerStorage"
        ),
        module("JSONRPC", at: "BridgeHost/JSONRPC", "TrackerJSON", "TrackerPlatform"),
        module(
            "Bridge", at: "BridgeHost/Bridge",
            "JSONRPC", "TrackerCore", "TrackerModels", "TrackerPlatform", "TrackerTesting"
        ),
        .target(name: "CAllocator", path: "BridgeHost/CAllocator"),
        .executableTarget(
            name: "BridgeHost",
            dependencies: ["Bridge", "CAllocator", "JSONRPC", "TrackerCore", "TrackerModels", "TrackerPlatform"],
            path: "BridgeHost/Host", swiftSettings: settings
        ),
        .executableTarget(
            name: "JSONBenchmark", dependencies: ["TrackerJSON", "TrackerModels"], path: "Benchmarks/JSON",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "StorageBenchmark", dependencies: ["TrackerStorage", "TrackerModels"], path: "Benchmarks/Storage",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "NativeBenchmark", dependencies: ["TrackerCore", "TrackerModels"], path: "Benchmarks/Native",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "StormSimulation", dependencies: ["TrackerCore", "TrackerModels", "TrackerNetworking"],
            path: "Benchmarks/Storm", swiftSettings: settings
        ),
        .executableTarget(
            name: "HostBenchmark", dependencies: ["TestSupport", "TrackerModels"], path: "Benchmarks/Host",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "BridgeGenerator", dependencies: ["Bridge", "JSONRPC", "TrackerModels"], path: "BridgeHost/Generator",
            swiftSettings: settings
        ),
        // As a user would build them: without the settings of this package.
        .target(name: "Examples", dependencies: ["TrackerCore"], path: "Tests/Examples"),
        example("Outbox", "TrackerStorage"),
        example("Exchange", "TrackerNetworking"),
        example("Values", "TrackerModels"),
        example("CommandLine", "TrackerCore"),
        example("Server", "TrackerCore"),
        module("TestSupport", at: "Tests/Support", "CZlib"),
        tests("TrackerJSON", "TrackerJSON"),
        tests("TrackerModels", "TrackerJSON", "TrackerModels", "TrackerPlatform"),
        .executableTarget(
            name: "StorageProbe", dependencies: ["TestSupport", "TrackerStorage", "TrackerModels"],
            path: "Tests/StorageProbe", swiftSettings: settings
        ),
        .executableTarget(
            name: "FaultsProbe", dependencies: ["TrackerCore", "TrackerJSON", "TrackerModels"],
            path: "Tests/FaultsProbe", swiftSettings: settings
        ),
        tests("TrackerStorage", "TrackerStorage", "TrackerModels", "StorageProbe"),
        tests("TrackerNetworking", "TrackerNetworking", "TrackerModels"),
        tests("TrackerCore", "TrackerCore", "Examples", "TrackerModels", "TrackerStorage", "TrackerNetworking"),
        tests("TrackerTesting", "TrackerTesting", "TrackerCore", "TrackerModels"),
        tests("JSONRPC", "JSONRPC", "TrackerJSON"),
        tests(
            "Bridge", "Bridge", "BridgeGenerator", "BridgeHost", "FaultsProbe", "JSONRPC", "TrackerCore",
            "TrackerModels", "TrackerStorage"
        ),
    ]
)
