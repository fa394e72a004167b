@testable import FocusCore

/// A declarative model of interactions and categories: every answer is computed from all events again.
extension ReferenceModel {
    /// Rules I2 and I4: the greatest donation of each id, unless a later deletion covers it.
    private func donations(_ app: AppID) -> [InteractionDonated] {
        let all = written.filter { $0.event.app == app }
        var greatest: [String: (body: InteractionDonated, stamp: Stamp)] = [:]
        for (event, stamp) in all {
            guard case .interactionDonated(let body) = event.body else { continue }
            if let known = greatest[body.interactionID], known.stamp > stamp { continue }
            greatest[body.interactionID] = (body, stamp)
        }
        return greatest.values.filter { donation in
            !all.contains { event, stamp in
                guard case .interactionDeleted(let deletion) = event.body, stamp > donation.stamp else { return false }
                return switch deletion {
                case .ids(let ids): ids.contains(donation.body.interactionID)
                case .conversation(let id): donation.body.conversation == id
                case .all: true
                }
            }
        }.map(\.body)
    }

    /// The suggestions of rule I3, by person.
    func suggestions(_ app: AppID?) -> [String: SuggestionRow] {
        let donations = (app.map { [$0] } ?? HistoryMaker.apps).flatMap(donations)
        var people: [String: [InteractionDonated]] = [:]
        for donation in donations {
            for person in donation.countsFor { people[person, default: []].append(donation) }
        }
        return people.compactMapValues { donations in
            let outgoing = donations.count { $0.direction == .outgoing }
            guard outgoing > 0, let last = donations.map(\.startedAt).max() else { return nil }
            // Oldest day first, which is the order in which rule I3's sum is added up.
            let days = Dictionary(grouping: donations, by: \.startedAt.utcDay).sorted { $0.key < $1.key }
            let score = days.reduce(0.0) { sum, day in
                let weight = day.value.reduce(0) { $0 + ($1.direction == .outgoing ? 2 : 1) }
                return sum + Double(weight) * SuggestionDecay.weight(days: last.utcDay - day.key)
            }
            return SuggestionRow(
                outgoing: outgoing, incoming: donations.count - outgoing, lastAt: last, score: score)
        }
    }

    /// The placeholder for hidden previews (rule N13).
    func placeholder(_ category: String?, _ app: AppID) -> String? {
        let registered = last(app) { if case .categoriesRegistered(let body) = $0 { body } else { nil } }
        return registered?.value.categories.first { $0.id == category }?.hiddenPreviewsPlaceholder
    }
}

extension InteractionDonated {
    fileprivate var conversation: String? {
        if case .sendMessage(let message) = intent { message.conversationID } else { nil }
    }

    fileprivate var countsFor: Set<String> {
        let (from, to) =
            switch intent {
            case .sendMessage(let message): (message.sender, message.recipients)
            case .startCall(let call): (call.caller, call.participants)
            }
        return Set((direction == .incoming ? from.map { [$0] } ?? [] : to).map(\.handle))
    }
}

extension EventBody {
    /// Whether the event marks the notification read (rules N7 and N12).
    func marksRead(_ notification: String) -> Bool {
        switch self {
        case .notificationRead(let named): named.ids.contains(notification)
        case .notificationActionPerformed(let body): body.notificationID == notification
        default: false
        }
    }
}

extension Stage {
    /// The rows of `suggestions` that are not removed, by person.
    func suggestions(_ app: AppID? = .chat) -> [String: SuggestionRow] {
        let keys = state.shared.store.rows.inUse.map(\.key).filter { $0.collection == .suggestions && $0.app == app }
        return Dictionary(uniqueKeysWithValues: keys.map { ($0.key, $0) }).compactMapValues {
            value(SuggestionRow.self, $0)
        }
    }
}
