// What the real host does in a second, against a server on the loopback interface.
//
//   HostBenchmark              calls acknowledged and delivered by one host
//   HostBenchmark processes    several hosts on one state folder: the callers' waits, and how long the lane rests when
//                              the host that delivers it is killed
//
// The host is the one beside this program.

import Foundation

signal(SIGPIPE, SIG_IGN)
switch CommandLine.arguments.dropFirst().first {
case nil: try await Throughput.run()
case "processes": try await Processes.run()
case let word?:
    FileHandle.standardError.write(Data("unknown argument \(word)\n".utf8))
    exit(64)
}
