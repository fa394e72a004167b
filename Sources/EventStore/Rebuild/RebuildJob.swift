import FocusCore
import Foundation
import PostgresClient

/// The work of one worker of a rebuild: it prepares partitions one after the other, and later cuts them over.
struct RebuildJob: Sendable {
    let options: RebuildOptions
    let target: Generation
    let verifies: Bool
    /// The fold version of each generation that has rows, by the generation's number.
    let folds: [Int32: Int32]
    /// The generation that each partition showed when this run began.
    let shown: [Partition: Generation]
    let work: RebuildWork
    /// Measures commits, so that the load is lowered while they are late. Nil: the load stays as it is.
    var probe: CommitLatencyProbe?
    /// How many workers may work at once; nil: all of them.
    var slots: DispatchSemaphore?
    /// Makes the ids of events that tell devices of differences.
    var makeID: @Sendable () -> EventID = { EventID(UUID()) }

    /// Does everything up to the cut-over, one partition after the other.
    func prepare(on connection: any RebuildConnection) throws {
        try forEach { place, throttle in
            if place.phase == .filling {
                let fill = PartitionFill(rules: options.rules) { events in
                    if events > 0 { work.advance(.filling, by: events) }
                    try throttle.pause()
                }
                try fill.run(&place, then: verifies ? .verifying : .comparing, on: connection)
            }
            if place.phase == .verifying { try verify(&place, throttle, on: connection) }
            if place.phase == .comparing, let comparison = comparison(place.partition) {
                work.expect(try userCount(place, on: connection), in: .comparing)
                let follow = PartitionFollow(comparison: comparison) { users in
                    work.advance(.comparing, by: users)
                    try throttle.pause()
                }
                try follow.compareAll(&place, on: connection)
            }
            work.finishPreparing(place)
        }
    }

    func cutOver(on connection: any RebuildConnection) throws {
        try forEach { place, throttle in
            guard place.phase == .following, let comparison = comparison(place.partition) else { return }
            let cutOver = CutOver(comparison: comparison, makeID: makeID)
            try cutOver.warmUp(place, on: connection)
            let follow = PartitionFollow(comparison: comparison) { _ in try throttle.pause() }
            var followed = FollowedUsers()
            try follow.recall(place, &followed, on: connection)
            try follow.follow(&place, &followed, on: connection)
            work.record(try cutOver.run(&place, &followed, on: connection))
            try connection.notify(place.partition)
            try cutOver.project(place, pause: throttle.pause, on: connection)
        }
    }

    private func forEach(_ body: (inout RebuildPlace, RebuildThrottle) throws -> Void) throws {
        let throttle = RebuildThrottle(load: options.maximumLoad, probe: probe, slots: slots, work: work)
        defer { throttle.end() }
        while var place = work.dequeue() {
            do {
                try body(&place, throttle)
            } catch {
                work.stop()
                throw error
            }
        }
    }

    private func comparison(_ partition: Partition) -> UserComparison? {
        guard let shown = shown[partition], shown != target else { return nil }
        return UserComparison(
            target: target, shown: shown, rules: options.rules,
            isSameFold: folds[shown.number] == options.rules.version)
    }

    private func userCount(_ place: RebuildPlace, on connection: any RebuildConnection) throws -> Int {
        Int(try connection.userCount(of: place.partition, in: target))
    }

    private func verify(_ place: inout RebuildPlace, _ throttle: RebuildThrottle, on connection: any RebuildConnection)
        throws
    {
        let page = 100
        work.expect(try userCount(place, on: connection), in: .verifying)
        while true {
            let users = try connection.users(of: place.partition, in: target, after: place.after, limit: page)
            for user in users {
                let verdict = try connection.verdict(of: user, at: place, rules: options.rules)
                guard case .equal = verdict else { throw RebuildError.verificationFailed(user, verdict) }
                work.advance(.verifying, by: 1)
                try throttle.pause()
            }
            var next = place
            next.after = users.last ?? place.after
            next.users += Int64(users.count)
            if users.count < page { next = next.beginning(.comparing) }
            let from = place
            place = try connection.inTransaction(.standard) { [next] connection in
                var moved = from
                try moved.move(to: next, on: connection)
                return moved
            }
            if users.count < page { return }
        }
    }
}

/// Ends a worker because another one has failed; the error of that one is reported.
struct RebuildStopped: Error {}
