import CAllocator
import TrackerPlatform

// Before the first thread: each would get an arena otherwise.
tracker_share_arena()
do throws(UsageError) {
    let options = try HostOptions(arguments: CommandLine.arguments.dropFirst())
    Host(options: options).run()
} catch {
    Host.complain("BridgeHost: \(error.message)\nTry --help.")
    exit(UsageError.exitCode)
}
