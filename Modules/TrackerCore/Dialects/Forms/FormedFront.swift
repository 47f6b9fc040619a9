import TrackerModels
import TrackerNetworking
import TrackerStorage

/// The front of a queue in the words of a form: what may travel in one request, since it goes to the same path.
struct FormedFront: Sendable {
    let form: any Form
    private(set) var records: [Record] = []
    private(set) var path = ""
    /// The first record that has no words, and why.
    private(set) var fault: (record: Record, reason: String)?
    private var events: [Record.ID: FormedEvent] = [:]

    /// Forms records as long as they go to the same path, and up to so many bytes.
    ///
    /// - Parameter end: The last record of a group that has gone out, which goes again as a whole.
    init(_ form: any Form, of front: some Sequence<Record>, maxBytes: Int, atLeastThrough end: Record.ID? = nil) {
        self.form = form
        var bytes = 0
        for record in front {
            let isBound = end.map { record.id > $0 } ?? true
            guard !isBound || bytes <= maxBytes, let formed = formed(record), records.isEmpty || formed.path == path
            else { break }
            path = formed.path
            records.append(record)
            events[record.id] = formed
            bytes += formed.byteCount
        }
    }

    /// How many bytes a record takes in the body.
    func byteCount(of record: Record) -> Int { events[record.id]?.byteCount ?? 0 }

    /// The events of these records, in their order.
    func events(of group: [Record]) -> [JSONText] { group.flatMap { events[$0.id]?.events ?? [] } }

    /// How many events each of these records has become.
    func counts(of group: [Record]) -> [Int] { group.map { events[$0.id]?.events.count ?? 0 } }

    /// The request that carries a group.
    func request(
        carrying group: [Record], host: String, headers: HTTPHeaders, at wall: Timestamp, timeout: Duration
    ) -> HTTPRequest {
        let envelope = form.envelope(of: path, at: wall)
        var body: [UInt8] = []
        body.reserveCapacity(
            group.reduce(envelope.opening.utf8.count + envelope.closing.utf8.count) { $0 + byteCount(of: $1) })
        body += envelope.opening.utf8
        for (index, event) in events(of: group).enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body += event.bytes
        }
        body += envelope.closing.utf8
        var request = HTTPRequest(method: .post, url: host + path, headers: headers, body: body, timeout: timeout)
        request.isCompressible = form.takesGzip(path)
        request.listOfFaults = form.listOfFaults
        return request
    }

    private mutating func formed(_ record: Record) -> FormedEvent? {
        guard let event = StoredEvent(record) else {
            fault = (record, "it is no event that the API can be sent")
            return nil
        }
        do throws(Inexpressible) {
            return try form.formed(event)
        } catch {
            fault = (record, error.reason)
            return nil
        }
    }
}
