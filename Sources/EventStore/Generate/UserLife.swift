import FocusCore

/// One user of a generated log: their devices, their apps, and what they have done so far. Makes what a device sends
/// next; the fold decides whether it is accepted.
struct UserLife: Sendable {
    struct Device: Sendable {
        var id: DeviceID
        var incarnation: Incarnation
        var sequence = DeviceSequence.zero
        /// When its last event happened: a device does not go back in time.
        var lastOccurred: Timestamp
    }

    /// An event that a device is to send.
    struct Draft: Sendable {
        var app: AppID?
        var body: EventBody
    }

    /// An app of the user, and the numbers of its notifications, which are their ids.
    struct Posted: Sendable {
        var app: AppCatalogue.App
        var newest = 0
        /// Notifications up to this number were removed.
        var removed = 0
        var donated = 0
        /// False when the user denied notifications: the app then tries only now and then.
        var mayNotify = true
        var mayAdvertise = false
    }

    let share: LogPlan.Share
    var random: PlanRandom
    let zone: (name: String, hours: Int)
    private let rhythm: WeekRhythm
    private(set) var devices: [Device]
    var apps: [Posted]
    var isSetUp = false
    var routes = 0
    var isFocused = false
    /// 0…1: how much of what the user will do is done.
    private var activity = 0.0
    /// Events still to be logged of the user.
    var remaining: Int

    init(_ share: LogPlan.Share, _ plan: LogPlan, zone: (String, Int), rhythm: WeekRhythm) {
        self.share = share
        var random = plan.random(of: share.rank, stream: 1)
        self.zone = zone
        self.rhythm = rhythm
        remaining = share.events
        devices = (0..<1 + random.below(4)).map { _ in
            Device(
                id: DeviceID(random.uuid()), incarnation: Incarnation(Int64(random.next() >> 1)),
                lastOccurred: plan.start)
        }
        // Every user has the first three apps.
        let count = 3 + random.below(4)
        var slots = Array(0..<3) + Array(3..<AppCatalogue.apps.count).shuffled(using: &random).prefix(count - 3)
        slots.sort()
        apps = slots.map { Posted(app: AppCatalogue.apps[$0]) }
        self.random = random
        activity = random.unit() / Double(max(2, share.events))
    }

    /// When something of the user arrives next.
    var arrival: Timestamp { rhythm.moment(at: activity) }

    /// Goes on to the next arrival, after a frame of `count` events: what remains spreads over the time that remains.
    mutating func advance(past count: Int) {
        let share = min(1, Double(count) / Double(max(1, remaining + count)))
        activity += (1 - activity) * share * 2 * random.unit()
        activity = min(activity, 0.999_999)
    }

    /// Which device sends what arrives at `arrival`, and when its first event happened.
    mutating func chooseDevice(_ arrival: Timestamp) -> (device: Int, occurred: Timestamp) {
        // The first device is the one in the pocket, and sends the most.
        let device = random.chance(7, of: 10) ? 0 : random.below(devices.count)
        let second: Int64 = 1_000_000
        let late: Int64 =
            switch random.below(100) {
            case 0: Int64(random.below(72 * 3_600)) * second
            case 1...8: Int64(random.below(4 * 3_600)) * second
            default: Int64(random.below(2_000)) * 1_000
            }
        let occurred = max(arrival.adding(microseconds: -late), devices[device].lastOccurred)
        if random.chance(1, of: 2_000) {
            // Restored from a backup: the same device, another local store (rule E1).
            devices[device].incarnation = Incarnation(Int64(random.next() >> 1))
            devices[device].sequence = .zero
        }
        return (device, min(occurred, arrival))
    }

    /// Assigns the device's next sequence to an event that happened at `time`.
    mutating func nextSequence(of device: Int, at time: Timestamp) -> DeviceSequence {
        devices[device].sequence = devices[device].sequence.next
        devices[device].lastOccurred = max(devices[device].lastOccurred, time)
        return devices[device].sequence
    }
}
