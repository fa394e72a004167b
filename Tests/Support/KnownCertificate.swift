import Foundation

/// A certificate for 127.0.0.1 and its key, which anybody may know. Nobody trusts it, so a test's device checks nothing.
public struct KnownCertificate {
    /// PEM files in a directory of their own, which the caller removes.
    public let directory: String
    public let certificate: String
    public let key: String

    public init() throws {
        directory = try TestDirectory.make()
        (certificate, key) = (directory + "/cert.pem", directory + "/key.pem")
        try Self.chainText.write(toFile: certificate, atomically: true, encoding: .utf8)
        try Self.keyText.write(toFile: key, atomically: true, encoding: .utf8)
    }

    private static let keyText = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgfq4m90kEN/b4lYfL
        /9NE+R/vjxuQ9dRg1frPPB+SDxKhRANCAAQfKWeVmFH67dXgzcwFNUUv4iIeZ0wk
        3PSIJOKKcdJeUwWv2xzVaxlxTpYX4vzHdTk2YCRtNsNdXj4RRuMlyZXJ
        -----END PRIVATE KEY-----
        """

    /// Ends in the year 2126.
    private static let chainText = """
        -----BEGIN CERTIFICATE-----
        MIIBnDCCAUKgAwIBAgIUBGavbqupe94O5GJ7cAThs++l3nowCgYIKoZIzj0EAwIw
        GjEYMBYGA1UEAwwPZm9jdXMtc3luYyB0ZXN0MCAXDTI2MTEyODEzMTc1MFoYDzIx
        MjYxMTA0MTMxNzUwWjAaMRgwFgYDVQQDDA9mb2N1cy1zeW5jIHRlc3QwWTATBgcq
        hkjOPQIBBggqhkjOPQMBBwNCAAQfKWeVmFH67dXgzcwFNUUv4iIeZ0wk3PSIJOKK
        cdJeUwWv2xzVaxlxTpYX4vzHdTk2YCRtNsNdXj4RRuMlyZXJo2QwYjAdBgNVHQ4E
        FgQULMamLIJAXVihAAWO5f2FZr6LsxkwHwYDVR0jBBgwFoAULMamLIJAXVihAAWO
        5f2FZr6LsxkwDwYDVR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqG
        SM49BAMCA0gAMEUCICiUw9XKKDi/VkPhzvAd0JnpJOMAptxxBNuedOw5DOYZAiEA
        5GVuLdZKTaJ+StUd91Az5TjnobcR6tR4SeI8jYTAkmc=
        -----END CERTIFICATE-----
        """
}
