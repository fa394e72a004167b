/// Rule F6: what somebody who would send this user a message may know of what becomes of it.
///
/// Flow: may anything be said → a post as it would come, with what the asker may know → rule N9 → the answer.
extension UserState {
    /// Gives the first summary of a schedule after a moment; nil when there is none. The fold knows no time zones.
    public typealias NextSummary = (SummarySchedule, Timestamp) -> Timestamp?

    /// - Parameters:
    ///   - viewer: who asks, and would send the message.
    ///   - now: the server's time.
    /// - Returns: `Reach.untold` wherever nothing may be said, for whichever reason.
    public func reach(
        _ question: ReachQuestion, from viewer: Viewer, at now: Timestamp, nextSummary: NextSummary
    ) -> Reach {
        guard let isFocused = status(in: question.app, shownTo: viewer), let slot = appSlots[question.app],
            mayPost(question, slot)
        else { return .untold }
        let post = NotificationPost(question, from: viewer.user, at: now)
        let classes = [DeviceClass.phone] + apps[slot].settings.differing
        let decisions = classes.map { deviceClass in
            AlertDecision(apps[slot].reachInputs(post, on: deviceClass, isFocused: isFocused, shared)).alert
        }
        // The message reaches the person where it rings first.
        if decisions.contains(.now) { return .ringsNow }
        if decisions.contains(.heldForSummary) {
            return summary(after: now, nextSummary).map(Reach.nextSummary) ?? .untold
        }
        guard decisions.contains(.heldByFocus) else { return .untold }
        let awaited = zip(classes, decisions).filter { $0.1 == .heldByFocus }.map(\.0)
        let ringsAtTheEnd = awaited.contains { deviceClass in
            let inputs = apps[slot].reachInputs(post, on: deviceClass, isFocused: false, shared)
            return AlertDecision(inputs).alert == .now
        }
        return .waits(
            atMost: focusEnd(seenFrom: question.app, now).flatMap { end in
                ringsAtTheEnd ? end.reachRounded : summary(after: end, nextSummary)
            })
    }

    /// Rules C2, N2, N3 and N5: whether such a post would be taken.
    private func mayPost(_ question: ReachQuestion, _ slot: Int) -> Bool {
        guard apps[slot].isRegistered else { return false }
        if question.isCommunication, !apps[slot].has(.communication) { return false }
        let post = NotificationPosted(notificationID: "", body: "", level: question.level)
        return postRefusal(post, slot) == nil
    }

    /// When the Focus that the app sees ends by itself, but no earlier than now; nil when it does not.
    private func focusEnd(seenFrom app: AppID, _ now: Timestamp) -> Timestamp? {
        guard shared.focus.effective?.configuration.isSeen(from: app) == true else { return nil }
        return shared.focus.active?.endsAt.map { max($0, now) }
    }

    private func summary(after time: Timestamp, _ next: NextSummary) -> Timestamp? {
        guard let schedule = summarySchedule else { return nil }
        return next(schedule, max(time, schedule.stamp.time, schedule.lastDelivered ?? time))
    }
}

extension AppRecord {
    /// What rule N9 looks at for a post that somebody asks about, with what they may know alone: the Focus as the app
    /// sees it, nothing of the switch above all apps (rule N17), nor of what is in front (rule N18).
    func reachInputs(
        _ post: NotificationPost, on deviceClass: DeviceClass, isFocused: Bool, _ shared: borrowing SharedState
    ) -> AlertInputs {
        var inputs = alertInputs(post, on: deviceClass, shared)
        (inputs.isSilenced, inputs.isInFront) = (false, false)
        // Whatever was logged last, the question is of now.
        inputs.isMuted = mutes.isMuted(at: post.stamp)
        if !isFocused {
            inputs.focus = nil
        } else if shared.focus.effective?.configuration.isSeen(from: app) != true {
            // The app was told of a Focus that the log does not know (rule F4).
            inputs.focus = AlertInputs.FocusFilter(allowsTimeSensitive: false, allowsApp: false, allowsSender: false)
        }
        return inputs
    }
}

extension FocusRow {
    /// Rule F3.2, while it is active.
    func isSeen(from app: AppID) -> Bool { sharesStatus && !allowedApps.contains(app) }
}

extension NotificationPost {
    /// The post of a message that somebody would send now. As a handle they have their user id: one that they chose
    /// themselves would tell them whom else the Focus lets through.
    fileprivate init(_ question: ReachQuestion, from sender: UserID, at now: Timestamp) {
        self.init(
            stamp: Stamp(time: now, device: .server, sequence: .zero), level: question.level, isMarketing: false,
            isCommunication: question.isCommunication, isUntitled: false,
            sender: question.isCommunication ? sender.description : nil)
    }
}

extension Timestamp {
    /// A quarter of an hour, in microseconds.
    private static let step: Int64 = 15 * 60 * 1_000_000

    /// The first full quarter of an hour that is not earlier; nil when there is none. The exact end of a Focus would
    /// tell which one it is, and when it began.
    fileprivate var reachRounded: Timestamp? {
        let (quarters, rest) = microseconds.quotientAndRemainder(dividingBy: Self.step)
        let whole = quarters * Self.step
        guard rest > 0 else { return Timestamp(microseconds: whole) }
        let (next, overflow) = whole.addingReportingOverflow(Self.step)
        return overflow ? nil : Timestamp(microseconds: next)
    }
}
