import FocusCore

/// The payloads that make up nearly all of a log. Field numbers are those of notifications.proto and routes.proto; the
/// other types, being rare, are left to the generated code.
extension EventBody {
    /// Decodes a payload. Nil for the other types, and when it is not in plain form.
    static func direct(_ type: EventType, _ payload: UnsafeRawBufferPointer) -> EventBody? {
        do throws(Unusual) {
            switch type {
            case .notificationPosted: return .notificationPosted(try NotificationPosted(direct: payload))
            case .notificationRead: return .notificationRead(try NotificationIDs(direct: payload))
            case .notificationRemoved: return .notificationRemoved(try NotificationIDs(direct: payload))
            case .badgeCleared: return payload.isEmpty ? .badgeCleared : nil
            case .routeLocationsInserted: return .routeLocationsInserted(try RouteLocationsInserted(direct: payload))
            default: return nil
            }
        } catch {
            return nil
        }
    }
}

extension NotificationPosted {
    fileprivate init(direct payload: UnsafeRawBufferPointer) throws(Unusual) {
        self.init(notificationID: "", body: "")
        var reader = FieldReader(payload)
        while !reader.isAtEnd {
            switch try reader.tag() {
            case 1 << 3 | 2: notificationID = try reader.string()
            case 2 << 3 | 2: category = try reader.string()
            case 3 << 3 | 2: thread = try reader.string()
            case 4 << 3 | 2: title = try reader.string()
            case 5 << 3 | 2: subtitle = try reader.string()
            case 6 << 3 | 2: body = try reader.string()
            case 7 << 3:
                // The generated code reads an absent or zero level as active and refuses unknown ones.
                guard let number = Int32(exactly: try reader.int()), let known = InterruptionLevel(rawValue: number)
                else {
                    throw Unusual()
                }
                level = known
            case 8 << 3 | 1: relevance = try reader.double()
            case 9 << 3: marketing = try reader.bool()
            case 10 << 3 | 2: interactionID = try reader.string()
            case 11 << 3: eventAt = Timestamp(microseconds: try reader.int())
            case 12 << 3 | 2: sound = try reader.string()
            default: throw Unusual()
            }
        }
    }
}

extension NotificationIDs {
    fileprivate init(direct payload: UnsafeRawBufferPointer) throws(Unusual) {
        self.init(ids: [])
        var reader = FieldReader(payload)
        while !reader.isAtEnd {
            guard try reader.tag() == 1 << 3 | 2 else { throw Unusual() }
            ids.append(try reader.string())
        }
    }
}

extension RouteLocationsInserted {
    fileprivate init(direct payload: UnsafeRawBufferPointer) throws(Unusual) {
        self.init(routeID: "", points: [])
        var reader = FieldReader(payload)
        while !reader.isAtEnd {
            switch try reader.tag() {
            case 1 << 3 | 2: routeID = try reader.string()
            case 2 << 3 | 2: points.append(try RoutePoint(direct: reader.delimited()))
            default: throw Unusual()
            }
        }
    }
}

extension RoutePoint {
    fileprivate init(direct message: UnsafeRawBufferPointer) throws(Unusual) {
        // The defaults of `RoutePoint` are what absent fields mean: accuracy 0, and -1 for what is unknown.
        self.init(time: Timestamp(microseconds: 0), latitude: 0, longitude: 0)
        var reader = FieldReader(message)
        while !reader.isAtEnd {
            switch try reader.tag() {
            case 1 << 3: time = Timestamp(microseconds: try reader.int())
            case 2 << 3 | 1: latitude = try reader.double()
            case 3 << 3 | 1: longitude = try reader.double()
            case 4 << 3 | 1: altitude = try reader.double()
            case 5 << 3 | 1: horizontalAccuracy = try reader.double()
            case 6 << 3 | 1: verticalAccuracy = try reader.double()
            case 7 << 3 | 1: speed = try reader.double()
            case 8 << 3 | 1: course = try reader.double()
            default: throw Unusual()
            }
        }
    }
}
