/// A certificate for 127.0.0.1 that only the test trusts.
struct TestCertificate {
    let certificate: String
    let key: String

    struct Failure: Error {}

    init(in directory: String) async throws {
        (certificate, key) = (directory + "/cert.pem", directory + "/key.pem")
        let openssl = try ChildProcess(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key,
                "-out", certificate, "-days", "2", "-subj", "/CN=focus-sync test", "-addext",
                "subjectAltName=IP:127.0.0.1",
            ])
        guard await openssl.exitCode() == 0 else { throw Failure() }
    }
}
