extension RouteTotalRow {
    /// Canonical bytes of the message `RouteTotalRow` in `Schema/proto/focus/sync/v1/route_rows.proto`.
    public var encoded: [UInt8] {
        var writer = ProtoWriter()
        writer.string(1, activity)
        writer.int(2, Int64(period.rawValue))
        if let startsOn { writer.string(3, startsOn.description) }
        writer.int(4, routes)
        writer.int(5, distanceMillimetres)
        writer.int(6, movingMicroseconds)
        writer.int(7, elevationGainMillimetres)
        if let longest { writer.message(8) { longest.write(to: &$0) } }
        for best in fastest { writer.message(9) { best.write(to: &$0) } }
        return writer.bytes
    }

    public init(decoding bytes: [UInt8]) throws(ProtoError) {
        self.init(activity: "", period: .all, startsOn: nil)
        var period: RoutePeriod?
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: activity = try value.string()
            case 2: period = try value.member(of: RoutePeriod.self)
            case 3:
                guard let date = CivilDate(try value.string()) else { throw .unexpected }
                startsOn = date
            case 4: routes = try value.count()
            case 5: distanceMillimetres = try value.count()
            case 6: movingMicroseconds = try value.count()
            case 7: elevationGainMillimetres = try value.count()
            case 8: longest = try RouteBest(decoding: value.bytes())
            case 9: fastest.append(try RouteBest(decoding: value.bytes()))
            default: break
            }
        }
        guard let period, (period == .all) == (startsOn == nil) else { throw .unexpected }
        self.period = period
    }
}

extension RouteBest {
    func write(to writer: inout ProtoWriter) {
        writer.string(1, app.rawValue)
        writer.string(2, routeID)
        writer.int(3, start.microseconds)
        writer.int(4, distanceMillimetres)
        writer.int(5, durationMicroseconds)
    }

    init(decoding bytes: ArraySlice<UInt8>) throws(ProtoError) {
        var (app, routeID, start) = (AppID?.none, "", Timestamp(microseconds: 0))
        var (distance, duration) = (Int64(0), Int64(0))
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: app = AppID(try value.string())
            case 2: routeID = try value.string()
            case 3: start = try value.timestamp()
            case 4: distance = try value.count()
            case 5: duration = try value.count()
            default: break
            }
        }
        guard let app else { throw .unexpected }
        self.init(
            app: app, routeID: routeID, start: start, distanceMillimetres: distance, durationMicroseconds: duration)
    }
}

extension RouteStretch {
    func write(to writer: inout ProtoWriter) {
        writer.int(1, metres)
        writer.int(2, start.microseconds)
        writer.int(3, durationMicroseconds)
    }

    init(decoding bytes: ArraySlice<UInt8>) throws(ProtoError) {
        self.init(metres: 0, start: Timestamp(microseconds: 0), durationMicroseconds: 0)
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: metres = try value.count()
            case 2: start = try value.timestamp()
            case 3: durationMicroseconds = try value.count()
            default: break
            }
        }
    }
}

extension ProtoValue {
    /// A number that is not negative; throws `malformed` for one that is.
    fileprivate func count() throws(ProtoError) -> Int64 {
        let count = try int()
        guard count >= 0 else { throw .malformed }
        return count
    }
}
