import Testing

@testable import focusd

@Suite("Allocator") struct AllocatorTests {
    @Test(
        "Freed memory is kept where the system does not overcommit (2) or does not say so",
        arguments: [("0", true), ("1", true), ("2", false), (nil, false)] as [(String?, Bool)])
    func overcommit(text: String?, isGivenBack: Bool) {
        #expect(Allocator.canGiveBack(overcommit: text) == isGivenBack)
    }
}
