import TrackerModels
import TrackerPlatform

enum PlanFile {
    /// A plan of thousands of events is smaller.
    private static let mostMegabytes = 16

    /// The plan at a path.
    ///
    /// - Throws: Why it cannot be used.
    static func read(_ path: String) throws(OptionFault.Reason) -> TrackingPlan {
        let bytes = try bytes(path)
        let text: JSONText
        do throws(JSONSyntaxError) {
            text = try JSONText(validating: bytes, maxDepth: JSONText.maxDepthCeiling)
        } catch {
            throw .invalid(.unreadablePlan, ["path": .string(path), "detail": .string("\(error)")])
        }
        do throws(TrackingPlan.Faults) {
            return try TrackingPlan(text)
        } catch {
            let detail = error.sentences.prefix(3).joined(separator: " ")
            var facts: JSONObject = ["path": .string(path), "detail": .string(detail)]
            if error.sentences.count > 3 { facts["more"] = JSONValue(error.sentences.count - 3) }
            throw .invalid(.wrongPlan, facts)
        }
    }

    private static func bytes(_ path: String) throws(OptionFault.Reason) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw fault(errno, path) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { buffer in
                unsafe systemRead(descriptor, buffer.baseAddress, buffer.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw fault(errno, path) }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= mostMegabytes << 20 else {
                throw .invalid(.largePlan, ["path": .string(path), "megabytes": JSONValue(mostMegabytes)])
            }
        }
    }

    private static func fault(_ code: Int32, _ path: String) -> OptionFault.Reason {
        .invalid(
            .unreadableFile, ["path": .string(path), "detail": .string(unsafe String(cString: strerror(code)))])
    }
}

/// `read(2)`, whose name a method above has.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(descriptor, bytes, count)
}
