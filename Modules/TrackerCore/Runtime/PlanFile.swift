import TrackerModels
import TrackerPlatform

enum PlanFile {
    /// A plan of thousands of events is smaller.
    private static let mostBytes = 16 << 20

    static func read(_ path: String) throws(PlanFileFault) -> TrackingPlan {
        let bytes = try bytes(path)
        let text: JSONText
        do throws(JSONSyntaxError) {
            text = try JSONText(validating: bytes, maxDepth: JSONText.maxDepthCeiling)
        } catch {
            throw PlanFileFault(text: "must be a plan, and \(path) is not JSON: \(error)")
        }
        do throws(TrackingPlan.Faults) {
            return try TrackingPlan(text)
        } catch {
            let more = error.sentences.count > 3 ? " And \(error.sentences.count - 3) more." : ""
            throw PlanFileFault(
                text: "must be a plan, and \(path) is none. \(error.sentences.prefix(3).joined(separator: " "))\(more)")
        }
    }

    private static func bytes(_ path: String) throws(PlanFileFault) -> [UInt8] {
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
            guard bytes.count <= mostBytes else {
                throw PlanFileFault(text: "must be a plan, and \(path) has more than 16 MiB")
            }
        }
    }

    private static func fault(_ code: Int32, _ path: String) -> PlanFileFault {
        PlanFileFault(text: "must be a file that can be read. \(path): \(unsafe String(cString: strerror(code)))")
    }
}

/// Why a plan file cannot be used. The text follows the option's name.
struct PlanFileFault: Error {
    var text: String
}

/// `read(2)`, whose name a method above has.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(descriptor, bytes, count)
}
