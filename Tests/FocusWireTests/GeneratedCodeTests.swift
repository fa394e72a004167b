import Support
import Testing

@Suite("Generated code")
struct GeneratedCodeTests {
    @Test("Schema, the generated Swift and the catalogue do not drift apart (else run ops/generate)")
    func drift() throws {
        let (status, errors) = try Checkout.run(["ops/generate", "--check"])
        #expect(status == 0, "\(errors)")
    }
}
