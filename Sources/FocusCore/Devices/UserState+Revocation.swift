/// Rule A3. Revoked devices are a set that only grows, so it is the same in whatever order events come. The memo of each
/// device's row records its revocation.
extension UserState {
    /// Whether the device was revoked: it may neither append nor be told anything.
    public func isRevoked(_ device: DeviceID) -> Bool { !revokedDevices.isEmpty && revokedDevices.contains(device) }

    /// Whether any device was revoked.
    public var hasRevokedDevices: Bool { !revokedDevices.isEmpty }

    /// Whether the log has an event of the device, or one that begins an incarnation of it.
    private func hasSeen(_ device: DeviceID) -> Bool { devices[device]?.incarnations.isEmpty == false }

    /// Only ids that nobody has seen are bounded: a stolen device that revokes invented ones keeps nobody from revoking
    /// the stolen device.
    /// - Parameter isConnected: whether a device that has appended nothing has a session. It is known by that.
    func revocationRefusal(_ body: DeviceRevoked, isConnected: (DeviceID) -> Bool) -> Refusal? {
        if body.device == .server { return Refusal(.fieldInvalid, "the nil UUID is the server, which stays") }
        guard revokedUnseen.count >= EventLimits.revokedUnseenDevices, !isRevoked(body.device), !hasSeen(body.device),
            !isConnected(body.device)
        else { return nil }
        return Refusal(
            .tooMany, "a user has at most \(EventLimits.revokedUnseenDevices) revoked devices that were never seen")
    }

    mutating func applyRevoked(_ body: DeviceRevoked) {
        devices[body.device, default: DeviceRecord(body.device)].isRevoked = true
        insertRevoked(body.device)
        if shared.activity.remove(body.device) { shared.touch(RowKey(.deviceActivity)) }
        // Rule A3 is about the device, whichever scope uses it, so the unbound history's row records it.
        shared.touch(ScopeHistory(body.device, .unbound).key)
    }

    mutating func insertRevoked(_ device: DeviceID) {
        revokedDevices.insert(device)
        if !hasSeen(device) { revokedUnseen.insert(device) }
    }

    /// Records that the log has something of the device.
    mutating func markSeen(_ device: DeviceID) {
        if !revokedUnseen.isEmpty { revokedUnseen.remove(device) }
    }
}
