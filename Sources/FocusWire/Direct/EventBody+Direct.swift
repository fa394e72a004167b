import FocusCore

/// The payloads that make up nearly all of a log. Field numbers are those of notifications.proto and routes.proto; the
/// other types, being rare, are left to the generated code.
extension EventBody {
    /// Decodes a payload. Nil for the other types, and when it is not in plain form.
    static func direct(_ type: EventType, _ payload: UnsafeRawBufferPointer) -> EventBody? {
        do throws(Unusual) {
            switch type {
            case .notificationPosted: return .notificationPosted(try NotificationPosted.direct(payload))
            case .notificationRead: return .notificationRead(try NotificationIDs.direct(payload))
            case .notificationRemoved: return .notificationRemoved(try NotificationIDs.direct(payload))
            case .badgeCleared: return payload.isEmpty ? .badgeCleared : nil
            case .routeLocationsInserted: return .routeLocationsInserted(try RouteLocationsInserted.direct(payload))
            default: return nil
            }
        } catch {
            return nil
        }
    }
}

// Functions, not initialisers: one that calls another would copy what that made.

extension NotificationPosted {
    fileprivate static func direct(_ payload: UnsafeRawBufferPointer) throws(Unusual) -> Self {
        var post = Self(notificationID: "", body: "")
        var reader = FieldReader(payload)
        while !reader.isAtEnd {
            switch try reader.tag() {
            case 1 << 3 | 2: post.notificationID = try reader.string()
            case 2 << 3 | 2: post.category = try reader.string()
            case 3 << 3 | 2: post.thread = try reader.string()
            case 4 << 3 | 2: post.title = try reader.string()
            case 5 << 3 | 2: post.subtitle = try reader.string()
            case 6 << 3 | 2: post.body = try reader.string()
            case 7 << 3:
                // The generated code reads an absent or zero level as active and refuses unknown ones.
                guard let number = Int32(exactly: try reader.int()), let known = InterruptionLevel(rawValue: number)
                else {
                    throw Unusual()
                }
                post.level = known
            case 8 << 3 | 1: post.relevance = try reader.double()
            case 9 << 3: post.marketing = try reader.bool()
            case 10 << 3 | 2: post.interactionID = try reader.string()
            case 11 << 3: post.eventAt = Timestamp(microseconds: try reader.int())
            case 12 << 3 | 2: post.sound = try reader.string()
            default: throw Unusual()
            }
        }
        return post
    }
}

extension NotificationIDs {
    fileprivate static func direct(_ payload: UnsafeRawBufferPointer) throws(Unusual) -> Self {
        var ids: [String] = []
        var reader = FieldReader(payload)
        while !reader.isAtEnd {
            guard try reader.tag() == 1 << 3 | 2 else { throw Unusual() }
            ids.append(try reader.string())
        }
        return Self(ids: ids)
    }
}

extension RouteLocationsInserted {
    fileprivate static func direct(_ payload: UnsafeRawBufferPointer) throws(Unusual) -> Self {
        var inserted = Self(routeID: "", points: [])
        var reader = FieldReader(payload)
        while !reader.isAtEnd {
            switch try reader.tag() {
            case 1 << 3 | 2: inserted.routeID = try reader.string()
            case 2 << 3 | 2: inserted.points.append(try RoutePoint.direct(reader.delimited()))
            default: throw Unusual()
            }
        }
        return inserted
    }
}

extension RoutePoint {
    fileprivate static func direct(_ message: UnsafeRawBufferPointer) throws(Unusual) -> Self {
        // The defaults of `RoutePoint` are what absent fields mean: accuracy 0, and -1 for what is unknown.
        var point = Self(time: Timestamp(microseconds: 0), latitude: 0, longitude: 0)
        var reader = FieldReader(message)
        while !reader.isAtEnd {
            switch try reader.tag() {
            case 1 << 3: point.time = Timestamp(microseconds: try reader.int())
            case 2 << 3 | 1: point.latitude = try reader.double()
            case 3 << 3 | 1: point.longitude = try reader.double()
            case 4 << 3 | 1: point.altitude = try reader.double()
            case 5 << 3 | 1: point.horizontalAccuracy = try reader.double()
            case 6 << 3 | 1: point.verticalAccuracy = try reader.double()
            case 7 << 3 | 1: point.speed = try reader.double()
            case 8 << 3 | 1: point.course = try reader.double()
            default: throw Unusual()
            }
        }
        return point
    }
}
