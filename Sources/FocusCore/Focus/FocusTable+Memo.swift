extension FocusEntry {
    /// The memo of its row in `focuses`.
    var memo: [UInt8] {
        var writer = ProtoWriter()
        // A configuration that was removed since decides nothing any more.
        writer.stamp(1, configured == nil ? nil : configuration?.stamp)
        writer.stamp(2, removed)
        writer.stamp(3, deactivated)
        return writer.bytes
    }

    init(memo: [UInt8], value: FocusRow?) throws(ProtoError) {
        var reader = ProtoReader(memo)
        var configuredAt: Stamp?
        while let (field, inner) = try reader.next() {
            switch field {
            case 1: configuredAt = try inner.stamp()
            case 2: removed = try inner.stamp()
            case 3: deactivated = try inner.stamp()
            default: break
            }
        }
        guard (configuredAt == nil) == (value == nil) else { throw .malformed }
        if let configuredAt, let value { configuration = Register(value, configuredAt) }
    }
}

extension FocusTable {
    /// The memo of the row in `active_focus`.
    var memo: [UInt8] {
        var writer = ProtoWriter()
        writer.stamp(1, greatest)
        if let activation {
            writer.stamp(2, activation.stamp)
            writer.string(3, activation.focusID)
            writer.presentInt(4, activation.endsAt?.microseconds)
            writer.bool(5, activation.hasEnded)
        }
        return writer.bytes
    }

    mutating func read(memo: [UInt8]) throws(ProtoError) {
        var reader = ProtoReader(memo)
        var stamp: Stamp?
        var (focusID, endsAt, hasEnded): (String, Timestamp?, Bool) = ("", nil, false)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: greatest = try value.stamp()
            case 2: stamp = try value.stamp()
            case 3: focusID = try value.string()
            case 4: endsAt = try value.timestamp()
            case 5: hasEnded = try value.bool()
            default: break
            }
        }
        activation = stamp.map { FocusActivation(focusID: focusID, stamp: $0, endsAt: endsAt, hasEnded: hasEnded) }
    }
}
