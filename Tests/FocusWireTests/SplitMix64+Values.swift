import SeededNumbers

extension SplitMix64 {
    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) } }

    /// A random number of either sign and of any varint length.
    mutating func int() -> Int64 { Int64(bitPattern: next()) >> Int64.random(in: 0...63, using: &self) }

    mutating func text() -> String {
        let letters: [Character] = ["a", "Z", "0", ".", " ", "\"", "\\", "é", "ü", "\n", "漢", "🏃", "\u{0}"]
        return String(
            (0..<Int.random(in: 0...20, using: &self)).map { _ in letters.randomElement(using: &self) ?? "a" })
    }

    mutating func maybe<T>(_ make: (inout SplitMix64) -> T) -> T? { Bool.random(using: &self) ? make(&self) : nil }
}
