/// Draws the requests of each second around the backend's return, a curve a policy.
struct StormPlot {
    let results: [StormResult]
    private let width = 860.0
    private let height = 320.0
    private let colours = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf"]

    var svg: String {
        guard let outage = results.first?.outage else { return "" }
        let last = results.map(\.offered.count).max() ?? 1
        let top = Double(results.flatMap(\.offered).max() ?? 1) * 1.05
        let x = { (second: Double) in 60 + second / Double(last) * (width - 80) }
        let y = { (count: Double) in height - 40 - count / top * (height - 80) }
        var svg = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(width)) \(Int(height))" font-family="sans-serif" \
            font-size="12"><rect width="100%" height="100%" fill="white"/>
            <rect x="\(fixed(x(Double(outage.start) / 1000)))" y="40" width="\(fixed(x(600) - x(0)))" \
            height="\(fixed(height - 80))" fill="#f3dede"/>\n
            """
        let room = y(outage.capacity * 1000)
        svg += line(60, room, width - 20, room, "#888888", "4 3")
        for (index, result) in results.enumerated() {
            let colour = colours[index % colours.count]
            svg += curve(result, colour, x, y)
            svg += text(70 + Double(index) * 130, 24, "— " + result.policy.name, fill: colour)
        }
        for minute in stride(from: 0, to: last / 60, by: 10) {
            svg += text(x(Double(minute * 60)), height - 22, "\(minute) min", anchor: "middle")
        }
        for times in 0...Int(top / outage.capacity / 1000) {
            svg += text(54, y(Double(times * 1000) * outage.capacity) + 4, "\(times * 100) %", anchor: "end")
        }
        let caption = "requests, as parts of what the backend can take (the dashed line); shaded: it is down"
        return svg + text(width / 2, height - 6, caption, anchor: "middle")
            + "</svg>\n"
    }

    /// The mean of ten seconds each: single seconds would draw a band.
    private func curve(
        _ result: StormResult, _ colour: String, _ x: (Double) -> Double, _ y: (Double) -> Double
    ) -> String {
        let points = stride(from: 0, to: result.offered.count - 10, by: 10).map { second in
            let mean = Double(result.offered[second..<second + 10].reduce(0, +)) / 10
            return "\(fixed(x(Double(second)))),\(fixed(y(mean)))"
        }
        return #"<polyline fill="none" stroke="\#(colour)" points="\#(points.joined(separator: " "))"/>"# + "\n"
    }

    private func line(
        _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ colour: String, _ dashes: String
    ) -> String {
        #"<line x1="\#(fixed(x1))" y1="\#(fixed(y1))" x2="\#(fixed(x2))" y2="\#(fixed(y2))" stroke="\#(colour)" "#
            + #"stroke-dasharray="\#(dashes)"/>"# + "\n"
    }

    private func text(
        _ x: Double, _ y: Double, _ text: String, fill: String = "#333333", anchor: String = "start"
    ) -> String {
        #"<text x="\#(fixed(x))" y="\#(fixed(y))" fill="\#(fill)" text-anchor="\#(anchor)">\#(text)</text>"# + "\n"
    }

    private func fixed(_ number: Double) -> String { String(Int((number * 10).rounded()) / 10) }
}
