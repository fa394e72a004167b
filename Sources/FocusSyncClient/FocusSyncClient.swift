/// A device's side of the sync protocol: what a person does is stored on the device first and reaches the log exactly
/// once, and what the user's other devices did comes back as rows. The library is separate from the server so that apps
/// can link it.
///
/// Flow: `EventDraft` → `DeviceStore` (queue) → `ClientSession` → `SyncConnection` → server; server → `SyncConnection`
/// → `ClientSession` → `DeviceStore` (rows and cursor in one transaction) → `SyncUpdate`.
public enum FocusSyncClient {
    /// Versions of the sync protocol that this library speaks.
    public static let protocolVersions: ClosedRange<UInt32> = 1...2
}
