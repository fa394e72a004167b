extension [UInt8] {
    /// Appends the decimal digits of a number, after its sign.
    mutating func append<Number: FixedWidthInteger>(decimal number: Number) {
        if number < 0 { append(UInt8(ascii: "-")) }
        // A digit stands for more than three bits.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Number.bitWidth / 3 + 1) { digits in
            var first = digits.count
            var rest = number.magnitude
            repeat {
                first -= 1
                digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            append(contentsOf: digits[first...])
        }
    }
}
