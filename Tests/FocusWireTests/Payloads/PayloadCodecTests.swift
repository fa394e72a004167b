import FocusCore
import SeededNumbers
import Testing

@testable import FocusWire

@Suite("PayloadCodec")
struct PayloadCodecTests {
    @Test("every event type survives its bytes and its JSON", arguments: EventType.allCases)
    func roundTrip(_ type: EventType) throws {
        for body in [try SampleEvents.full(type), SampleEvents.bare(type)] {
            #expect(body.type == type)
            try expectRoundTrip(body)
        }
    }

    @Test("a default that was said is not a default that was left out", arguments: SampleEvents.presentDefaults)
    func presence(_ body: EventBody) throws { try expectRoundTrip(body) }

    private func expectRoundTrip(_ body: EventBody) throws {
        let payload = PayloadCodec.encode(body)
        #expect(try PayloadCodec.decode(body.type, schemaVersion: 1, payload) == body)
        #expect(try PayloadCodec.generated(body.type, payload) == body)
        let json = try PayloadCodec.json(body.type, schemaVersion: 1, payload)
        #expect(try PayloadCodec.payload(body.type, json: json) == payload, "\(json)")
        #expect(!json.contains("\n"))
    }

    @Test("the direct decoder reads what the generated one reads", arguments: [UInt64](1...200))
    func directAgrees(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let body = random.event()
        let payload = PayloadCodec.encode(body)
        #expect(payload.withUnsafeBytes { EventBody.direct(body.type, $0) } == body, "seed \(seed)")
        #expect(try PayloadCodec.generated(body.type, payload) == body, "seed \(seed)")
    }

