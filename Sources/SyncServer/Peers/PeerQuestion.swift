import FocusCore

/// A session's question whether a message would reach a user (rule F6), on its way through the lane that owns that
/// user's partition.
struct PeerQuestion: Sendable {
    var handle: SessionHandle
    var viewer: Viewer
    /// The id of the fetch.
    var request: UInt64
    var question: ReachQuestion

    init(_ handle: SessionHandle, _ viewer: Viewer, request: UInt64, _ question: ReachQuestion) {
        self.handle = handle
        self.viewer = viewer
        self.request = request
        self.question = question
    }
}
