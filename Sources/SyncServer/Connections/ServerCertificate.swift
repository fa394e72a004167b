import NIOCore
import NIOSSL

/// The server's certificate with its key, as new connections get them.
struct ServerCertificate: Sendable {
    let context: NIOSSLContext
    /// When the first certificate of the chain ends, in seconds since 1970.
    let end: Int

    /// Nil for plaintext. Throws `SyncServerError.unusableCertificate`.
    init?(_ security: SyncServerConfiguration.Security) throws(SyncServerError) {
        guard case .tls(let certificateFile, let keyFile) = security else { return nil }
        let chain: [NIOSSLCertificate]
        do {
            chain = try NIOSSLCertificate.fromPEMFile(certificateFile)
        } catch {
            throw .unusableCertificate(certificateFile, reason: "it holds no certificate in PEM that can be read")
        }
        guard let first = chain.first else {
            throw .unusableCertificate(certificateFile, reason: "it holds no certificate in PEM")
        }
        let key: NIOSSLPrivateKey
        do {
            key = try NIOSSLPrivateKey(file: keyFile, format: .pem)
        } catch {
            throw .unusableCertificate(keyFile, reason: "it holds no key in PEM that can be read")
        }
        end = Int(clamping: first.notValidAfter)
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        tls.minimumTLSVersion = .tlsv13
        tls.applicationProtocols = ["focus-sync/1"]
        // A device that is gone does not answer the end of TLS, and a server that stops waits for it (rule G1).
        tls.shutdownTimeout = .seconds(1)
        do {
            context = try NIOSSLContext(configuration: tls)
        } catch {
            throw .unusableCertificate(keyFile, reason: "it is not the key of \(certificateFile)")
        }
    }
}
