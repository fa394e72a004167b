import ArgumentParser
import EventStore
import FocusCore
import Foundation

/// Where past states are cached.
struct CacheOptions: ParsableArguments {
    @Option(help: "Directory for states of the past, at most 1 GiB for all logs. Default: ~/.cache/focusctl/states.")
    var cache: String?
    @Flag(help: "Fold from the first event on, and cache nothing.")
    var noCache = false

    func validate() throws {
        if cache != nil, noCache { throw ValidationError("Either --cache or --no-cache.") }
    }

    /// The cache of a log's states; nil: `--no-cache` was given.
    func cache(of log: LogID) -> StateCache? {
        guard !noCache else { return nil }
        let home = ProcessInfo.processInfo.environment["XDG_CACHE_HOME"] ?? NSHomeDirectory() + "/.cache"
        return StateCache(directory: cache ?? "\(home)/focusctl/states", log: log)
    }
}
