import FocusCore
import Foundation

@testable import FocusWire

/// The corpus of `ops/fuzz`, a line of text for each input: a name and the bytes in hexadecimal. An input is a list of
/// records (`ops/fuzz.d/Sources/FuzzInput.swift`): a length of two bytes, little-endian, then that many bytes.
enum FuzzCorpus {
    static let targets = ["frames", "session", "events", "tokens", "stored"]
    /// Larger samples tell the fuzzer nothing more and slow it down.
    private static let longest = 2_000

    static func text(_ target: String) throws -> String {
        let inputs =
            switch target {
            case "frames": frames
            case "session": sessions
            case "events": try events()
            case "tokens": tokens
            case "stored": try stored()
            default: [Input]()
            }
        let lines = inputs.filter { $0.records.allSatisfy { $0.count <= longest } }.map { input in
            let bytes = input.records.flatMap { [UInt8($0.count & 0xFF), UInt8($0.count >> 8)] + $0 }
            return "\(input.name) \(bytes.map { String(format: "%02x", $0) }.joined())\n"
        }
        return "# Made from the samples by FuzzCorpusTests; see ops/fuzz.\n" + lines.joined()
    }

    private struct Input {
        var name: String
        var records: [[UInt8]]
    }

    private static func message(_ frame: [UInt8]) -> [UInt8] { Array(frame.dropFirst(FrameSplitter.prefixBytes)) }

    // MARK: Frames

    /// Each message, in pieces of 8 bytes; and the short ones as one stream.
    private static var frames: [Input] {
        let client = SampleMessages.client.enumerated().map { ("client-\($0)", FrameCodec.frame($1)) }
        let server = SampleMessages.server.enumerated().map { ("server-\($0)", FrameCodec.frame($1)) }
        let all = client + server
        let stream = all.map(\.1).filter { $0.count < 100 }.flatMap { $0 }
        return all.map { Input(name: $0, records: [[7] + message($1)]) }
            + [Input(name: "stream", records: [[0xFF] + stream.prefix(longest - 1)])]
    }

    // MARK: Sessions

    /// The first byte of a session's record.
    private enum Moment: UInt8 {
        case message = 0
        case time = 4
        case authenticated, authenticationFailed, opened, renewed, appendAnswered, fetchAnswered, rows, budget, end,
            many
        case tick
    }

    /// Each message alone and after the opening; and everything else that happens to a session.
    private static var sessions: [Input] {
        let messages = SampleMessages.client.map { message(FrameCodec.frame($0)) }
        let opening: [[UInt8]] = [
            [Moment.message.rawValue] + messages[0], [Moment.authenticated.rawValue, 3], [7, 5, 0],
        ]
        let first = messages.enumerated().map { Input(name: "first-\($0)", records: [[0] + $1]) }
        let later = messages.enumerated().map { Input(name: "live-\($0)", records: opening + [[0] + $1]) }
        func live(_ name: String, _ rest: [(Moment, [UInt8])]) -> Input {
            Input(name: name, records: opening + rest.map { [$0.rawValue] + $1 })
        }
        func index(_ isIt: (ClientMessage) -> Bool) -> [UInt8] {
            SampleMessages.client.first(where: isIt).map { message(FrameCodec.frame($0)) } ?? []
        }
        let append = message(
            FrameCodec.frame(
                .append(
                    AppendRequest(
                        firstSequence: DeviceSequence(1),
                        envelopes: [
                            Envelope(
                                id: EventID(SampleEvents.id(1)), type: "badge.cleared", app: "a",
                                occurredAt: SampleEvents.time, schemaVersion: 1, payload: [])
                        ]))))
        let renew = index { if case .renew = $0 { true } else { false } }
        let fetch = index { if case .fetch = $0 { true } else { false } }
        return first + later + [
            Input(name: "bad-token", records: [opening[0], [Moment.authenticationFailed.rawValue]]),
            Input(name: "no-hello", records: [[Moment.time.rawValue, 0xFF, 0xFF]]),
            live("append", [(.message, append), (.appendAnswered, [])]),
            live("many-appends", [(.many, [80] + append)] + Array(repeating: (.appendAnswered, []), count: 60)),
            live("renew", [(.message, renew), (.renewed, [4]), (.message, renew), (.renewed, [0x20])]),
            live("fetches", [(.many, [6] + fetch), (.fetchAnswered, []), (.message, fetch)]),
            live("heartbeat", Array(repeating: (.time, [0xFF, 0x7F]), count: 4)),
            live("expiry", Array(repeating: (.time, [0xFF, 0xFF]), count: 60)),
            live("slow", [(.rows, [0]), (.time, [0xFF, 0x7F]), (.rows, [0]), (.rows, [1]), (.time, [0xFF, 0x7F])]),
            live("budget", [(.budget, [0]), (.time, [0xFF, 0xFF]), (.budget, [1]), (.tick, [])]),
            live("failed", [(.end, [0])]), live("go-away", [(.end, [1])]), live("gone", [(.end, [2])]),
        ]
    }

