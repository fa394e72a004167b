import Support
import Testing

/// A server's certificate for loopback, which a device that trusts it accepts, and its key.
struct TLSFiles {
    var certificate: String
    var key: String

    static func make(in directory: String) async throws -> TLSFiles {
        let files = TLSFiles(certificate: directory + "/cert.pem", key: directory + "/key.pem")
        let openssl = try ChildProcess(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
                files.key, "-out", files.certificate, "-days", "2", "-subj", "/CN=focus-sync test", "-addext",
                "subjectAltName=IP:127.0.0.1",
            ])
        try #require(await openssl.exitCode() == 0)
        return files
    }
}
