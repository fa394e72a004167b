import FocusCore
import Foundation
import Support
import Testing

@testable import SyncServer

/// The order in which append frames have their turns.
@Suite struct AppendQueueTests {
    private let anna = UserID(UUID())
    private let ben = UserID(UUID())
    private let phone = DeviceID(UUID())
    private let watch = DeviceID(UUID())

    private func frame(_ session: UInt64, _ sequence: Int64 = 1) -> PendingAppend {
        PendingAppend(
            session: session,
            request: IncomingAppend(
                firstSequence: DeviceSequence(sequence), events: [],
                charge: InboundCharge(bytes: 1, owner: .connection(1))))
    }

    /// Stages frames until `room` units of work are done, or nothing is left that may be staged.
    private func stage(
        _ queue: inout AppendQueue, _ owners: [UInt64: Identity], room: Int = .max,
        work: (PendingAppend) -> Int = { _ in 10 }, step: (PendingAppend) -> AppendQueue.Step = { _ in .done }
    ) -> [PendingAppend] {
        var (staged, done): ([PendingAppend], Int) = ([], 0)
        _ = queue.place { owners[$0] }
        while done < room, let frame = queue.next() {
            let step = step(frame)
            if case .done = step {
                staged.append(frame)
                done += work(frame)
                queue.settle(frame, step, work: work(frame))
            } else {
                queue.settle(frame, step, work: 0)
            }
        }
        queue.putBackPostponed()
        return staged
    }

    @Test("Q1: a frame that comes while another user's many wait is next; so is one of the user's other device")
    func isNext() {
        let owners: [UInt64: Identity] = [
            1: LaneSamples.identity(anna, phone), 2: LaneSamples.identity(anna, watch),
            3: LaneSamples.identity(ben),
        ]
        var queue = AppendQueue()
        for sequence in 1...50 { queue.enqueue(frame(1, Int64(sequence))) }
        #expect(stage(&queue, owners, room: 100).count == 10)
        queue.enqueue(frame(2))
        queue.enqueue(frame(3))
        #expect(stage(&queue, owners, room: 40).map(\.session).prefix(2) == [3, 2])
        #expect(stage(&queue, owners).allSatisfy { $0.session == 1 } && queue.isEmpty)
    }

    @Test("Q1: a frame that is logged and only to be answered does not rest with its device; those behind it do")
    func answersDoNotRest() {
        let owners: [UInt64: Identity] = [1: LaneSamples.identity(anna, phone)]
        var queue = AppendQueue()
        var taken = frame(1, 1)
        taken.progress = AppendProgress(
            ReceiptRun(
                key: nil,
                subject: ReceiptSubject(
                    log: LaneSamples.log, user: anna, device: phone, incarnation: Incarnation(1), scope: .system)),
            offer: nil)
        queue.enqueue(taken)
        queue.enqueue(frame(1, 2))
        queue.rest(anna, phone, until: MonotonicTime(milliseconds: 100))
        #expect(stage(&queue, owners).map(\.isTaken) == [true] && queue.isEmpty)
        queue.endRests(now: MonotonicTime(milliseconds: 100))
        #expect(stage(&queue, owners).map(\.isTaken) == [false])
    }

    @Test("Q1: two users share the work, and the devices of one share that user's half")
    func shares() {
        let owners: [UInt64: Identity] = [
            1: LaneSamples.identity(anna, phone), 2: LaneSamples.identity(anna, watch),
            3: LaneSamples.identity(ben),
        ]
        var queue = AppendQueue()
        for sequence in 1...400 {
            for session in [UInt64(1), 2, 3] { queue.enqueue(frame(session, Int64(sequence))) }
        }
        let staged = stage(&queue, owners, room: 4_000)
        let counts = Dictionary(grouping: staged, by: \.session).mapValues(\.count)
        #expect((198...202).contains(counts[3] ?? 0))
        #expect((98...102).contains(counts[1] ?? 0) && (98...102).contains(counts[2] ?? 0))
    }

