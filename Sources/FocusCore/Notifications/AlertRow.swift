/// What became of the alert of a listed notification (rules N9, N10). It is in collection `alerts`, with the
/// notification's id as key, for the phone and every class that comes out like it, and in `class_alerts`, with
/// `<class>/<id>` as key, for a class that does not (rule N15).
public struct AlertRow: RowMessage {
    public var decision: AlertDecision
    /// True for the app's first time-sensitive notification (rule N3).
    public var introducesTimeSensitive: Bool
    /// The version of the post that it decides: a re-post is a new decision, even when it comes out the same.
    public var post: Version
    /// Its place among the alerts that came with the same summary (rule N10), from 1; nil when it came with none.
    public var summaryRank: Int32?
    /// The class of a row in `class_alerts`; nil in `alerts`.
    public var deviceClass: DeviceClass?
    /// The device on which an alert that rings does so first (rule N18); nil: on all at once.
    public var firstDevice: DeviceID?
    /// When it rings elsewhere, unless it is read before (rule T4); nil: it does not, or does already.
    public var othersAt: Timestamp?
    /// Whether it rings on all devices by now.
    public var othersRing = false

    /// Whether it is a device's turn to ring, which it does once for each `post` (rule N18).
    public func rings(on device: DeviceID) -> Bool {
        decision.alert == .now && (firstDevice == nil || firstDevice == device || othersRing)
    }

    public init(
        _ decision: AlertDecision, introducesTimeSensitive: Bool, post: Version, summaryRank: Int32? = nil,
        deviceClass: DeviceClass? = nil
    ) {
        self.decision = decision
        self.introducesTimeSensitive = introducesTimeSensitive
        self.post = post
        self.summaryRank = summaryRank
        self.deviceClass = deviceClass
    }

    public var encoded: [UInt8] {
        var writer = ProtoWriter()
        writer.int(1, Int64(decision.alert.rawValue))
        writer.int(2, Int64(decision.reason.rawValue))
        writer.bool(3, decision.overridesSilentSwitch)
        writer.bool(4, introducesTimeSensitive)
        writer.int(5, post.rawValue)
        writer.presentInt(6, summaryRank.map(Int64.init))
        if let deviceClass { writer.int(7, Int64(deviceClass.number)) }
        if let firstDevice { writer.string(8, firstDevice.description) }
        writer.presentInt(9, othersAt?.microseconds)
        writer.bool(10, othersRing)
        return writer.bytes
    }

    public init(decoding bytes: [UInt8]) throws(ProtoError) {
        var reader = ProtoReader(bytes)
        var (alert, reason): (Alert?, AlertReason?)
        var (overrides, introduces, post) = (false, false, Version.zero)
        var (summaryRank, deviceClass): (Int32?, DeviceClass?)
        var (firstDevice, othersAt, othersRing): (DeviceID?, Timestamp?, Bool) = (nil, nil, false)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: alert = try value.member(of: Alert.self)
            case 2: reason = try value.member(of: AlertReason.self)
            case 3: overrides = try value.bool()
            case 4: introduces = try value.bool()
            case 5: post = Version(try value.int())
            case 6:
                guard let rank = Int32(exactly: try value.int()) else { throw .unexpected }
                summaryRank = rank
            case 7:
                guard let known = DeviceClass(number: try value.int()) else { throw .unexpected }
                deviceClass = known
            case 8:
                guard let known = DeviceID(text: try value.string()) else { throw .unexpected }
                firstDevice = known
            case 9: othersAt = try value.timestamp()
            case 10: othersRing = try value.bool()
            default: break
            }
        }
        guard let alert, let reason else { throw .malformed }
        self.init(
            AlertDecision(alert, reason, overridesSilentSwitch: overrides), introducesTimeSensitive: introduces,
            post: post, summaryRank: summaryRank, deviceClass: deviceClass)
        (self.firstDevice, self.othersAt, self.othersRing) = (firstDevice, othersAt, othersRing)
    }
}
