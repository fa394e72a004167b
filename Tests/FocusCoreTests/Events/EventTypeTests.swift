import FocusCore
import Testing

@Suite("EventType") struct EventTypeTests {
    @Test("Each type is found by its name, and nothing by any other", arguments: EventType.allCases)
    func name(_ type: EventType) {
        let name = type.rawValue
        #expect(EventType(rawValue: name) == type)
        #expect(EventType(rawValue: name + "x") == nil && EventType(rawValue: String(name.dropLast())) == nil)
        #expect(EventType(rawValue: String(name.dropLast()) + "_") == nil)
    }

    @Test("A name that is empty, or longer than all, is that of no type")
    func lengths() {
        #expect(EventType(rawValue: "") == nil)
        #expect(EventType(rawValue: String(repeating: "x", count: 1_000)) == nil)
    }
}
