/// The memo of a row in `notification_settings`: every register with its stamp, of the four classes (fields 1 to 4),
/// the mutes (field 5), and the switch that silences all apps (field 6).
struct SettingsMemo {
    var table = SettingsTable()
    var mutes = MuteHistory()
    var silence: Register<Bool>?

    var bytes: [UInt8] {
        var writer = ProtoWriter()
        if table.isWritten {
            for deviceClass in DeviceClass.allCases {
                writer.message(Int(deviceClass.number)) { table[deviceClass].write(to: &$0) }
            }
        }
        for write in mutes.writes {
            writer.message(5) {
                $0.stamp(1, write.stamp)
                $0.presentInt(2, write.value?.microseconds)
            }
        }
        if let silence {
            writer.message(6) {
                $0.stamp(1, silence.stamp)
                $0.bool(2, silence.value)
            }
        }
        return writer.bytes
    }

    init(_ table: SettingsTable, _ mutes: MuteHistory = MuteHistory(), silence: Register<Bool>? = nil) {
        (self.table, self.mutes, self.silence) = (table, mutes, silence)
    }

    init(reading memo: [UInt8]) throws(ProtoError) {
        var reader = ProtoReader(memo)
        while let (field, value) = try reader.next() {
            if let deviceClass = DeviceClass(number: Int64(field)) {
                table[deviceClass] = try ClassSettings(memo: value.bytes())
            } else if field == 5 {
                let (until, stamp) = try Self.mute(value.bytes())
                _ = mutes.write(until, stamp)
            } else if field == 6 {
                silence = try Self.silence(value.bytes())
            }
        }
    }

    private static func silence(_ bytes: ArraySlice<UInt8>) throws(ProtoError) -> Register<Bool> {
        var reader = ProtoReader(bytes)
        var (stamp, isSilenced): (Stamp?, Bool) = (nil, false)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: stamp = try value.stamp()
            case 2: isSilenced = try value.bool()
            default: break
            }
        }
        guard let stamp else { throw .malformed }
        return Register(isSilenced, stamp)
    }

    private static func mute(_ bytes: ArraySlice<UInt8>) throws(ProtoError) -> (Timestamp?, Stamp) {
        var reader = ProtoReader(bytes)
        var (stamp, until): (Stamp?, Timestamp?)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: stamp = try value.stamp()
            case 2: until = try value.timestamp()
            default: break
            }
        }
        guard let stamp else { throw .malformed }
        return (until, stamp)
    }
}

extension ClassSettings {
    fileprivate func write(to writer: inout ProtoWriter) {
        writer.register(1, alerts)
        writer.register(2, badges)
        writer.register(3, sounds)
        writer.register(4, previews)
        writer.register(5, timeSensitive)
        writer.register(6, scheduledDelivery)
    }

    fileprivate init(memo: ArraySlice<UInt8>) throws(ProtoError) {
        var reader = ProtoReader(memo)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: alerts = try value.register()
            case 2: badges = try value.register()
            case 3: sounds = try value.register()
            case 4: previews = try value.register()
            case 5: timeSensitive = try value.register()
            case 6: scheduledDelivery = try value.register()
            default: break
            }
        }
    }
}

extension ProtoWriter {
    fileprivate mutating func register<Choice: RawRepresentable<Int32>>(_ field: Int, _ register: Register<Choice>?) {
        guard let register else { return }
        message(field) {
            $0.stamp(1, register.stamp)
            $0.int(2, Int64(register.value.rawValue))
        }
    }
}

extension ProtoValue {
    fileprivate func register<Choice: RawRepresentable<Int32>>() throws(ProtoError) -> Register<Choice> {
        var reader = ProtoReader(try bytes())
        var (stamp, choice): (Stamp?, Choice?)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: stamp = try value.stamp()
            case 2: choice = try value.member(of: Choice.self)
            default: break
            }
        }
        guard let stamp, let choice else { throw .malformed }
        return Register(choice, stamp)
    }
}