    @Test("damaged payloads are judged alike by both decoders, and never trap", arguments: [UInt64](1...300))
    func damaged(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let type = try #require(EventType.allCases.randomElement(using: &random))
        var payload = PayloadCodec.encode(try SampleEvents.full(type))
        for _ in 0..<Int.random(in: 1...4, using: &random) where !payload.isEmpty {
            switch Int.random(in: 0...2, using: &random) {
            case 0: payload.removeLast(Int.random(in: 1...payload.count, using: &random))
            case 1:
                payload[Int.random(in: 0..<payload.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            default: payload.append(contentsOf: random.bytes(3))
            }
        }
        expectAgreement(type, payload, seed)
    }

    private func expectAgreement(_ type: EventType, _ payload: [UInt8], _ seed: UInt64) {
        let (ours, generated) = (
            Result { try PayloadCodec.decode(type, schemaVersion: 1, payload) },
            Result { try PayloadCodec.generated(type, payload) }
        )
        switch (ours, generated) {
        // Compares bytes, because a NaN does not equal itself.
        case (.success(let a), .success(let b)):
            #expect(PayloadCodec.encode(a) == PayloadCodec.encode(b), "seed \(seed)")
        case (.failure, .failure): break
        case (.success, .failure), (.failure, .success): Issue.record("they differ: \(type) \(payload), seed \(seed)")
        }
    }

    @Test(
        "random bytes are judged alike by both decoders and never trap; what is an event has JSON",
        arguments: [UInt64](1...50))
    func random(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for type in EventType.allCases {
            let bytes = random.bytes(Int.random(in: 0...64, using: &random))
            expectAgreement(type, bytes, seed)
            let isEvent = (try? PayloadCodec.decode(type, schemaVersion: 1, bytes)) != nil
            let json = try? PayloadCodec.json(type, schemaVersion: 1, bytes)
            #expect(json != nil || !isEvent, "seed \(seed), \(type)")
            let generated = (try? PayloadCodec.generatedJSON(type, bytes)).map { String(decoding: $0, as: UTF8.self) }
            #expect(json == generated, "seed \(seed), \(type)")
        }
    }

    @Test("JSON made from the bytes is what the generated code makes", arguments: [UInt64](1...200))
    func transcoded(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let body = random.event()
        try expectTranscoded(body.type, PayloadCodec.encode(body), "seed \(seed)")
    }

    @Test("Every character is written in JSON as the generated code writes it")
    func transcodedCharacters() throws {
        for value in [UInt32](0..<0x180) + [0x2028, 0xFFFF, 0x1F600, 0x10FFFF] {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let body = EventBody.notificationPosted(NotificationPosted(notificationID: "a\(scalar)z", body: "\(scalar)"))
            try expectTranscoded(body.type, PayloadCodec.encode(body), "U+\(String(value, radix: 16))")
        }
    }

    @Test("Every type's JSON is what the generated code makes", arguments: EventType.allCases)
    func transcodedTypes(_ type: EventType) throws {
        for body in [try SampleEvents.full(type), SampleEvents.bare(type)] {
            try expectTranscoded(type, PayloadCodec.encode(body), "\(type)")
        }
    }

    @Test("Every number of an enum has its name, and one of a later program its number")
    func transcodedNames() throws {
        for number in 0...12 as ClosedRange<Int64> {
            for (type, fields) in [(EventType.notificationPosted, [7]), (.authorizationChanged, [1, 2])] {
                for field in fields {
                    var writer = ProtoWriter()
                    writer.int(field, number)
                    try expectTranscoded(type, writer.bytes, "\(type) \(number)")
                }
            }
        }
    }

    /// That the type is written from the bytes, if they are in plain form, and as the generated code does it.
    private func expectTranscoded(_ type: EventType, _ payload: [UInt8], _ comment: Comment) throws {
        var json: [UInt8] = [7]
        try PayloadCodec.appendJSON(type, schemaVersion: 1, payload, to: &json)
        #expect(try Array(json.dropFirst()) == PayloadCodec.generatedJSON(type, payload), comment)
    }

    @Test("Payloads that are not in plain form have the JSON that the generated code makes, or none", arguments: [
        // Out of order, twice, defaults that were said, a level of a later program, no UTF-8, cut short, an unknown field.
        { $0.string(6, "body"); $0.string(1, "id") }, { $0.string(1, "id"); $0.string(1, "other") },
        { $0.presentString(1, "") }, { $0.presentString(6, "") }, { $0.presentVarint(7, 0) }, { $0.presentVarint(9, 0) },
        { $0.presentFixed64(8, 0) }, { $0.int(7, 5) }, { $0.int(7, -1) }, { $0.presentVarint(7, 1 << 32 | 2) },
        { $0.presentVarint(9, 2) }, { $0.presentData(1, [0xFF]) }, { $0.presentData(1, [0xC3]) },
        { $0.double(8, .nan) }, { $0.double(8, .infinity) }, { $0.double(8, -0.0) }, { $0.string(99, "later") },
        { $0.presentVarint(11, 0) }, { $0.int(11, .min) }, { $0.varint(1, 5) },
    ] as [@Sendable (inout ProtoWriter) -> Void])
    func unusual(_ write: @Sendable (inout ProtoWriter) -> Void) throws {
        var writer = ProtoWriter()
        write(&writer)
        var json: [UInt8] = [7]
        let isRead = (try? PayloadCodec.appendJSON(.notificationPosted, schemaVersion: 1, writer.bytes, to: &json)) != nil
        let generated = try? PayloadCodec.generatedJSON(.notificationPosted, writer.bytes)
        #expect(isRead == (generated != nil))
        #expect(Array(json.dropFirst()) == generated ?? [])
    }

    @Test("W3: unknown fields of a payload are ignored", arguments: EventType.allCases)
    func unknownFields(_ type: EventType) throws {
        let body = try SampleEvents.full(type)
        var later = ProtoWriter()
        later.string(100, "from a later schema")
        later.varint(101, 7)
        for payload in [PayloadCodec.encode(body) + later.bytes, later.bytes + PayloadCodec.encode(body)] {
            #expect(try PayloadCodec.decode(type, schemaVersion: 1, payload) == body)
        }
    }

    @Test("E2: a payload that cannot be read is refused by the name of its outermost field that is wrong")
    func namedFields() throws {
        func message(_ payload: [UInt8], _ type: EventType) -> String? {
            do {
                _ = try PayloadCodec.decode(type, schemaVersion: 1, payload)
                return nil
            } catch {
                return error.message
            }
        }
        // A text of one byte that is no UTF-8, as a field of each number.
        let bad = { (number: Int) in ProtobufFields.tag(number, 2) + [1, 0xFF] }
        let post = PayloadCodec.encode(try SampleEvents.full(.notificationPosted))
        for wrong in [post + bad(4), bad(4) + post] {
            let text = message(wrong, .notificationPosted)
            #expect(text?.contains(#"notification.posted: field "title" (4)"#) == true, "\(text ?? "-")")
        }
        let focus = PayloadCodec.encode(try SampleEvents.full(.focusConfigured))
        #expect(message(focus + bad(4), .focusConfigured)?.contains(#"field "allowed_apps" (4)"#) == true)
        #expect(message(Array(post.dropLast()), .notificationPosted)?.contains("no field begins at byte") == true)
        #expect(message(post + [0x00], .notificationPosted)?.contains("byte \(post.count)") == true)
    }

    @Test("A JSON payload that cannot be read is refused by the name of its outermost field that is wrong")
    func namedMembers() throws {
        func message(_ json: String) -> String? {
            do {
                _ = try PayloadCodec.payload(.notificationPosted, json: json)
                return nil
            } catch {
                return error.message
            }
        }
        for (wrong, name) in [
            (#""level":"LOUD""#, "level"), (#""title":5"#, "title"), (#""relevance":"high""#, "relevance"),
        ] {
            let text = message(#"{"notificationId":"n","body":"b",\#(wrong)}"#)
            #expect(text?.contains("field \"\(name)\"") == true, "\(text ?? "-")")
        }
        #expect(message(#"{"nottificationId":"n"}"#) == #"notification.posted has no field "nottificationId"."#)
    }

    @Test("a NaN passes: the fold judges it")
    func notANumber() throws {
        let point = RoutePoint(time: SampleEvents.time, latitude: .nan, longitude: 0, speed: .nan)
        let payload = PayloadCodec.encode(
            .routeLocationsInserted(RouteLocationsInserted(routeID: "r", points: [point])))
        for body in [
            try PayloadCodec.decode(.routeLocationsInserted, schemaVersion: 1, payload),
            try PayloadCodec.generated(.routeLocationsInserted, payload),
        ] {
            guard case .routeLocationsInserted(let inserted) = body else { throw PayloadError.malformed("other body") }
            #expect(inserted.points[0].latitude.isNaN && inserted.points[0].speed.isNaN)
            #expect(inserted.points[0].course == -1)
        }
    }

    @Test("a notification without a level is active")
    func absentLevel() throws {
        let payload = try PayloadCodec.payload(.notificationPosted, json: #"{"notificationId":"n","body":"b"}"#)
        let expected = EventBody.notificationPosted(NotificationPosted(notificationID: "n", body: "b"))
        #expect(try PayloadCodec.decode(.notificationPosted, schemaVersion: 1, payload) == expected)
    }

    @Test("what EventBody cannot hold is malformed, and the message names the field")
    func malformed() throws {
        func message(_ type: EventType, _ write: (inout ProtoWriter) -> Void) -> String? {
            var writer = ProtoWriter()
            write(&writer)
            do {
                _ = try PayloadCodec.decode(type, schemaVersion: 1, writer.bytes)
                return nil
            } catch {
                #expect(error.refusal.code == .payloadMalformed)
                return error.message
            }
        }
        #expect(message(.authorizationChanged) { $0.int(2, 1) } == "kind is missing.")
        #expect(message(.authorizationChanged) { $0.int(1, 1) } == "status is missing.")
        #expect(
            message(.authorizationChanged) {
                $0.int(1, 99)
                $0.int(2, 1)
            } == "kind has the unknown number 99.")
        #expect(message(.notificationPosted) { $0.int(7, -1) } == "level has the unknown number -1.")
        #expect(message(.appRegistered) { $0.int(4, 77) } == "capabilities has the unknown number 77.")
        #expect(message(.focusConfigured) { $0.presentString(4, "no app") }?.hasPrefix("allowed_apps") == true)
        #expect(message(.audienceChanged) { $0.presentString(1, "nobody") } == "add has an entry that is no UUID.")
        #expect(message(.focusExpired) { $0.string(1, "work") } == "activation is missing.")
        #expect(message(.focusExpired) { $0.message(2) { $0.string(2, "x") } } == "activation.device is no UUID.")
        #expect(message(.notificationRead) { $0.presentData(1, [0xFF, 0xFE]) }?.contains("notification.read") == true)
        #expect(message(.interactionDonated) { $0.int(2, 1) } == "intent is missing.")
        #expect(message(.interactionDonated) { $0.message(3) { $0.string(1, "c") } } == "direction is missing.")
        #expect(
            message(.interactionDonated) {
                $0.int(2, 1)
                $0.message(4) { _ in }
            } == "start_call.kind is missing.")
        #expect(
            message(.interactionDeleted) {
                $0.presentString(1, "i")
                $0.bool(3, true)
            }?.contains("more than one") == true)
        #expect(
            message(.notificationActionPerformed) {
                $0.presentString(2, "reply")
                $0.bool(3, true)
            } == "There is an action and a double_tap.")
        #expect(message(.badgeCleared) { $0.presentData(0, [1]) }?.contains("badge.cleared") == true)
    }

    @Test("D2: a value without a type, a key twice and a value nested without end are malformed")
    func malformedPreferences() throws {
        func message(_ type: EventType, _ write: (inout ProtoWriter) -> Void) -> String? {
            var writer = ProtoWriter()
            write(&writer)
            do {
                _ = try PayloadCodec.decode(type, schemaVersion: 1, writer.bytes)
                return nil
            } catch {
                #expect(error.refusal.code == .payloadMalformed)
                return error.message
            }
        }
        let untyped = "value has a value without one of the known types."
        #expect(message(.preferenceChanged) { $0.string(1, "k") } == untyped)
        #expect(message(.preferenceChanged) { $0.message(2) { $0.message(7) { $0.message(1) { _ in } } } } == untyped)
        let entry: (inout ProtoWriter) -> Void = { writer in
            writer.string(1, "k")
            writer.message(2) { $0.presentVarint(1, 1) }
        }
        #expect(message(.preferencesRegistered) { $0.message(2, entry) } == nil)
        let twice = message(.preferencesRegistered) { writer in
            for _ in 0..<2 { writer.message(2, entry) }
        }
        #expect(twice == "defaults has a key twice.")
        let inside = message(.preferenceChanged) { writer in
            writer.message(2) { value in
                value.message(8) { dictionary in
                    for _ in 0..<2 { dictionary.message(1, entry) }
                }
            }
        }
        #expect(inside == "value has a key twice.")
        // From the inside out, as writing a value takes a stack for each of its levels.
        var deep = PropertyValue.bool(true).encoded
        for _ in 0..<5_000 {
            var writer = ProtoWriter()
            writer.message(7) { $0.presentData(1, deep) }
            deep = writer.bytes
        }
        #expect(message(.preferenceChanged) { $0.presentData(2, deep) }?.contains("preference.changed") == true)
    }

    @Test("D2: what may be nested sixteen deep arrives, and so does what is refused by name", arguments: [16, 20, 30])
    func nestedPreferences(_ depth: Int) throws {
        var value = PropertyValue.bool(true)
        for _ in 1..<depth { value = .dictionary(try #require(PropertyDictionary([.init("k", value)]))) }
        try expectRoundTrip(.preferenceChanged(PreferenceChanged(key: "k", value: value)))
    }

    @Test("D2: keys that differ in their bytes only are two keys")
    func keysByBytes() throws {
        let entries = ["\u{E9}", "e\u{301}"].map { PropertyDictionary.Entry($0, .string($0)) }
        let body = EventBody.preferencesRegistered(
            PreferencesRegistered(build: 1, defaults: try #require(PropertyDictionary(entries))))
        try expectRoundTrip(body)
        guard
            case .preferencesRegistered(let decoded) = try PayloadCodec.decode(
                .preferencesRegistered, schemaVersion: 1, PayloadCodec.encode(body))
        else { throw PayloadError.malformed("other body") }
        #expect(decoded.defaults.entries.count == 2)
    }

    @Test("a later schema version is told apart from a broken one")
    func schemaVersions() {
        #expect(throws: PayloadError.unknownSchemaVersion(2)) {
            try PayloadCodec.decode(.badgeCleared, schemaVersion: 2, [])
        }
        for version: Int32 in [0, -1, .min] {
            #expect(throws: PayloadError.malformed("schema_version is \(version); the first is 1.")) {
                try PayloadCodec.decode(.badgeCleared, schemaVersion: version, [])
            }
        }
    }

    @Test("JSON with a field that the event does not have is refused by the field's name")
    func jsonUnknownField() {
        #expect(throws: PayloadError.malformed(#"focus.changed has no field "isOn"."#)) {
            try PayloadCodec.payload(.focusChanged, json: #"{"focusId":"work","isOn":true}"#)
        }
        #expect(throws: PayloadError.malformed("kind is missing.")) {
            try PayloadCodec.payload(.authorizationChanged, json: "{}")
        }
        #expect(throws: PayloadError.self) { try PayloadCodec.payload(.focusChanged, json: "[1") }
        #expect(throws: PayloadError.self) {
            try PayloadCodec.payload(.notificationPosted, json: #"{"level":"LOUD"}"#)
        }
    }
}
