import NIOCore
import NIOEmbedded
import Testing

@testable import SyncServer

/// How long the connections of a server that stops stay, whose devices do not answer.
@Suite struct ConnectionEndTests {
    @Test("G1: a device that is gone is waited for no longer than a second for the end of its TLS")
    func gone() throws {
        let stage = try TLSStage()
        defer { stage.finish() }
        try stage.finishHandshake()
        stage.sendEverybodyAway()
        #expect(!stage.isOver, "the device may still answer")
        stage.eventLoop.advanceTime(by: .seconds(1))
        #expect(stage.isOver)
    }

    @Test("G1: a device that does not take its GoAway is cut off after three seconds, without anything of TLS")
    func clogged() throws {
        let stage = try TLSStage()
        defer { stage.finish() }
        try stage.finishHandshake()
        stage.socket.isClogged = true
        stage.sendEverybodyAway()
        stage.eventLoop.advanceTime(by: .milliseconds(2_999))
        #expect(!stage.isOver)
        stage.eventLoop.advanceTime(by: .milliseconds(1))
        #expect(stage.isOver)
    }

    @Test("G1: a device whose TLS handshake is not over cannot be told anything, and is closed at once")
    func handshake() throws {
        for hasBegun in [false, true] {
            let stage = try TLSStage()
            defer { stage.finish() }
            if hasBegun { try stage.carryToServer() }
            stage.sendEverybodyAway()
            #expect(stage.isOver, "begun: \(hasBegun)")
        }
    }
}
