/// The memo of a row in `notification_settings`: every register with its stamp, of the four classes (fields 1 to 4),
/// and the mutes (field 5).
enum SettingsMemo {
    static func bytes(_ table: SettingsTable, _ mutes: MuteHistory) -> [UInt8] {
        guard table.isWritten || mutes.isWritten else { return [] }
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
        return writer.bytes
    }

    static func read(_ memo: [UInt8]) throws(ProtoError) -> (SettingsTable, MuteHistory) {
        var (table, mutes) = (SettingsTable(), MuteHistory())
        var reader = ProtoReader(memo)
        while let (field, value) = try reader.next() {
            if let deviceClass = DeviceClass(number: Int64(field)) {
                table[deviceClass] = try ClassSettings(memo: value.bytes())
            } else if field == 5 {
                let (until, stamp) = try mute(value.bytes())
                _ = mutes.write(until, stamp)
            }
        }
        return (table, mutes)
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
