extension RouteRow {
    /// Canonical bytes of the message `RouteRow` in `Schema/proto/focus/sync/v1/route_rows.proto`.
    public var encoded: [UInt8] {
        var writer = ProtoWriter()
        writer.string(1, routeID)
        writer.string(2, activity)
        writer.int(3, Int64(utcOffsetSeconds))
        writer.int(4, state.rawValue)
        writer.string(5, startedBy.description)
        if let workoutID { writer.presentString(6, workoutID) }
        for (key, value) in metadata.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            writer.message(7) {
                $0.presentString(1, key)
                $0.presentString(2, value)
            }
        }
        writer.message(8) { aggregates.write(to: &$0) }
        if let polyline { writer.message(9) { polyline.write(to: &$0) } }
        for stretch in fastest { writer.message(10) { stretch.write(to: &$0) } }
        return writer.bytes
    }

    public init(decoding bytes: [UInt8]) throws(ProtoError) {
        self.init(routeID: "", activity: "", utcOffsetSeconds: 0, startedBy: .server)
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: routeID = try value.string()
            case 2: activity = try value.string()
            case 3: utcOffsetSeconds = Int32(truncatingIfNeeded: try value.int())
            case 4: state = try Self.known(RouteState(rawValue: value.int()))
            case 5: startedBy = try Self.known(DeviceID(text: value.string()))
            case 6: workoutID = try value.string()
            case 7:
                let (key, text) = try Self.entry(value.bytes())
                metadata[key] = text
            case 8: aggregates = try RouteAggregates(decoding: value.bytes())
            case 9: polyline = try RoutePolyline(decoding: value.bytes())
            case 10: fastest.append(try RouteStretch(decoding: value.bytes()))
            default: break
            }
        }
    }

    private static func known<Value>(_ value: Value?) throws(ProtoError) -> Value {
        guard let value else { throw .unexpected }
        return value
    }

    private static func entry(_ bytes: ArraySlice<UInt8>) throws(ProtoError) -> (key: String, value: String) {
        var entry = (key: "", value: "")
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: entry.key = try value.string()
            case 2: entry.value = try value.string()
            default: break
            }
        }
        return entry
    }
}

extension RoutePolyline {
    func write(to writer: inout ProtoWriter) {
        writer.string(1, encoded)
        writer.double(2, errorMetres)
    }

    init(decoding bytes: ArraySlice<UInt8>) throws(ProtoError) {
        self.init(encoded: "", errorMetres: 0)
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: encoded = try value.string()
            case 2: errorMetres = try value.double()
            default: break
            }
        }
    }
}
