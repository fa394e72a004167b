import Testing

@testable import FocusCore

/// Rule F5: which viewer sees which status.
@Suite("Visibility to peers") struct VisibilityToPeersTests {
    private let bob = Viewer(user: .bob, scope: .app(.chat))
    private let bobsAgent = Viewer(user: .bob, scope: .system)

    /// Ada shares her status in Chat and Mail, and Bob is in Chat's audience; the active Focus allows Mail.
    private func stage() -> Stage {
        var stage = Stage()
        for app in [AppID.chat, .mail] {
            stage.send(
                .appRegistered(
                    AppRegistered(
                        name: "A", build: 1, capabilities: [.communication], focusStatusUsageDescription: "why")),
                app: app, at: 1)
            for kind in [AuthorizationKind.notifications, .focusStatus] {
                stage.send(
                    .authorizationChanged(AuthorizationChanged(kind: kind, status: .authorized)), app: app, at: 2)
            }
        }
        stage.send(
            .focusConfigured(FocusConfigured(focusID: "w", name: "W", allowedApps: [.mail], sharesStatus: true)), at: 3)
        stage.send(.focusChanged(FocusChanged(focusID: "w", isActive: true)), at: 4)
        stage.send(.audienceChanged(AudienceChanged(add: [.bob])), app: .chat, at: 5)
        return stage
    }

    @Test("F5: a member of an app's audience sees the status in that app, and of no other app")
    func member() {
        var stage = stage()
        #expect(stage.state.visibility(to: bob) == [.chat: true])
        #expect(stage.state.visibility(to: Viewer(user: .bob, scope: .app(.mail))) == [:])
        #expect(stage.state.visibility(to: bobsAgent) == [.chat: true])
        stage.send(.audienceChanged(AudienceChanged(add: [.bob])), app: .mail, at: 6)
        #expect(stage.state.visibility(to: bobsAgent) == [.chat: true, .mail: false], "as each app sees it")
        #expect(stage.state.visibility(to: bob) == [.chat: true])
    }

    @Test("F5: nobody else sees anything; not even that there is a user")
    func others() {
        let stage = stage()
        let nobody = UserState(user: .bob)
        for scope in [Scope.system, .app(.chat), .app(.mail), .app(AppID("com.example.none")!)] {
            #expect(stage.state.visibility(to: Viewer(user: .ada, scope: scope)) == [:], "not oneself either")
            #expect(nobody.visibility(to: Viewer(user: .ada, scope: scope)) == [:])
        }
    }

    @Test("F5: whatever makes it unavailable looks the same as not being a member")
    func unavailable() {
        var removed = stage()
        removed.send(.audienceChanged(AudienceChanged(remove: [.bob])), app: .chat, at: 6)
        var denied = stage()
        denied.send(
            .authorizationChanged(AuthorizationChanged(kind: .focusStatus, status: .denied)), app: .chat, at: 6)
        var unfit = stage()
        unfit.send(.appRegistered(AppRegistered(name: "A", build: 2)), app: .chat, at: 6)
        for stage in [removed, denied, unfit] {
            #expect(stage.state.visibility(to: bob) == [:])
            #expect(stage.state.visibility(to: bobsAgent) == [:])
        }
    }

    @Test("F5, E3: an addition that is older than the removal shows nothing, whenever it arrives")
    func lateAddition() {
        var stage = stage()
        stage.send(.audienceChanged(AudienceChanged(remove: [.bob])), app: .chat, at: 20)
        stage.send(.audienceChanged(AudienceChanged(add: [.bob])), app: .chat, from: .tablet, at: 10, recorded: 21)
        #expect(stage.state.visibility(to: bob) == [:])
    }

    @Test(
        "F5: what the visibility rows say is what members see, in the audience of an app that is not registered yet too"
    )
    func unregistered() {
        var stage = Stage()
        stage.send(.audienceChanged(AudienceChanged(add: [.bob])), app: .chat, at: 1)
        #expect(stage.state.visibility(to: bob) == [:])
    }
}
