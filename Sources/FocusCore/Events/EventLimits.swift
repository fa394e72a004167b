/// How large an event may be (rules E4, E5). Every bound is inclusive.
public enum EventLimits {
    public static let payloadBytes = 256 * 1024
    public static let stringBytes = 4 * 1024
    /// An id that is part of a row's key: PostgreSQL's index entries end at 2,704 bytes.
    public static let identifierBytes = 1_024
    /// A person's handle (domain.md §0).
    public static let personBytes = 256
    /// A notification's body.
    public static let bodyBytes = 16 * 1024
    public static let pointsPerBatch = 3_000
    /// Ids in one read, removal or audience change; entries in an allow-list.
    public static let listEntries = 1_000
    public static let listedNotificationsPerApp = 10_000
    /// Apps of a user, registered or only named by an event.
    public static let appsPerUser = 1_000
    /// Focuses of a user, removed ones included: their stamps are kept (rule F1).
    public static let focusesPerUser = 1_000
    /// Members of an app's audience, removed ones included: their stamps are kept (rule F5).
    public static let audiencePerApp = 10_000
    /// Times of day in a delivery schedule (rule N16).
    public static let summaryTimes = 24
    /// A time zone's name; the longest of the IANA database has 32 bytes.
    public static let timeZoneBytes = 64
    public static let routesPerApp = 10_000
    public static let workoutsPerApp = 10_000
    /// Points logged for one route: more than eleven days at one a second.
    public static let pointsPerRoute = 1_000_000
    /// Ids per app whose read or removal is remembered although they are not listed (rule N7).
    public static let rememberedNotificationsPerApp = 10_000
    /// Keys of an app that have a value, set or registered.
    public static let preferencesPerApp = 1_000
    /// Keys of an app whose reset is remembered; the oldest are evicted.
    public static let rememberedResetsPerApp = 1_000
    /// How many values of a preference may stand one inside the other, the outermost counted (rule D2).
    public static let propertyDepth = 16
    /// A preference's value in its canonical encoding.
    public static let propertyBytes = 64 * 1024
    /// Answers remembered per device and scope (rule E1).
    public static let outcomesPerDevice = 256
    /// Revoked devices of a user of which the log has nothing else (protocol.md, rule A3): no revocation is ever
    /// forgotten.
    public static let revokedUnseenDevices = 1_000
    /// Donated interactions of an app; the oldest are evicted.
    public static let donationsPerApp = 10_000
    /// Deletions remembered per app, of ids and of conversations each (rule I4); the oldest are evicted.
    public static let rememberedDeletionsPerApp = 10_000
    /// People with whom an app has interactions. It is far above one person for each donation that E5 must let in.
    public static let peoplePerApp = 50_000
    /// Actions of a category (rule N1).
    public static let actionsPerCategory = 4
    /// Actions of which an app is still to hear; the oldest leave (rule N20).
    public static let waitingActionsPerApp = 1_000
    /// The bytes of their rows' values, in the same way.
    public static let waitingActionBytesPerApp = 1024 * 1024
    /// Actions that are remembered as handled; the oldest are forgotten (rule N20).
    public static let handledActionsPerApp = 1_000
    /// How far `occurred_at` may be ahead of `recorded_at`, in microseconds (rule E4: exactly this much is accepted).
    public static let clockSkewMicroseconds: Int64 = 5 * 60 * 1_000_000
    /// The earliest `occurred_at`, in microseconds since 1970: 4714-11-24 BC, where PostgreSQL's time begins (rule E4).
    public static let earliestMicroseconds: Int64 = -210_866_803_200_000_000
}
