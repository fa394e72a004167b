import DequeModule
import FocusCore
import FocusWire
import NIOConcurrencyHelpers
import Waits

/// What a frame says, and its events as the lane takes them.
struct DecodedFrame: Sendable {
    let message: ClientMessage
    /// Those that it appends or gives back.
    let events: [IncomingEvent]

    init(_ frame: [UInt8]) throws(FrameError) {
        message = try FrameCodec.decodeClient(frame)
        events =
            switch message {
            case .append(let request): request.envelopes.map(IncomingEvent.init(decoding:))
            case .heal(.reoffer(let offer)): offer.events.map { IncomingEvent(decoding: $0.envelope) }
            default: []
            }
    }
}

/// Decodes large frames beside the event loops, so that nobody but their own user's devices waits for it (rule Q1). Next
/// is one of the user for whom least was decoded (`WorkAccounts`).
final class FrameDecoder: Sendable {
    typealias Report = @Sendable (Result<DecodedFrame, FrameError>) -> Void

    private struct Request: Sendable {
        let frame: [UInt8]
        let user: UserID
        let report: Report
    }

    /// A smaller frame is decoded on the event loop, which takes about a millisecond.
    static let leastBytes = 32 * 1024

    /// Nil ends the thread.
    private let mailbox = Mailbox<Request?>()
    private let thread: NIOLockedValueBox<LaneThread?> = NIOLockedValueBox(nil)

    func start() {
        thread.withLockedValue { $0 = LaneThread(name: "decoder", priority: .background) { [self] in run() } }
    }

    /// Ends the thread; blocks until then. What waits is not decoded any more.
    func stop() {
        mailbox.post(nil)
        thread.withLockedValue { $0.take() }?.join()
    }

    /// - Parameter report: called on the decoder's thread.
    func decode(_ frame: [UInt8], of user: UserID, report: @escaping Report) {
        mailbox.post(Request(frame: frame, user: user, report: report))
    }

    private func run() {
        var waiting = WorkAccounts<UserID, Deque<Request>>(goneLimit: 1_024)
        while true {
            for request in mailbox.receive(until: waiting.isEmpty ? nil : .passed) {
                guard let request else { return }
                waiting.wait(request.user, opening: [])
                waiting.with(request.user) { $0.append(request) }
            }
            guard let user = waiting.next(), let (request, rest) = waiting.with(user, { ($0.removeFirst(), $0.count) })
            else { continue }
            request.report(Result { () throws(FrameError) in try DecodedFrame(request.frame) })
            waiting.endTurn(of: user, work: request.frame.count, waits: rest > 0)
        }
    }
}
