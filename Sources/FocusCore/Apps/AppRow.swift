/// A registered app, as devices see it (collection `apps`).
public struct AppRow: RowMessage {
    public var registration: AppRegistered

    public init(_ registration: AppRegistered) { self.registration = registration }

    public var encoded: [UInt8] {
        var writer = ProtoWriter()
        writer.string(1, registration.name)
        writer.int(2, registration.build)
        for number in registration.declaredIntents.map(\.rawValue).sorted() { writer.int(3, Int64(number)) }
        for number in registration.capabilities.map(\.rawValue).sorted() { writer.int(4, Int64(number)) }
        writer.optionalString(5, registration.focusStatusUsageDescription)
        return writer.bytes
    }

    public init(decoding bytes: [UInt8]) throws(ProtoError) {
        var reader = ProtoReader(bytes)
        registration = AppRegistered(name: "", build: 0)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: registration.name = try value.string()
            case 2: registration.build = try value.int()
            case 3: registration.declaredIntents.insert(try value.member(of: DeclaredIntent.self))
            case 4: registration.capabilities.insert(try value.member(of: AppCapability.self))
            case 5: registration.focusStatusUsageDescription = try value.string()
            default: break
            }
        }
    }
}
