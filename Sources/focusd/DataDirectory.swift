import Foundation

/// The directory for what must outlive the server: its keys (`KeyDirectory`) and the embedded cluster.
struct DataDirectory {
    let path: String

    /// - Parameter path: the directory; nil: `/var/lib/focusd` for root, else `~/.local/share/focusd`.
    init(path: String?) {
        self.path = path ?? Self.standard
    }

    static var standard: String {
        geteuid() == 0 ? "/var/lib/focusd" : NSHomeDirectory() + "/.local/share/focusd"
    }
}
