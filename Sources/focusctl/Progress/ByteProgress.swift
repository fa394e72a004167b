import Foundation

/// Shows on standard error how far the copying of many bytes is, in MB.
final class ByteProgress {
    private let what: String
    private var display: ProgressDisplay?

    init(_ what: String) { self.what = what }

    func show(_ done: Int, _ total: Int) {
        let megabyte = 1_048_576
        if display == nil { display = ProgressDisplay(total: max(1, total / megabyte), of: "MB \(what)") }
        display?.show(done / megabyte)
    }

    func clear() { display?.clear() }
}