    @Test("P6: what is postponed or begun holds back its session alone, and goes before what came after it")
    func postponed() {
        let owners: [UInt64: Identity] = [
            1: LaneSamples.identity(anna, phone), 2: LaneSamples.identity(anna, phone),
        ]
        var queue = AppendQueue()
        for sequence in 1...2 { for session in [UInt64(1), 2] { queue.enqueue(frame(session, Int64(sequence))) } }
        let first = stage(&queue, owners, step: { $0.session == 1 ? .postponed : .done })
        #expect(first.map(\.session) == [2, 2] && queue.count == 2)
        // One that is begun comes back as what is left of it.
        #expect(stage(&queue, owners, step: { _ in .begun }).isEmpty && queue.count == 1)
        queue.putBack([frame(1, 1)])
        #expect(stage(&queue, owners).map(\.request.firstSequence.rawValue) == [1, 2] && queue.isEmpty)
    }

    @Test(
        "Frames of a user who is being loaded stand aside and need no turn; those of a session that ended are dropped")
    func standsAside() {
        let owners: [UInt64: Identity] = [1: LaneSamples.identity(anna), 2: LaneSamples.identity(ben)]
        var queue = AppendQueue()
        for session in [UInt64(1), 1, 2, 3] { queue.enqueue(frame(session)) }
        let staged = stage(&queue, owners, step: { [anna] in $0.session == 1 ? .awaits(anna) : .done })
        #expect(staged.map(\.session) == [2] && queue.isEmpty && Array(queue.awaited) == [anna])
        queue.enqueue(frame(1))
        #expect(queue.isEmpty && Array(queue.frames(of: 1)).count == 3)
        queue.endWaits { _ in false }
        #expect(queue.count == 3 && stage(&queue, owners).count == 3 && queue.isEmpty)
        queue.enqueue(frame(3))
        #expect(queue.place { owners[$0] }.count == 1 && queue.isEmpty)
    }

    @Test(
        "Q1: a device that rests has no turn, whichever of its sessions sends; others do, and then it goes on in order")
    func rests() {
        let owners: [UInt64: Identity] = [
            1: LaneSamples.identity(anna, phone), 2: LaneSamples.identity(anna, phone),
            3: LaneSamples.identity(anna, watch),
        ]
        var queue = AppendQueue()
        for session in [UInt64(1), 2, 3] { for sequence in 1...2 { queue.enqueue(frame(session, Int64(sequence))) } }
        let end = MonotonicTime(milliseconds: 1_000)
        let first = stage(&queue, owners, room: 10)
        #expect(first.map(\.session) == [1])
        queue.rest(anna, phone, until: end)
        #expect(stage(&queue, owners).map(\.session) == [3, 3])
        #expect(queue.isEmpty && queue.nextRestEnds == end && Array(queue.sessions).isEmpty)
        queue.enqueue(frame(1, 3))
        queue.endRests(now: MonotonicTime(milliseconds: 999))
        #expect(queue.isEmpty && stage(&queue, owners).isEmpty)
        queue.endRests(now: end)
        let rest = stage(&queue, owners)
        #expect(rest.filter { $0.session == 1 }.map(\.request.firstSequence.rawValue) == [2, 3])
        #expect(rest.count == 4 && queue.isEmpty && queue.nextRestEnds == nil)
    }

