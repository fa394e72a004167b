/// What notifications may do, as devices see it (rules N15, N16; collection `notification_settings`): for an app, or,
/// without an app, for those for which nothing was set. `effective` has the values that hold; `own` says which of them
/// were set here and which follow.
public struct NotificationSettingsRow: RowMessage {
    public var effective: ByClass<NotificationSettings>
    public var own: ByClass<OwnSettings>
    /// When the mute ends; nil when the app is not muted. The moment may have passed: no event says so.
    public var mutedUntil: Timestamp?
    /// Whether all apps are silenced (rule N17). In the row without an app only: an app is not told.
    public var isSilenced: Bool

    public init(
        effective: ByClass<NotificationSettings>, own: ByClass<OwnSettings> = ByClass(repeating: OwnSettings()),
        mutedUntil: Timestamp? = nil, isSilenced: Bool = false
    ) {
        self.effective = effective
        self.own = own
        self.mutedUntil = mutedUntil
        self.isSilenced = isSilenced
    }

    public var encoded: [UInt8] {
        var writer = ProtoWriter()
        for deviceClass in DeviceClass.allCases {
            writer.message(Int(deviceClass.number)) { effective[deviceClass].write(to: &$0) }
        }
        for deviceClass in DeviceClass.allCases where own[deviceClass] != OwnSettings() {
            writer.message(4 + Int(deviceClass.number)) { own[deviceClass].write(to: &$0) }
        }
        writer.presentInt(9, mutedUntil?.microseconds)
        writer.bool(10, isSilenced)
        return writer.bytes
    }

    public init(decoding bytes: [UInt8]) throws(ProtoError) {
        self.init(effective: ByClass(repeating: NotificationSettings()))
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            if let deviceClass = DeviceClass(number: Int64(field)) {
                effective[deviceClass] = try NotificationSettings(decoding: value.bytes())
            } else if let deviceClass = DeviceClass(number: Int64(field) - 4) {
                own[deviceClass] = try OwnSettings(decoding: value.bytes())
            } else if field == 9 {
                mutedUntil = try value.timestamp()
            } else if field == 10 {
                isSilenced = try value.bool()
            }
        }
    }
}

extension NotificationSettings {
    fileprivate func write(to writer: inout ProtoWriter) {
        writer.bool(1, alerts)
        writer.bool(2, badges)
        writer.bool(3, sounds)
        writer.int(4, Int64(previews.rawValue))
        writer.bool(5, timeSensitive)
        writer.bool(6, scheduledDelivery)
    }

    fileprivate init(decoding bytes: ArraySlice<UInt8>) throws(ProtoError) {
        self.init()
        // What is absent from a message is false, whatever holds where nothing was set.
        (alerts, badges, sounds, timeSensitive) = (false, false, false, false)
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: alerts = try value.bool()
            case 2: badges = try value.bool()
            case 3: sounds = try value.bool()
            case 4: previews = try value.member(of: NotificationPreviews.self)
            case 5: timeSensitive = try value.bool()
            case 6: scheduledDelivery = try value.bool()
            default: break
            }
        }
    }
}

extension OwnSettings {
    fileprivate func write(to writer: inout ProtoWriter) {
        writer.presentInt(1, alerts.map { $0 ? 1 : 0 })
        writer.presentInt(2, badges.map { $0 ? 1 : 0 })
        writer.presentInt(3, sounds.map { $0 ? 1 : 0 })
        writer.presentInt(4, previews.map { Int64($0.rawValue) })
        writer.presentInt(5, timeSensitive.map { $0 ? 1 : 0 })
        writer.presentInt(6, scheduledDelivery.map { $0 ? 1 : 0 })
    }

    fileprivate init(decoding bytes: ArraySlice<UInt8>) throws(ProtoError) {
        self.init()
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: alerts = try value.bool()
            case 2: badges = try value.bool()
            case 3: sounds = try value.bool()
            case 4: previews = try value.member(of: NotificationPreviews.self)
            case 5: timeSensitive = try value.bool()
            case 6: scheduledDelivery = try value.bool()
            default: break
            }
        }
    }
}
