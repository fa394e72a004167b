/// What a session sees of a user's rows: decided by its token and its wishes, never by a cursor.
public struct View: Hashable, Sendable {
    public var scope: Scope
    public var device: DeviceID
    public var deviceClass: DeviceClass
    /// Whether the token says the class. A class that the device only claims hides what any class hides (rule N13).
    public var isClassProven: Bool
    /// Whether the view keeps to rule Z1: it is of an app, its versions are those of the app's own stream, and it holds
    /// nothing that depends on other apps, or on a Focus that the app may not know of.
    public private(set) var isSilent = false
    /// Collections that the device asked for; nil when it asked for all public ones (rule S7).
    public var collections: Set<RowCollection>?

    public init(
        scope: Scope, device: DeviceID, deviceClass: DeviceClass, isClassProven: Bool = true,
        collections: Set<RowCollection>? = nil
    ) {
        self.scope = scope
        self.device = device
        self.deviceClass = deviceClass
        self.isClassProven = isClassProven
        self.collections = collections
    }

    /// Whether this view may hold the row. The only place where this is decided: deltas, snapshots and digests ask
    /// here.
    public func includes(_ key: RowKey) -> Bool {
        guard holds(key.collection) else { return false }
        if key.collection == .refusals {
            // Refusals are visible only to their own device and scope (rule E2).
            return key.app == scope.app && key.key.hasPrefix(device.description)
        }
        switch scope {
        case .system: return true
        case .app(let app): return key.app == app
        }
    }
}

extension View {
    /// The app whose stream the view's versions are of; nil when they are the user's.
    var silentApp: AppID? { isSilent ? scope.app : nil }

    /// The view under rule Z1, which concerns sessions of apps alone.
    public var silenced: Self {
        var view = self
        view.isSilent = scope != .system
        return view
    }

    /// Whether the view may hold rows of the collection at all.
    func holds(_ collection: RowCollection) -> Bool {
        // What somebody typed for an app is nobody else's (rule N20).
        guard collection != .waitingActions || scope != .system else { return false }
        return (isSilent ? collection.isSeenByApps : collection.isPublic) && (collections?.contains(collection) ?? true)
    }
}

/// Where a device stands: what it has applied (rule S4). Not secret and not authenticated.
public struct Cursor: Hashable, Sendable {
    public var log: LogID
    public var version: Version
    /// The event at `version`, or the mark of the app's own stream there (`StreamHead`); the nil UUID at version 0.
    public var event: EventID
    /// First 8 bytes of the SHA-256 of the view's canonical text: another view needs a snapshot.
    public var view: UInt64

    public init(log: LogID, version: Version, event: EventID, view: UInt64) {
        self.log = log
        self.version = version
        self.event = event
        self.view = view
    }
}
