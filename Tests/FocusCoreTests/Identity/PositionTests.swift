import FocusCore
import Testing

@Suite("Position") struct PositionTests {
    @Test("E1: counting on from any 64 bits ends at their ends", arguments: [Int64.min, -1, 0, .max - 1, .max])
    func ends(_ value: Int64) {
        #expect(DeviceSequence(value).next == DeviceSequence(value == .max ? .max : value + 1))
        for steps in [Int.min, -2, -1, 0, 1, 1_000, .max] {
            let (sum, overflow) = value.addingReportingOverflow(Int64(steps))
            let expected = overflow ? (steps > 0 ? Int64.max : .min) : sum
            #expect(Version(value).advanced(by: steps) == Version(expected))
            #expect(LogOffset(value).advanced(by: steps).rawValue == expected)
        }
    }
}
