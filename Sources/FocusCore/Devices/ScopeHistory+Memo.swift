extension ScopeHistory {
    /// - Parameters:
    ///   - incarnations: those of the history's device.
    ///   - isRevoked: whether the device was revoked; the unbound history's row says so (rule A3).
    func memo(_ incarnations: [Incarnation: IncarnationRecord], isRevoked: Bool) -> [UInt8] {
        var writer = ProtoWriter()
        for incarnation in recent {
            guard let record = incarnations[incarnation] else { continue }
            writer.message(1) { inner in
                inner.sint(1, incarnation.rawValue)
                inner.int(2, record.last.rawValue)
            }
        }
        writer.stamp(2, greatest)
        let ids = outcomes.ids
        writer.data(3, ids.flatMap { id in withUnsafeBytes(of: id.bigEndian) { Array($0) } })
        for run in outcomes.runs {
            writer.message(4) { inner in
                inner.sint(1, run.incarnation.rawValue)
                inner.int(2, run.first.rawValue)
                inner.int(3, Int64(run.count))
            }
        }
        // In the ring's order, not the dictionary's; an id that is in the ring twice has one answer.
        var written: Set<UInt128> = []
        for id in ids {
            guard let refused = outcomes.refused[id], written.insert(id).inserted else { continue }
            writer.message(5) { inner in
                inner.presentData(1, withUnsafeBytes(of: id.bigEndian) { Array($0) })
                inner.string(2, refused.code)
                inner.string(3, refused.message)
            }
        }
        writer.bool(6, isRevoked)
        if let current, let record = incarnations[current] { writer.message(7) { record.write(current, &$0) } }
        for time in beginnings { writer.presentVarint(8, UInt64(bitPattern: time.microseconds)) }
        return writer.bytes
    }

    /// What a row of `devices` says.
    struct Loaded {
        var history: ScopeHistory
        var current: (Incarnation, IncarnationRecord)?
        var isRevoked = false
    }

    static func read(_ device: DeviceID, _ owner: HistoryOwner, memo: [UInt8]) throws(ProtoError) -> Loaded {
        var loaded = Loaded(history: ScopeHistory(device, owner))
        var reader = ProtoReader(memo)
        var ids: [EventID] = []
        var runs: [RememberedOutcomes.Run] = []
        var refused: [EventID: RememberedOutcomes.Refused] = [:]
        while let (field, value) = try reader.next() {
            switch field {
            case 1: loaded.history.recent.append(try run(value).0)
            case 2: loaded.history.greatest = try value.stamp()
            case 3: ids = try self.ids(try value.bytes())
            case 4:
                let (incarnation, first, count) = try run(value)
                runs.append(RememberedOutcomes.Run(incarnation: incarnation, first: first, count: count))
            case 5:
                let (id, answer) = try refusal(value)
                refused[id] = answer
            case 6: loaded.isRevoked = try value.bool()
            case 7:
                let (incarnation, record) = try IncarnationRecord.read(try value.bytes())
                guard record.owner == owner else { throw .unexpected }
                loaded.history.current = incarnation
                loaded.current = (incarnation, record)
            case 8: loaded.history.beginnings.append(Timestamp(microseconds: try value.int()))
            default: break
            }
        }
        guard ids.count <= EventLimits.outcomesPerDevice,
            runs.allSatisfy({ $0.count <= EventLimits.outcomesPerDevice }),
            loaded.history.beginnings.count <= beginningLimit
        else { throw .malformed }
        try loaded.history.restore(ids, runs, refused)
        return loaded
    }

    /// Plays the remembered events again, oldest first.
    private mutating func restore(
        _ ids: [EventID], _ runs: [RememberedOutcomes.Run], _ refused: [EventID: RememberedOutcomes.Refused]
    ) throws(ProtoError) {
        var rest = ids[...]
        for run in runs {
            for step in 0..<max(0, run.count) {
                guard let id = rest.popFirst() else { throw .malformed }
                outcomes.append(id, run.incarnation, run.first.advanced(by: step), refused[id])
            }
        }
        guard rest.isEmpty else { throw .malformed }
    }

    private static func run(_ value: ProtoValue) throws(ProtoError) -> (Incarnation, DeviceSequence, Int) {
        var reader = ProtoReader(try value.bytes())
        var (incarnation, sequence, count) = (Incarnation(0), DeviceSequence.zero, 0)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: incarnation = Incarnation(try value.sint())
            case 2: sequence = DeviceSequence(try value.int())
            case 3: count = Int(try value.int())
            default: break
            }
        }
        // Far below overflow, and far above what a device can log.
        guard (0...Int64.max / 2).contains(sequence.rawValue), count >= 0 else { throw .malformed }
        return (incarnation, sequence, count)
    }

    private static func ids(_ bytes: ArraySlice<UInt8>) throws(ProtoError) -> [EventID] {
        guard bytes.count % 16 == 0 else { throw .malformed }
        return stride(from: bytes.startIndex, to: bytes.endIndex, by: 16).compactMap {
            EventID(bytes: bytes[$0..<$0 + 16])
        }
    }

    private static func refusal(_ value: ProtoValue) throws(ProtoError) -> (EventID, RememberedOutcomes.Refused) {
        var reader = ProtoReader(try value.bytes())
        var id: EventID?
        var refused = RememberedOutcomes.Refused(code: "", message: "")
        while let (field, value) = try reader.next() {
            switch field {
            case 1: id = try value.uuid(EventID.self)
            case 2: refused.code = try value.string()
            case 3: refused.message = try value.string()
            default: break
            }
        }
        guard let id else { throw .malformed }
        return (id, refused)
    }
}
