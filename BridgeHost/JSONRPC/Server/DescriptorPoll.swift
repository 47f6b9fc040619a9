import TrackerPlatform

/// Waits for many descriptors at once.
struct DescriptorPoll: Sendable {
    /// What is waited for; the other side's end is always reported.
    struct Interest: OptionSet, Hashable, Sendable {
        let rawValue: UInt8

        static let reading = Interest(rawValue: 1)
        static let writing = Interest(rawValue: 2)

        fileprivate var events: Int16 {
            (contains(.reading) ? Int16(POLLIN) : 0) | (contains(.writing) ? Int16(POLLOUT) : 0)
        }
    }

    /// What has happened to one descriptor.
    struct Event: Sendable {
        /// The number that it was added under.
        let number: Int
        let isReadable: Bool
        let isWritable: Bool
        /// The other side is gone: it neither reads nor writes.
        let isGone: Bool
    }

    private var polled: [pollfd] = []
    /// The numbers of what is polled, in the same order, and where each is.
    private var numbers: [Int] = []
    private var places: [Int: Int] = [:]

    mutating func add(_ descriptor: Int32, as number: Int, _ interest: Interest) {
        places[number] = polled.count
        polled.append(pollfd(fd: descriptor, events: interest.events, revents: 0))
        numbers.append(number)
    }

    mutating func change(_ number: Int, to interest: Interest) {
        if let place = places[number] { polled[place].events = interest.events }
    }

    mutating func remove(_ number: Int) {
        guard let place = places.removeValue(forKey: number) else { return }
        polled.swapAt(place, polled.count - 1)
        numbers.swapAt(place, numbers.count - 1)
        polled.removeLast()
        numbers.removeLast()
        if place < numbers.count { places[numbers[place]] = place }
    }

    /// Waits for the next events.
    ///
    /// - Parameter milliseconds: How long at most; -1: without limit.
    mutating func wait(milliseconds: Int32) -> [Event] {
        let count = unsafe polled.withUnsafeMutableBufferPointer {
            unsafe poll($0.baseAddress, nfds_t($0.count), milliseconds)
        }
        // An interrupted wait is one that found nothing.
        guard count > 0 else { return [] }
        var found: [Event] = []
        found.reserveCapacity(Int(count))
        for (place, entry) in polled.enumerated() where entry.revents != 0 {
            let events = Int32(entry.revents)
            found.append(
                Event(
                    number: numbers[place], isReadable: events & Int32(POLLIN) != 0,
                    isWritable: events & Int32(POLLOUT) != 0,
                    isGone: events & Int32(POLLHUP | POLLERR | POLLNVAL) != 0))
        }
        return found
    }
}
