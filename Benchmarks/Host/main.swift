// Several real hosts on one state folder, against a server on the loopback interface: the callers' waits, and how long the
// lane rests when the host that delivers it is killed.
//
//   HostBenchmark
//
// The host is the one beside this program.

import Foundation

signal(SIGPIPE, SIG_IGN)
try await Processes.run()
