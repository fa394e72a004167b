/// What a lane counts as work beside the fold (`UserState.work`), in units of about a microsecond of a processor of
/// 2024. Work is counted and not timed, so that equal requests are served in the same order wherever they come.
///
/// The factors are estimates for an optimized build: what the lane does for it, and what PostgreSQL does on the same
/// machine.
enum Work {
    /// A frame, whatever becomes of it.
    static let frame = 10
    /// How much work of one dear event makes its device rest for a millisecond: such events take a hundredth of the
    /// lane's time. Writing their rows to the read model and to disk, and sending them, takes several times as much, and
    /// a machine has to bear some such devices at once.
    static let perRestMillisecond = 10
    /// A frame that asks the log what stands at its places, which takes one or two statements beside the lane.
    static let lookUp = 200
    /// A place that is looked up.
    static let place = 4
    /// An event of a user's stream that is looked through for a place which no page names.
    static let scanned = 1
    /// A user who is loaded into memory, beside their bytes, or looked up.
    static let load = 500
    /// A step of reading a finished route: a dozen stretches of 256 points, read and measured.
    static let fetchStep = 3_000
    /// A question whether a message would reach another user (rule F6): who may know, and rule N9 for each class.
    static let reach = 20
    /// An event that is there already, and compared with what was logged.
    static let comparison = 5
    /// An event that is judged, logged and answered.
    static let event = 15
    /// A row that it changed, which is sent to devices and written to the read model.
    static let row = 4
    /// Bytes of payload in one unit.
    static let bytesPerUnit = 128
}
