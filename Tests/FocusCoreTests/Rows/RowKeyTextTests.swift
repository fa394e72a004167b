import Testing

@testable import FocusCore

@Suite("RowKey in texts") struct RowKeyTextTests {
    @Test("An error that names a row does not name the person, or the message, that its key is")
    func personal() {
        let key = RowKey(.suggestions, app: .chat, key: "anna@example.com")
        for text in [
            "\(key)", "\(FoldError.corruptRow(key))", "\([key])", String(reflecting: FoldError.corruptRow(key)),
            String(describing: key as RowKey?),
        ] {
            #expect(!text.contains("anna"), "\(text)")
            #expect(text.contains("suggestions") && text.contains("com.example.chat"), "\(text)")
        }
        #expect("\(RowKey(.activeFocus))".contains("active_focus"))
    }
}
