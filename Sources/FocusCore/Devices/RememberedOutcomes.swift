import struct Foundation.UUID
import typealias Foundation.uuid_t

/// The last 256 events of a device in one scope: their ids, sequences and answers (rule E1). Most are accepted and have
/// dense sequences, so it keeps runs of sequences and only the refusals' texts: 16 bytes for each event.
struct RememberedOutcomes: Hashable, Sendable {
    struct Run: Hashable, Sendable {
        var incarnation: Incarnation
        var first: DeviceSequence
        var count: Int
    }

    struct Refused: Hashable, Sendable {
        var code: String
        var message: String
    }

    /// The events' ids, oldest first: from `head` to the end, then from the beginning.
    private var ring: [UInt128] = []
    private var head = 0
    /// The places of the ring's ids, oldest first.
    private(set) var runs: [Run] = []
    private(set) var refused: [UInt128: Refused] = [:]

    var count: Int { ring.count }
    /// The bytes of memory that they take, roughly.
    var approximateBytes: Int {
        let answers = refused.values.reduce(0) { $0 + 100 + Memory.text($1.code) + Memory.text($1.message) }
        return ring.count * MemoryLayout<UInt128>.stride + runs.count * MemoryLayout<Run>.stride * 3 / 2 + answers
    }

    /// The events' ids, oldest first.
    var ids: [UInt128] { Array(ring[head...] + ring[..<head]) }

    /// The answer to the event, nil when it is not remembered.
    func outcome(of event: EventID) -> Outcome? {
        let id = event.bits
        guard ring.contains(id) else { return nil }
        return outcome(ofID: id)
    }

    /// Which event has the sequence, and its answer.
    func event(_ incarnation: Incarnation, _ sequence: DeviceSequence) -> (id: EventID, outcome: Outcome)? {
        var place = 0
        for run in runs {
            let steps = sequence.rawValue - run.first.rawValue
            if run.incarnation == incarnation, steps >= 0, steps < Int64(run.count) {
                let id = ring[(head + place + Int(steps)) % ring.count]
                return (EventID(bits: id), outcome(ofID: id))
            }
            place += run.count
        }
        return nil
    }

    /// - Parameter refusal: nil for an accepted event, and for a repeat of a remembered one, whose first answer stays.
    mutating func append(_ event: EventID, _ incarnation: Incarnation, _ sequence: DeviceSequence, _ refusal: Refused?)
    {
        let id = event.bits
        if let refusal { refused[id] = refusal }
        if ring.count < EventLimits.outcomesPerDevice {
            ring.append(id)
        } else {
            let oldest = ring[head]
            ring[head] = id
            head = (head + 1) % ring.count
            forgetOldest(oldest)
        }
        if let last = runs.last, last.incarnation == incarnation, last.first.advanced(by: last.count) == sequence {
            runs[runs.count - 1].count += 1
        } else {
            runs.append(Run(incarnation: incarnation, first: sequence, count: 1))
        }
    }

    private mutating func forgetOldest(_ id: UInt128) {
        if !refused.isEmpty, refused[id] != nil, !ring.contains(id) { refused[id] = nil }
        if runs[0].count == 1 {
            runs.removeFirst()
        } else {
            runs[0].first = runs[0].first.next
            runs[0].count -= 1
        }
    }

    private func outcome(ofID id: UInt128) -> Outcome {
        guard let refusal = refused[id] else { return .accepted }
        return .refused(code: refusal.code, message: refusal.message)
    }
}

extension EventID {
    var bits: UInt128 {
        withUnsafeBytes(of: uuid.uuid) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) }
    }

    init(bits: UInt128) {
        self.init(UUID(uuid: withUnsafeBytes(of: bits.bigEndian) { $0.loadUnaligned(as: uuid_t.self) }))
    }
}
