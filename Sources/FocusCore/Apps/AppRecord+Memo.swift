extension AppRecord {
    /// The memo of its row in `apps`.
    var memo: [UInt8] {
        var writer = ProtoWriter()
        writer.stamp(1, registration?.stamp)
        writer.stamp(2, clear)
        writer.bool(3, hasIntroducedTimeSensitive)
        writer.bool(4, waitingActions.isAwaited)
        writer.int(5, waitingActions.lastNumber)
        return writer.bytes
    }

    mutating func read(memo: [UInt8], value: AppRegistered?) throws(ProtoError) {
        var reader = ProtoReader(memo)
        var registered: Stamp?
        var (isAwaited, lastNumber): (Bool, Int64) = (false, 0)
        while let (field, inner) = try reader.next() {
            switch field {
            case 1: registered = try inner.stamp()
            case 2: clear = try inner.stamp()
            case 3: hasIntroducedTimeSensitive = try inner.bool()
            case 4: isAwaited = try inner.bool()
            case 5: lastNumber = try inner.int()
            default: break
            }
        }
        waitingActions.load(isAwaited: isAwaited, lastNumber: lastNumber)
        guard (registered == nil) == (value == nil) else { throw .malformed }
        if let registered, let value { registration = Register(value, registered) }
    }

    /// The memo of its row in `focus_visibility`.
    var reportMemo: [UInt8] {
        var writer = ProtoWriter()
        writer.stamp(1, report?.stamp)
        if let isFocused = report?.value { writer.presentInt(2, isFocused ? 1 : 0) }
        return writer.bytes
    }

    mutating func read(reportMemo: [UInt8]) throws(ProtoError) {
        var reader = ProtoReader(reportMemo)
        var stamp: Stamp?
        var isFocused: Bool?
        while let (field, value) = try reader.next() {
            switch field {
            case 1: stamp = try value.stamp()
            case 2: isFocused = try value.bool()
            default: break
            }
        }
        report = stamp.map { Register(isFocused, $0) }
    }
}

extension Stamp {
    /// A memo that is one stamp, field 1.
    var memo: [UInt8] {
        var writer = ProtoWriter()
        writer.stamp(1, self)
        return writer.bytes
    }

    init(memo: [UInt8]) throws(ProtoError) {
        var reader = ProtoReader(memo)
        var stamp: Stamp?
        while let (field, value) = try reader.next() {
            switch field {
            case 1: stamp = try value.stamp()
            default: break
            }
        }
        guard let stamp else { throw .malformed }
        self = stamp
    }
}
