import ArgumentParser

/// An amount of memory as people write it: `512MiB`, `2GiB`, or bytes.
struct MemorySize: ExpressibleByArgument, Hashable {
    let bytes: Int

    init(bytes: Int) { self.bytes = bytes }

    /// Nil for anything but a number without a sign, alone or with a unit, that makes less than 8 EiB.
    init?(argument: String) {
        let unit = Self.units.first { argument.hasSuffix($0.name) }
        let digits = argument.dropLast(unit?.name.count ?? 0)
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(digits) else {
            return nil
        }
        let (bytes, isTooLarge) = number.multipliedReportingOverflow(by: unit?.bytes ?? 1)
        guard !isTooLarge else { return nil }
        self.bytes = bytes
    }

    var defaultValueDescription: String {
        Self.units.last { bytes.isMultiple(of: $0.bytes) && bytes > 0 }.map { "\(bytes / $0.bytes)\($0.name)" }
            ?? "\(bytes)"
    }

    private static let units = [
        (name: "KiB", bytes: 1 << 10), (name: "MiB", bytes: 1 << 20), (name: "GiB", bytes: 1 << 30),
    ]
}
