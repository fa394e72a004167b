/// A value for each class of device.
public struct ByClass<Value> {
    public var phone: Value
    public var tablet: Value
    public var watch: Value
    public var desktop: Value

    public init(repeating value: Value) {
        phone = value
        tablet = value
        watch = value
        desktop = value
    }

    public subscript(deviceClass: DeviceClass) -> Value {
        get {
            switch deviceClass {
            case .phone: phone
            case .tablet: tablet
            case .watch: watch
            case .desktop: desktop
            }
        }
        set {
            switch deviceClass {
            case .phone: phone = newValue
            case .tablet: tablet = newValue
            case .watch: watch = newValue
            case .desktop: desktop = newValue
            }
        }
    }
}

extension ByClass: Equatable where Value: Equatable {}
extension ByClass: Hashable where Value: Hashable {}
extension ByClass: Sendable where Value: Sendable {}

extension DeviceClass {
    /// The classes that follow the phone until they have settings of their own (rule N15).
    public static let followers: [DeviceClass] = [.tablet, .watch, .desktop]

    /// Its number in messages, from 1.
    public var number: Int32 {
        switch self {
        case .phone: 1
        case .tablet: 2
        case .watch: 3
        case .desktop: 4
        }
    }

    /// Nil when no class has the number.
    public init?(number: Int64) {
        guard let found = Self.allCases.first(where: { Int64($0.number) == number }) else { return nil }
        self = found
    }
}
