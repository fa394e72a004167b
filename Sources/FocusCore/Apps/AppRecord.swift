/// What is remembered of an app, registered or only heard of (rule E6: its registration may arrive later).
///
/// The rules about an app are its functions: those that fold an event change it where it stands, in `UserState.apps`. A
/// function that only reads is called on a copy of an array's element, which touches a reference count for each table.
/// So what writes rows is `mutating`, even where the record itself stays as it is, and what is asked of every event or
/// row is a function of `UserState`, which reads single fields in the record's slot.
struct AppRecord: Sendable {
    let app: AppID
    var registration: Register<AppRegistered>? {
        didSet {
            isRegistered = registration != nil
            focusAccess = derivedFocusAccess
        }
    }
    /// Whether the app was registered. Stored because every event asks, and a look at `registration` copies it.
    private(set) var isRegistered = false
    private var permissions: [Permission] {
        didSet { focusAccess = derivedFocusAccess }
    }
    /// What the app may show of the Focus (rules F3.1, F4). Stored because every Focus event asks every app.
    private(set) var focusAccess = FocusAccess.reported
    /// The status that the app reported (rule F4); a value of nil withdraws the report.
    var report: Register<Bool?>?
    /// The members of the audience (rule F5); false for removed ones.
    var audience: [UserID: Register<Bool>] = [:]
    /// The greatest clear (rule N7).
    var clear: Stamp?
    /// Whether a time-sensitive notification was decided before (rule N3).
    var hasIntroducedTimeSensitive = false
    var list = NotificationList()
    /// What was set for the app itself (rule N15).
    var ownSettings = SettingsTable()
    /// The effective settings: `ownSettings`, with the defaults of all apps. Stored because every post asks.
    var settings = EffectiveSettings()
    /// The app's mutes (rule N16).
    var mutes = MuteHistory()
    var routes: [ByteText: RouteRecord] = [:]
    var workouts: [ByteText: Register<WorkoutRow>] = [:]
    var interactions = InteractionTable()
    /// The people with whom the interactions were, by handle (rule I3).
    var people: [ByteText: PersonTally] = [:]
    var categories = CategoryTable()
    /// When something was done with each listed notification that has a row in `actions` (rule N12).
    var performed: [ByteText: Stamp] = [:]
    var waitingActions = WaitingActions()
    var preferences = PreferenceTable()

    init(_ app: AppID) {
        self.app = app
        permissions = Array(repeating: Permission(), count: AuthorizationKind.allCases.count)
    }

    subscript(kind: AuthorizationKind) -> Permission {
        get { permissions[Int(kind.rawValue) - 1] }
        set { permissions[Int(kind.rawValue) - 1] = newValue }
    }

    func status(_ kind: AuthorizationKind) -> AuthorizationStatus { self[kind].status?.value ?? .notDetermined }

    func has(_ capability: AppCapability) -> Bool { registration?.value.capabilities.contains(capability) ?? false }

    /// Rule C1.
    private var mayKnowFocus: Bool {
        guard let text = registration?.value.focusStatusUsageDescription, !text.isEmpty else { return false }
        return status(.focusStatus) == .authorized
    }

    private var derivedFocusAccess: FocusAccess {
        if status(.notifications).isDenial || status(.focusStatus).isDenial { return .denied }
        return has(.communication) && status(.notifications) == .authorized && mayKnowFocus ? .authorized : .reported
    }
}
