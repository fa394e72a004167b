import SeededNumbers

@testable import FocusCore

/// Random donations, deletions, categories, actions and communications, with few ids.
enum PeopleMaker {
    static func body(at second: Double, using random: inout SplitMix64) -> EventBody {
        func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
        switch pick(17) {
        case 16:
            // Some of the last events, and some that are still to come.
            return .actionHandled(ActionHandled(id: EventID(Stage.uuid(max(1, Int(second) - 40 + pick(60))))))
        case 0:
            return .interactionDeleted(
                [.ids(["i\(pick(4))", "i\(pick(4))"]), .conversation("k\(pick(2))"), .all][pick(9) / 4])
        case 1: return categories(using: &random)
        case 2, 3, 4: return action(using: &random)
        case 5, 6, 7, 8:
            return .notificationPosted(
                NotificationPosted(
                    notificationID: "n\(pick(6))", category: "c\(pick(2))", title: "T", subtitle: "S", body: "B",
                    interactionID: "i\(pick(4))"))
        default: return donation(at: second, using: &random)
        }
    }

    static func donation(at second: Double, using random: inout SplitMix64) -> EventBody {
        func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
        let sender = Person(
            handle: "p\(pick(3))", displayName: ["", "N\(pick(2))", nil][pick(3)], avatar: pick(2) == 0 ? "a" : nil)
        let others = (0..<pick(4)).map { _ in Person(handle: "p\(pick(5))") }
        let direction: InteractionDirection = pick(2) == 0 ? .incoming : .outgoing
        let message = SendMessage(
            conversationID: "k\(pick(2))", groupName: ["", "G", nil][pick(3)], sender: sender, recipients: others)
        return .interactionDonated(
            InteractionDonated(
                interactionID: "i\(pick(4))", direction: direction,
                intent: pick(4) == 0
                    ? .startCall(StartCall(kind: .audio, caller: sender, participants: others))
                    : .sendMessage(message),
                // Over about two months, so that ages differ.
                startedAt: .at(second - Double(pick(60) * 86_400))))
    }

    private static func categories(using random: inout SplitMix64) -> EventBody {
        let categories = (0..<2).map { number in
            let count = Int.random(in: 1...3, using: &random)
            return NotificationCategory(
                id: "c\(number)",
                hiddenPreviewsPlaceholder: [nil, "", "H\(count)"][Int.random(in: 0..<3, using: &random)],
                actions: (0..<count).map {
                    NotificationAction(
                        id: "x\($0)", title: "X", destructive: Bool.random(using: &random),
                        textInput: Bool.random(using: &random))
                })
        }
        return .categoriesRegistered(
            CategoriesRegistered(categories: Array(categories.prefix(Int.random(in: 0...2, using: &random)))))
    }

    private static func action(using random: inout SplitMix64) -> EventBody {
        let number = Int.random(in: 0..<4, using: &random)
        return .notificationActionPerformed(
            NotificationActionPerformed(
                notificationID: "n\(Int.random(in: 0..<6, using: &random))",
                gesture: number == 3 ? .doubleTap : .action("x\(number)"),
                text: Int.random(in: 0..<4, using: &random) == 0 ? "text" : nil))
    }
}
