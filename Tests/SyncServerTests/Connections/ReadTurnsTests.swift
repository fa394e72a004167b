import FocusCore
import Foundation
import NIOCore
import NIOEmbedded
import Testing

@testable import SyncServer

/// Turns on an event loop whose time the test moves.
@Suite struct ReadTurnsTests {
    private final class Turns {
        var taken: [String] = []
    }

    private let eventLoop = EmbeddedEventLoop()
    private let turns: ReadTurns
    private let heard = Turns()
    private let anna = ConnectionOwner.user(UserID(UUID()))
    private let ben = ConnectionOwner.user(UserID(UUID()))

    init() { turns = ReadTurns(on: eventLoop) }

    /// A connection that takes up so many bytes when it goes on.
    private func wait(_ owner: ConnectionOwner, _ name: String, taking bytes: Int = 0, as connection: UInt64 = 0) {
        turns.wait(connection, of: owner) { [turns, heard] in
            heard.taken.append(name)
            turns.took(bytes, owner)
        }
    }

    @Test("Q1: the connections of one user have together what one may take up in a window, and other users their own")
    func shared() {
        #expect(turns.room(of: anna) == ReadTurns.bytes)
        turns.took(ReadTurns.bytes - 1, anna)
        #expect(turns.room(of: anna) == 1)
        turns.took(1, anna)
        #expect(turns.room(of: anna) == 0)
        #expect(turns.room(of: ben) == ReadTurns.bytes)
        #expect(turns.room(of: .connection(1)) == ReadTurns.bytes)
        eventLoop.advanceTime(by: ReadTurns.window - .nanoseconds(1))
        #expect(turns.room(of: anna) == 0)
        eventLoop.advanceTime(by: .nanoseconds(1))
        #expect(turns.room(of: anna) == ReadTurns.bytes)
    }

    @Test("Q1: who waits goes on in the next window, in order, as far as there is room; the rest in the one after")
    func goesOn() {
        turns.took(ReadTurns.bytes, anna)
        for name in ["a", "b", "c"] { wait(anna, name, taking: ReadTurns.bytes / 2) }
        eventLoop.advanceTime(by: ReadTurns.window - .nanoseconds(1))
        #expect(heard.taken.isEmpty)
        eventLoop.advanceTime(by: .nanoseconds(1))
        #expect(heard.taken == ["a", "b"])
        eventLoop.advanceTime(by: ReadTurns.window)
        #expect(heard.taken == ["a", "b", "c"])
    }

    @Test("Q1: between the turns of two users sockets are looked at")
    func pauses() {
        for owner in [anna, ben] { turns.took(ReadTurns.bytes, owner) }
        for name in ["a", "b"] { wait(anna, name, taking: ReadTurns.bytes) }
        wait(ben, "c")
        eventLoop.advanceTime(by: ReadTurns.window)
        #expect(heard.taken == ["a"])
        eventLoop.advanceTime(by: ReadTurns.pause)
        #expect(heard.taken == ["a", "c"])
        eventLoop.advanceTime(by: ReadTurns.window)
        #expect(heard.taken == ["a", "c", "b"])
    }

    @Test("Q1: who waits while its owner has room goes on after a pause, and one that waits again behind the others")
    func again() {
        turns.wait(1, of: anna) { [turns, heard, anna] in
            heard.taken.append("a")
            turns.took(ReadTurns.bytes, anna)
            turns.wait(1, of: anna) { heard.taken.append("again") }
        }
        wait(anna, "b", taking: ReadTurns.bytes)
        #expect(heard.taken.isEmpty)
        eventLoop.advanceTime(by: ReadTurns.pause)
        #expect(heard.taken == ["a"])
        eventLoop.advanceTime(by: ReadTurns.window)
        #expect(heard.taken == ["a", "b"])
        eventLoop.advanceTime(by: ReadTurns.window)
        #expect(heard.taken == ["a", "b", "again"])
        eventLoop.advanceTime(by: ReadTurns.window)
        #expect(heard.taken.count == 3)
    }

    @Test("Q1: whoever comes while others of their user wait goes behind them, though there is room")
    func behind() {
        turns.took(ReadTurns.bytes, anna)
        turns.wait(1, of: anna) { [turns, heard, anna] in
            heard.taken.append("room for \(turns.room(of: anna))")
        }
        eventLoop.advanceTime(by: ReadTurns.window - .nanoseconds(1))
        #expect(turns.room(of: anna) == 0 && turns.room(of: ben) == ReadTurns.bytes)
        eventLoop.advanceTime(by: .nanoseconds(1))
        #expect(heard.taken == ["room for \(ReadTurns.bytes)"])
        #expect(turns.room(of: anna) == ReadTurns.bytes - ReadTurns.bytesPerFrame)
    }

    @Test("Q1: a connection that had a little room left takes it up before it waits again")
    func little() {
        turns.took(ReadTurns.bytes - 1, anna)
        turns.wait(1, of: anna) { [turns, heard, anna] in heard.taken.append("room for \(turns.room(of: anna))") }
        eventLoop.advanceTime(by: ReadTurns.pause)
        #expect(heard.taken == ["room for 1"])
    }

    @Test("A connection that is closed while it waits is forgotten, and nobody behind it")
    func forgotten() {
        turns.took(ReadTurns.bytes, anna)
        for connection in UInt64(1)...3 { wait(anna, "\(connection)", as: connection) }
        for connection in UInt64(4)...5 { wait(ben, "\(connection)", as: connection) }
        turns.forget(2, of: anna)
        for connection in UInt64(4)...5 { turns.forget(connection, of: ben) }
        turns.forget(9, of: .connection(9))
        eventLoop.advanceTime(by: ReadTurns.window * 3)
        #expect(heard.taken == ["1", "3"])
        #expect(turns.room(of: ben) == ReadTurns.bytes)
    }
}
