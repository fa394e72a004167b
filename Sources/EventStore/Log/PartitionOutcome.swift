/// What became of one partition's events.
public enum PartitionOutcome: Hashable, Sendable {
    /// The events are durable. `generation` is the active generation of the read model.
    case committed(generation: Int32)
    /// The partition ends elsewhere, so none of them was written: read what is new, fold again, try again.
    case behind
}
