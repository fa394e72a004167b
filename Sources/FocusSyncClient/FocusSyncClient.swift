/// A device's side of the sync protocol: what a person did is kept on the device first, reaches the log exactly once,
/// and what the user's other devices did comes back as rows. Kept apart from the server so that apps can link it.
///
/// Flow: `EventDraft` → `DeviceStore` (queue) → `ClientSession` → `SyncConnection` → server; server →
/// `SyncConnection` → `ClientSession` → `DeviceStore` (rows and cursor in one transaction) → `SyncUpdate`.
public enum FocusSyncClient {
    /// Versions of the sync protocol that this library speaks.
    public static let protocolVersions: ClosedRange<UInt32> = 1...2
}