    @Test("Q1: all devices that are held back can go on at once; one that rests after a dear event rests on")
    func holdsEnd() {
        let owners = [UInt64(1): LaneSamples.identity(anna, phone), 2: LaneSamples.identity(anna, watch)]
        let (held, rested) = (MonotonicTime(milliseconds: 1_000), MonotonicTime(milliseconds: 500))
        var queue = AppendQueue()
        for session in [UInt64(1), 2] { queue.enqueue(frame(session)) }
        queue.hold(anna, phone, until: held)
        queue.hold(anna, watch, until: held)
        queue.rest(anna, watch, until: rested)
        #expect(stage(&queue, owners).isEmpty && queue.isEmpty)
        queue.endRests(now: rested)
        #expect(queue.isEmpty && queue.nextRestEnds == held)
        queue.rest(anna, watch, until: MonotonicTime(milliseconds: 700))
        queue.endHolds(now: MonotonicTime(milliseconds: 600))
        queue.endRests(now: MonotonicTime(milliseconds: 600))
        #expect(stage(&queue, owners).map(\.session) == [1])
        #expect(queue.nextRestEnds == MonotonicTime(milliseconds: 700))
        queue.endRests(now: MonotonicTime(milliseconds: 700))
        #expect(stage(&queue, owners).map(\.session) == [2] && queue.nextRestEnds == nil)
    }

    @Test("G2: what rests is removed too")
    func restsRemoved() {
        let owners: [UInt64: Identity] = [1: LaneSamples.identity(anna, phone)]
        var queue = AppendQueue()
        queue.enqueue(frame(1))
        queue.rest(anna, phone, until: MonotonicTime(milliseconds: 1))
        #expect(stage(&queue, owners).isEmpty && queue.isEmpty)
        #expect(queue.remove { _ in true }.count == 1 && queue.isEmpty)
        queue.enqueue(frame(1, 2))
        queue.endRests(now: MonotonicTime(milliseconds: 1))
        #expect(stage(&queue, owners).count == 1 && queue.isEmpty)
    }

    @Test("What is removed is removed in the order of its session, wherever it waits, and what comes later is served")
    func removed() {
        let owners: [UInt64: Identity] = [1: LaneSamples.identity(anna), 2: LaneSamples.identity(ben)]
        var queue = AppendQueue()
        for sequence in 1...3 { for session in [UInt64(2), 1] { queue.enqueue(frame(session, Int64(sequence))) } }
        _ = stage(&queue, owners, room: 20)
        let removed = queue.remove { $0.session == 2 }
        #expect(removed.map(\.request.firstSequence.rawValue) == [2, 3] && queue.count == 2)
        queue.enqueue(frame(2, 4))
        #expect(Set(stage(&queue, owners).map(\.session)) == [1, 2] && queue.isEmpty && queue.removeAll().isEmpty)
    }

    @Test("P6, Q1: a device that offers unlimited work delays others by one turn at most", arguments: Seeds.first(100))
    func flood(seed: UInt64) {
        var dice = PartDice(seed)
        let (room, dearest) = (1_000, 400)
        let flooder = LaneSamples.identity(anna, phone)
        var owners: [UInt64: Identity] = [0: flooder]
        for session in UInt64(1)...6 { owners[session] = LaneSamples.identity(session < 3 ? anna : UserID(UUID())) }
        var (queue, next, turn) = (AppendQueue(), [UInt64: Int64](), 0)
        var came: [UInt64: [Int]] = [:]
        func send(_ session: UInt64) {
            next[session, default: 0] += 1
            queue.enqueue(frame(session, next[session] ?? 0))
            if session > 0 { came[session, default: []].append(turn) }
        }
        var last: [UInt64: Int64] = [:]
        while turn < 100 {
            turn += 1
            while queue.frames(of: 0).reduce(0, { count, _ in count + 1 }) < 20 { send(0) }
            for session in UInt64(1)...6 where came[session, default: []].isEmpty && dice.number(4) == 0 {
                send(session)
            }
            let staged = stage(
                &queue, owners, room: room, work: { $0.session == 0 ? dearest : 10 },
                step: { $0.session == 0 && dice.number(9) == 0 ? .postponed : .done })
            for frame in staged {
                #expect(frame.request.firstSequence.rawValue == (last[frame.session] ?? 0) + 1, "seed \(seed)")
                last[frame.session] = frame.request.firstSequence.rawValue
                guard frame.session > 0, let since = came[frame.session]?.removeFirst() else { continue }
                #expect(turn - since <= 1, "seed \(seed)")
            }
        }
        #expect((last[0] ?? 0) > 150)
    }
}
