import EventStore
import FocusCore

extension LaneLog {
    /// Tells of users who were loaded or looked up beside the lane: as loaded, outlined or unloadable, or as outdated
    /// where the lane cannot tell how its log leads from the moment that the load saw to the one that it knows, or back.
    /// Catches up with heads that the loads saw; throws `LogTruncated` when the log does not lead there any more.
    ///
    /// Where a state lacks events that were not told one by one, the lane reads them: were the user loaded again, a
    /// server that appends for them without pause could keep them from ever being in memory.
    /// - Parameter use: what a load of the user is good for that saw this head and made a state of this version, by what
    ///   was told of them since they were asked for.
    func takeUp(_ found: FoundUsers, use: (UserID, PartitionHead, Version) -> LoadUse) throws {
        var usable: [(head: PartitionHead, id: UserID, found: Found)] = []
        for id in found.loaded.keys.sorted() {
            switch found.loaded[id] {
            case .failure(let error): tell(.unloadable(id, error))
            case .success(let user): usable.append((user.head, id, .state(user)))
            case nil: break
            }
        }
        for (id, outline) in found.outlines.sorted(by: { $0.key < $1.key }) {
            usable.append((outline.head, id, .outline(outline)))
        }
        let places = try standing(Set(usable.map(\.head)))
        var ahead: Set<PartitionHead> = []
        var room = (events: context.configuration.eventsPerStatement, bytes: context.configuration.bytesPerStatement)
        for (head, id, found) in usable {
            let place = places[head] ?? .elsewhere
            switch place {
            case .below, .ahead:
                switch use(id, head, found.version) {
                case .usable: tell(found.news(of: id))
                case .lacks(let version): tell(try complete(found, of: id, to: version, &room) ?? .outdated(id))
                case .outdated: tell(.outdated(id))
                case .stale: tell(.outdated(id, elsewhere: true))
                }
            case .generation: tell(.outdated(id, elsewhere: use(id, head, found.version) == .stale))
            case .elsewhere: tell(.outdated(id, elsewhere: true))
            }
            if place == .ahead { ahead.insert(head) }
        }
        // The lane follows to exactly the heads that the loads saw. A newer look at the heads could find a log that has
        // lost events which the loaded states hold, and an event that is appended to such a state leaves a gap in its
        // user's versions for ever.
        for head in ahead.sorted(by: { ($0.nextOffset, $0.partition) < ($1.nextOffset, $1.partition) }) {
            try catchUp(to: head)
        }
    }

    /// What a load, or a look-up, found of a user.
    private enum Found {
        case state(LoadedUser)
        case outline(UserOutline)

        var version: Version {
            switch self {
            case .state(let user): user.state.version
            case .outline(let outline): outline.state.version
            }
        }

        func news(of id: UserID) -> LogNews {
            switch self {
            case .state(let user): .loaded(user, id, user.head.partition)
            case .outline(let outline): .outlined(outline, id, outline.head.partition)
            }
        }
    }

    /// Folds the user's events up to the version into a state that was loaded; nil when they do not fit the room any
    /// more, and for an outline.
    private func complete(
        _ found: Found, of id: UserID, to version: Version, _ room: inout (events: Int, bytes: Int)
    ) throws -> LogNews? {
        guard case .state(var user) = found else { return nil }
        let lacking = version.rawValue - user.state.version.rawValue
        guard lacking <= Int64(room.events), room.bytes > 0 else { return nil }
        let partition = user.head.partition
        let events = try ask {
            try $0.events(of: id, partition: partition, after: user.state.version, limit: Int(lacking))
        }
        room.events -= events.count
        room.bytes -= events.reduce(0) { $0 + $1.payload.count }
        // A statement stops where its events are large.
        guard events.last?.version == version else { return nil }
        do {
            for event in events { try user.apply(event) }
        } catch {
            return .unloadable(id, error)
        }
        return .loaded(user, id, partition)
    }

    /// Those of the heads that the lane's log leads through.
    func leadsThrough(_ heads: Set<PartitionHead>) throws -> Set<PartitionHead> {
        let places = try standing(heads)
        return heads.filter { places[$0] == .below || places[$0] == .ahead }
    }

    private enum Place {
        /// The lane knows all that the load saw.
        case below
        /// The log goes on from what the lane knows to what the load saw.
        case ahead
        /// The load saw another generation, which the lane adopts first or has left.
        case generation
        /// The log does not hold the event that stood last where the load was made: it was made on another server.
        case elsewhere
    }

    /// Where the heads stand in the log, as the lane's own connection has it. Loads are made over another connection,
    /// which may reach another database server after one has failed.
    private func standing(_ heads: Set<PartitionHead>) throws -> [PartitionHead: Place] {
        var places: [PartitionHead: Place] = [:]
        var unknown: [PartitionHead] = []
        for head in heads {
            let known = tails[head.partition]
            if head.generation != known.generation {
                tails.mayHaveMoved = true
                places[head] = .generation
            } else if head.anchor == nil || head.anchor == known.anchor {
                places[head] = .below
            } else {
                unknown.append(head)
            }
        }
        guard !unknown.isEmpty else { return places }
        unknown.sort { ($0.partition, $0.nextOffset) < ($1.partition, $1.nextOffset) }
        let held = try ask { try $0.held(of: unknown) }
        for head in unknown {
            let isAhead = head.nextOffset > tails[head.partition].nextOffset
            places[head] = held.contains(head) ? (isAhead ? .ahead : .below) : .elsewhere
        }
        return places
    }
}
