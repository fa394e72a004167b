/// Rule A3. Revoked devices are a set that only grows, so it is the same in whatever order events come. It has at most
/// `EventLimits.revokedDevices`, and the memo of each device's row records its revocation.
extension UserState {
    /// Whether the device was revoked: it may neither append nor be told anything.
    public func isRevoked(_ device: DeviceID) -> Bool { !revokedDevices.isEmpty && revokedDevices.contains(device) }

    /// Whether any device was revoked.
    public var hasRevokedDevices: Bool { !revokedDevices.isEmpty }

    func revocationRefusal(_ body: DeviceRevoked) -> Refusal? {
        if body.device == .server { return Refusal(.fieldInvalid, "the nil UUID is the server, which stays") }
        guard revokedDevices.count >= EventLimits.revokedDevices, !isRevoked(body.device) else { return nil }
        return Refusal(.tooMany, "a user has at most \(EventLimits.revokedDevices) revoked devices")
    }

    mutating func applyRevoked(_ body: DeviceRevoked) {
        devices[body.device, default: DeviceRecord(body.device)].isRevoked = true
        revokedDevices.insert(body.device)
        // Rule A3 is about the device, whichever scope uses it, so the unbound history's row records it.
        shared.touch(ScopeHistory(body.device, .unbound).key)
    }
}
