extension Timestamp {
    /// `2026-01-01T09:00:00.000001Z` (RFC 3339), always with six digits, so that texts sort as times do. Years outside
    /// 0000–9999 are written as a count of microseconds.
    public var rfc3339: String {
        var text: [UInt8] = []
        text.reserveCapacity(27)
        appendRFC3339(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the characters of `rfc3339`.
    public func appendRFC3339(to text: inout [UInt8]) {
        let micros = microseconds % 1_000_000
        let fraction = micros < 0 ? micros + 1_000_000 : micros
        let seconds = microseconds / 1_000_000 - (micros < 0 ? 1 : 0)
        let second = seconds % 86_400
        let ofDay = second < 0 ? second + 86_400 : second
        let (year, month, day) = CivilDate(daysSince1970: (seconds - ofDay) / 86_400).parts
        guard (0...9_999).contains(year) else { return text.append(contentsOf: "\(microseconds) µs".utf8) }
        // Behind each number stands what separates it from the next.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 27) { characters in
            Self.write(year, 0..<4, "-", to: characters)
            Self.write(month, 5..<7, "-", to: characters)
            Self.write(day, 8..<10, "T", to: characters)
            Self.write(ofDay / 3_600, 11..<13, ":", to: characters)
            Self.write(ofDay / 60 % 60, 14..<16, ":", to: characters)
            Self.write(ofDay % 60, 17..<19, ".", to: characters)
            Self.write(fraction, 20..<26, "Z", to: characters)
            text.append(contentsOf: characters)
        }
    }

    /// Reads a time as RFC 3339 and XML Schema's `dateTime` write it: `2010-10-03T09:36:30Z`, with a fraction of any
    /// length (rounded to microseconds), and an offset such as `+02:00` instead of `Z`, or neither, which means UTC. A
    /// leap second is the second after it. Nil for anything else.
    ///
    /// Whole numbers throughout: a fraction of a second as a floating-point number would sometimes be off by a
    /// microsecond, and rule R3 distinguishes microseconds.
    public init?(rfc3339 text: String) {
        var scanner = Scanner(rest: Array(text.utf8)[...])
        guard let year = scanner.number(4), scanner.skip("-"), let month = scanner.number(2), scanner.skip("-"),
            let day = scanner.number(2), scanner.skip("T") || scanner.skip("t") || scanner.skip(" "),
            let hour = scanner.number(2), scanner.skip(":"), let minute = scanner.number(2), scanner.skip(":"),
            let second = scanner.number(2), let fraction = scanner.fraction(), let offset = scanner.offset(),
            scanner.rest.isEmpty,
            (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year), minute < 60, second <= 60,
            hour < 24 || (hour == 24 && minute == 0 && second == 0 && fraction == 0)
        else { return nil }
        let days = CivilDate(year: year, month: month, day: day).daysSince1970
        let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - offset
        self.init(microseconds: seconds * 1_000_000 + fraction)
    }

    /// Writes the last digits of a number that is not negative at those places, and what follows them.
    private static func write(
        _ number: Int64, _ places: Range<Int>, _ end: Unicode.Scalar, to characters: UnsafeMutableBufferPointer<UInt8>
    ) {
        var rest = number
        for place in places.reversed() {
            characters[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        characters[places.upperBound] = UInt8(ascii: end)
    }

    private static func days(in month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private struct Scanner {
        var rest: ArraySlice<UInt8>

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest.removeFirst()
            return true
        }

        mutating func number(_ digits: Int) -> Int64? {
            guard rest.count >= digits else { return nil }
            var number: Int64 = 0
            for _ in 0..<digits {
                guard let digit = digit() else { return nil }
                number = number * 10 + digit
            }
            return number
        }

        private mutating func digit() -> Int64? {
            guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            rest.removeFirst()
            return Int64(byte - UInt8(ascii: "0"))
        }

        /// Microseconds; 0 when there is no fraction, nil when it has no digits.
        mutating func fraction() -> Int64? {
            guard skip(".") || skip(",") else { return 0 }
            guard var microseconds = digit() else { return nil }
            for _ in 0..<5 { microseconds = microseconds * 10 + (digit() ?? 0) }
            if let next = digit(), next >= 5 { microseconds += 1 }
            while digit() != nil {}
            return microseconds
        }

        /// Seconds east of UTC.
        mutating func offset() -> Int64? {
            if rest.isEmpty || skip("Z") || skip("z") { return 0 }
            let isEast = skip("+")
            guard isEast || skip("-"), let hours = number(2), hours <= 14 else { return nil }
            _ = skip(":")
            guard let minutes = number(2), minutes < 60 else { return nil }
            return (isEast ? 1 : -1) * (hours * 3_600 + minutes * 60)
        }
    }
}