    // MARK: Events

    /// Types of events that belong to no app.
    private static let ofUser: Set<EventType> = [
        .focusConfigured, .focusRemoved, .focusChanged, .focusExpired, .deliveryScheduleChanged, .summaryDelivered,
        .deviceRevoked, .projectionRebuilt,
    ]

    /// A record of the events target: the first device, a system session, one second after the event before.
    private static func record(_ body: EventBody, choice: UInt8? = nil, time: UInt8 = 3) -> [UInt8] {
        return [ordinal(body.type), choice ?? (ofUser.contains(body.type) ? 3 : 0), time] + PayloadCodec.encode(body)
    }

    private static func ordinal(_ type: EventType) -> UInt8 {
        UInt8(EventType.allCases.firstIndex(of: type) ?? 0)
    }

    /// A record for something the server does by itself, numbered after the last event type.
    private static func server(_ number: UInt8, _ rest: [UInt8]) -> [UInt8] {
        [UInt8(EventType.allCases.count) + number] + rest
    }

    /// Each sample after the events it depends on; the minimal form of each; and all of them as one history with
    /// reloads, timers, a rebuild, losses, healing and devices that follow.
    private static func events() throws -> [Input] {
        let ready = [
            record(try SampleEvents.full(.appRegistered)),
            record(.authorizationChanged(AuthorizationChanged(kind: .notifications, status: .authorized))),
        ]
        var inputs: [Input] = []
        for type in EventType.allCases {
            let full = try SampleEvents.full(type)
            inputs.append(Input(name: type.rawValue, records: ready + [record(full)]))
            inputs.append(Input(name: "\(type.rawValue)-healed", records: ready + [record(full, choice: 0xC0)]))
            inputs.append(Input(name: "\(type.rawValue)-bare", records: [record(SampleEvents.bare(type))]))
        }
        let ends: Set<EventType> = [.deviceRevoked, .routeDiscarded, .appUnmuted, .notificationRemoved]
        let story = try EventType.allCases.filter { !ends.contains($0) }.map { record(try SampleEvents.full($0)) }
        inputs.append(Input(name: "story", records: ready + story))
        let meanwhile = story.flatMap { [$0, server(4, [7, 0]), server(0, [0, 6])] }
        inputs.append(Input(name: "followed", records: ready + meanwhile))
        let tail = [
            server(3, [0, 0]), server(1, [2, 3]), server(2, [8, 0, 4, 0]), server(5, [7, 0, 5]), server(4, [7, 0]),
            server(5, [15, 0, 9]), server(0, [0, 8]),
        ]
        inputs.append(Input(name: "server", records: ready + story + tail + story))
        return inputs
    }

    // MARK: Tokens

