// A fleet after an outage, on a virtual clock: what clients, each with the product's own breaker, ask of a backend that
// was down for ten minutes and comes back with a tenth more room than it usually needs.
//
//   StormSimulation [--clients 1000000] [--svg FILE]
//
// Prints a row for each pair of waits. Loads are parts of what the backend can take.

import Foundation

var clients = 1_000_000
var drawing: String?
var words = CommandLine.arguments.dropFirst()
while let word = words.popFirst() {
    switch (word, words.popFirst()) {
    case ("--clients", let value?) where Int(value).map { $0 >= 5000 } == true: clients = Int(value) ?? clients
    case ("--svg", let value?): drawing = value
    default:
        FileHandle.standardError.write(Data("usage: StormSimulation [--clients N (5000 or more)] [--svg FILE]\n".utf8))
        exit(64)
    }
}

let outage = Outage(clients: clients)
print("\(clients) clients, an event a minute each; the backend is down for 10 minutes, then has room for 10 % more")
print(StormResult.header)
let results = await withTaskGroup(of: (Int, StormResult).self) { group in
    for (number, policy) in StormPolicy.all.enumerated() {
        group.addTask {
            var storm = Storm(outage, policy, seed: 1)
            return (number, storm.run())
        }
    }
    var results: [Int: StormResult] = [:]
    for await (number, result) in group {
        results[number] = result
        FileHandle.standardError.write(Data("\(result.policy.name): done\n".utf8))
    }
    return results.sorted { $0.key < $1.key }.map(\.value)
}
for result in results { print(result.row) }
if let drawing { try StormPlot(results: results).svg.write(toFile: drawing, atomically: true, encoding: .utf8) }
