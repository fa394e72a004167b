import Foundation
import Testing

@testable import FocusCore

@Suite("Pseudonyms") struct PseudonymsTests {
    private let names = Pseudonyms(secret: [UInt8](repeating: 7, count: 32))
    private let other = Pseudonyms(secret: [UInt8](repeating: 8, count: 32))
    private let ada = UserID(text: "11111111-1111-4111-8111-111111111111")!
    private let phone = DeviceID(text: "11111111-1111-4111-8111-111111111111")!

    @Test(
        "The same name has the same pseudonym with the same key, another one with another, and other kinds have others")
    func alike() {
        #expect(names.user(ada) == names.user(ada) && names.user(ada) != other.user(ada) && names.user(ada) != ada)
        #expect(names.device(phone).uuid != names.user(ada).uuid)
        #expect(names.person("anna") == names.person("anna") && names.person("anna") != names.person("Anna"))
        #expect(names.person("x").dropFirst(2) != names.conversation("x").dropFirst(2))
        #expect(names.device(.server) == .server)
        let bytes = names.user(ada).bytes
        #expect(bytes[6] >> 4 == 8 && bytes[8] >> 6 == 2, "a UUID of version 8")
    }

    @Test("A pseudonym is the HMAC-SHA256 of kind and name, as another program computes it")
    func vector() {
        // printf 'person\0anna' | openssl dgst -sha256 -mac HMAC -macopt hexkey:0707…07, the first 16 bytes
        #expect(names.person("anna") == "p-b7ce2f7e47dba105ab3f4cc1e17e61ae")
    }

    @Test("Whom a body names is hidden, and what they did stays")
    func bodies() {
        let person = Person(handle: "anna@example.com", displayName: "Anna", avatar: "a.png")
        let message = SendMessage(
            conversationID: "anna@example.com", groupName: "Club", sender: person, recipients: [person])
        let donated = InteractionDonated(
            interactionID: "i", direction: .incoming, intent: .sendMessage(message),
            startedAt: Timestamp(microseconds: 5))
        let call = InteractionDonated(
            interactionID: "i", direction: .incoming,
            intent: .startCall(StartCall(kind: .video, caller: person, participants: [person])),
            startedAt: Timestamp(microseconds: 5))
        let bodies: [EventBody] = [
            .interactionDonated(donated), .interactionDonated(call),
            .interactionDeleted(.conversation("anna@example.com")),
            .focusConfigured(FocusConfigured(focusID: "work", name: "Work", allowedPeople: ["anna@example.com"])),
            .audienceChanged(AudienceChanged(add: [ada], remove: [ada])),
            .deviceRevoked(DeviceRevoked(device: phone)),
            .focusExpired(
                FocusExpired(
                    focusID: "work",
                    activation: Stamp(time: Timestamp(microseconds: 5), device: phone, sequence: DeviceSequence(3)))),
            .projectionRebuilt(
                ProjectionRebuilt(
                    generation: 2,
                    rows: [RowKey(.suggestions, key: "anna@example.com"), RowKey(.audience, key: ada.description)],
                    horizon: Version(1))),
        ]
        for body in bodies {
            let text = "\(names.hiding(body))"
            for name in ["anna@example.com", "Anna", "a.png", "Club", "\(ada)", ada.uuid.uuidString] {
                #expect(!text.contains(name), "\(text)")
            }
            #expect(names.hiding(body) == names.hiding(body) && names.hiding(body).type == body.type)
        }
        guard case .focusConfigured(let focus) = names.hiding(bodies[3]) else { return }
        #expect(
            focus.focusID == "work" && focus.name == "Work"
                && focus.allowedPeople == [ByteText(names.person("anna@example.com"))]
        )
        let post = EventBody.notificationPosted(NotificationPosted(notificationID: "n", title: "Anna", body: "Hi"))
        #expect(names.hiding(post) == post, "texts stay")
        let threaded = EventBody.notificationPosted(
            NotificationPosted(notificationID: "n", thread: "anna@example.com", body: "Hi"))
        guard case .notificationPosted(let hidden) = names.hiding(threaded) else { return }
        #expect(hidden.thread == names.conversation("anna@example.com"))
    }
}