    /// Claims, each with the leading byte of `ops/fuzz.d/Sources/FuzzTokens.swift`; and headers before good claims.
    private static var tokens: [Input] {
        let id = "01020304-0506-4708-890a-0b0c0d0e0f10"
        func claims(_ rest: String) -> [UInt8] {
            [2] + Array(#"{"sub":"\#(id)","device":"\#(id)","scope":"system",\#(rest)}"#.utf8)
        }
        let good = claims(#""exp":1800003600"#)
        let all: [(String, String)] = [
            ("good", #""exp":1800003600"#), ("nbf", #""exp":1800003600,"nbf":1800000060"#),
            ("class", #""exp":1800003600,"class":"watch""#), ("fraction", #""exp":1800000000.000001"#),
            ("longest", #""exp":1834560000"#), ("great", #""exp":9.3e12"#), ("endless", #""exp":1e300"#),
            ("before", #""exp":-1e300"#), ("text", #""exp":"1800003600""#), ("nothing", #""exp":null"#),
            ("app", #""exp":1800003600,"scope":"app:com.example.chat""#),
        ]
        let headers: [(String, String)] = [
            ("none", #"{"alg":"none"}"#), ("crit", #"{"alg":"HS256","crit":["b64"]}"#),
            ("kid", #"{"alg":"HS256","kid":"k","x5c":["MA=="]}"#), ("edDSA", #"{"alg":"EdDSA"}"#), ("empty", "{}"),
        ]
        return all.map { Input(name: $0, records: [claims($1)]) }
            + headers.map { Input(name: "header-\($0)", records: [[1] + Array($1.utf8), good]) }
            + [Input(name: "raw", records: [[0] + Array("e30.e30.e30".utf8), [0] + Array("..".utf8)])]
    }

    // MARK: Stored

    private static let storedApps = ["com.example.messages", "com.example.mail", "a", ""]

    /// A row of the read model in the form that `ops/fuzz.d/Sources/FuzzStored.swift` takes.
    private static func record(_ key: RowKey, _ row: Row) -> [UInt8] {
        let collection = UInt8(RowCollection.allCases.firstIndex(of: key.collection) ?? 0)
        let app = UInt8(storedApps.firstIndex(of: key.app?.rawValue ?? "") ?? 0)
        let name = Array(key.key.utf8.prefix(255))
        let head = [0, collection, app, UInt8(name.count), UInt8(clamping: row.version.rawValue)]
        let memo = [row.isDeleted ? 1 : 0, UInt8(row.memo.count & 0xFF), UInt8(row.memo.count >> 8 & 0xFF)]
        return head + memo + name + row.memo + row.value
    }

    /// For each sample, the rows that the samples before it make, and its event; events of every type; values of every
    /// PostgreSQL type; and tuples of COPY.
    private static func stored() throws -> [Input] {
        var state = UserState(user: UserID(SampleEvents.id(2)))
        var inputs: [Input] = []
        let device = DeviceID(SampleEvents.id(1))
        for type in EventType.allCases where type != .routeFinished && type != .deviceRevoked {
            let before = state.rowKeys.sorted().compactMap { key in state.row(key).map { record(key, $0) } }
            let body = try SampleEvents.full(type)
            let logged = [1, ordinal(type), ofUser.contains(type) ? 3 : 0, 1, 0, 2] + PayloadCodec.encode(body)
            if before.allSatisfy({ $0.count <= longest }) {
                inputs.append(Input(name: type.rawValue, records: before + [logged]))
            }
            inputs.append(Input(name: "\(type.rawValue)-alone", records: [logged]))
            _ = try state.apply(
                Event(
                    version: state.version.next, device: device, incarnation: Incarnation(1),
                    sequence: state.lastSequence(of: device, incarnation: Incarnation(1)).next,
                    id: EventID(SampleEvents.id(UInt8(clamping: state.version.next.rawValue))),
                    app: ofUser.contains(type) ? nil : try SampleEvents.app("com.example.messages"),
                    occurredAt: SampleEvents.time.adding(microseconds: state.version.rawValue),
                    recordedAt: SampleEvents.time.adding(microseconds: 1_000_000), body: body))
        }
        let array: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 23, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 7]
        inputs += (UInt8(0)..<23).map {
            Input(name: "value-\($0)", records: [[3, $0, 0, 0, 0, 0, 0, 0, 0, 1], [3, $0] + array])
        }
        let signature = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00]
        let tuple: [UInt8] = [0, 2, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF]
        inputs.append(
            Input(name: "copy", records: [[4] + signature + Array(repeating: 0, count: 8) + tuple, [4] + tuple]))
        return inputs
    }
}
