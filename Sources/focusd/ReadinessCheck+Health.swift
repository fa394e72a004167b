import AdminPort
import SyncServer

extension ReadinessCheck {
    /// Milliseconds without a look at the log after which a lane is stuck. A turn of a lane that has much to do takes
    /// less than a second.
    private static let lanePatience: Int64 = 5_000

    /// What must hold for devices to be served, by what the server says of itself.
    static func all(_ health: ServerHealth) -> [ReadinessCheck] {
        let answers = health.sinceAnswer.map { $0 < SyncServer.heartbeatPatience } ?? false
        let looks = health.sinceHeads.map { $0 < lanePatience } ?? false
        return [
            ReadinessCheck(
                "serving", isPassed: !health.isStopping && !health.hasLostListener, detail: serving(health)),
            ReadinessCheck(
                "database", isPassed: answers,
                detail: health.sinceAnswer.map { "answered \($0) ms ago" } ?? "has not answered yet"),
            ReadinessCheck(
                "primary", isPassed: health.isPrimary,
                detail: health.isPrimary ? "writes the log" : "has not proved lately that it writes the log"),
            ReadinessCheck(
                "lanes", isPassed: looks,
                detail: health.sinceHeads.map { "looked at the log \($0) ms ago" } ?? "have not seen the log yet"),
        ]
    }

    private static func serving(_ health: ServerHealth) -> String {
        if health.isStopping { return "stops: nobody is let in" }
        return health.hasLostListener ? "the listener closed, nobody can connect: restart it" : "devices are let in"
    }
}
