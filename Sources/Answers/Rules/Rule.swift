/// A rule of the product, as `Schema/rules` defines it. Comments, tests, `explain` and refusals name rules; this type
/// finds the rule that a name means.
package struct Rule {
    /// The document that defines it: `Schema/rules/domain.md` or `protocol.md`.
    package enum Document: String, CaseIterable { case domain, `protocol` }

    /// A letter and a number, unique in both documents: `P2`.
    package let name: String
    package let title: String
    package let document: Document
    package let section: String
    /// Markdown.
    package let text: String

    /// The rule that `name` names, in any case; a part of a rule (`N9.4`) names the rule.
    package init?(named name: String) {
        let whole = name.prefix { $0 != "." }.uppercased()
        guard let found = Self.all.first(where: { $0.name == whole }) else { return nil }
        self = found
    }

    init(name: String, title: String, document: Document, section: String, text: String) {
        self.name = name
        self.title = title
        self.document = document
        self.section = section
        self.text = text
    }
}
