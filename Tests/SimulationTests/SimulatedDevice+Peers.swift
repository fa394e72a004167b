import FocusCore
import FocusWire

@testable import FocusSyncClient

/// Performs the device's side of rules V1 to V4 as `SyncClient+Peers` does.
extension SimulatedDevice {
    func sendWatch(_ users: [UserID]) {
        link?.asks(users)
        link?.send(FrameCodec.frame(ClientMessage.watch(users)))
    }

    func receive(_ statuses: PeerStatuses) {
        var wanted = statuses
        wanted.statuses.removeAll { !watched.contains($0.user) }
        _ = book.receive(wanted, now: simulation.clock.monotonic)
    }

    /// Watches one user more or one less, or asks again for one.
    func watchOthers() {
        let user = random.element(simulation.life.users)
        if watched.contains(user), random.once(in: 2) {
            watched.remove(user)
            book.forget([user])
            if session?.isLive == true { link?.send(FrameCodec.frame(ClientMessage.unwatch([user]))) }
        } else {
            watched.insert(user)
            if session?.isLive == true { sendWatch([user]) }
        }
    }

    /// Checks that the device knows the present status of everybody it watches (rule V1); nil if it does.
    func wrongStatus() -> String? {
        _ = book.expire(now: simulation.clock.monotonic)
        let viewer = Viewer(user: user, scope: scope)
        for watched in watched.sorted() {
            let known = book.current([watched])
            let visible = simulation.witness.state(of: watched).visibility(to: viewer)
            let held = known.filter { $0.isFocused != nil }
            let isRight = held.allSatisfy { status in status.app.flatMap { visible[$0] } == status.isFocused }
            if known.isEmpty || held.count != visible.count || !isRight {
                return "\(self) believes \(known) of \(watched), who shows it \(visible)"
            }
        }
        return nil
    }
}
