import EventStore
import Foundation
import ServiceLifecycle
import UnixSignals

/// The signals that focusd traps, from before anything is begun.
struct Signals {
    /// SIGHUP: read the certificate again.
    let hangUps: UnixSignalsSequence
    let stops: StopSignals
}

/// SIGTERM and SIGINT, trapped before anything is begun. While focusd starts, they have it give up: its PostgreSQL is
/// in a session of its own, so that nobody else would end it. Once it serves, they begin the graceful shutdown.
struct StopSignals: Service {
    /// How long a start may take to give up (rule G1 gives the whole stop 10 s).
    private static let patience = Duration.seconds(9)

    /// Set by the first signal.
    let flag = StopFlag()
    private let serves = StopFlag()
    private let signals: AsyncStream<Void>

    init() async {
        let (signals, next) = AsyncStream.makeStream(of: Void.self)
        self.signals = signals
        let trapped = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        Task.detached { [flag, serves] in
            for await signal in trapped {
                flag.set()
                next.yield()
                guard !serves.isSet else { continue }
                // A statement of a migration may take an hour; PostgreSQL rolls it back when its client is gone.
                try? await Task.sleep(for: Self.patience)
                if !serves.isSet { Foundation.exit(128 + signal.rawValue) }
            }
        }
    }

    /// Says that the start is over: signals only begin the graceful shutdown from now on, also one that came before.
    func started() { serves.set() }

    /// Returns at the first signal, or at a graceful shutdown that something else begins.
    func run() async { for await _ in signals.cancelOnGracefulShutdown() { return } }
}
