import Testing

@testable import Answers

@Suite struct NumberTextTests {
    @Test("A number that no integer holds is written as it is", arguments: [1e300, -1e19, .infinity, -.infinity])
    func beyond(number: Double) {
        #expect(NumberText.whole(number) == "\(number)")
    }

    @Test("Whole numbers are rounded, and zero has no sign")
    func whole() {
        #expect(NumberText.whole(1_234.5) == "1235" && NumberText.whole(-0.3) == "0")
        #expect(NumberText.whole(.nan) == "nan")
    }

    @Test("Decimals are rounded to the digits that are asked for")
    func decimal() {
        #expect(NumberText.decimal(2.345_6, 2) == "2.35" && NumberText.decimal(2, 1) == "2.0")
    }
}
