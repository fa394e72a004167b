import FocusCore
import NIOCore

/// A server's messages, in order. When `highWatermark` messages wait, nothing is read from the socket until only
/// `lowWatermark` are left.
public struct ServerMessages: AsyncSequence, Sendable {
    public typealias Element = ServerMessage

    typealias Producer = NIOThrowingAsyncSequenceProducer<
        ServerMessage, any Error, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, ReadingControl
    >

    static let lowWatermark = 8
    static let highWatermark = 32

    private let producer: Producer

    static func makeSource(channel: any Channel) -> (source: Producer.Source, messages: ServerMessages) {
        let new = Producer.makeSequence(
            elementType: ServerMessage.self, failureType: (any Error).self,
            backPressureStrategy: .init(lowWatermark: lowWatermark, highWatermark: highWatermark),
            finishOnDeinit: true, delegate: ReadingControl(channel: channel))
        return (new.source, ServerMessages(producer: new.sequence))
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: producer.makeAsyncIterator()) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        var base: Producer.AsyncIterator
        public mutating func next() async throws -> ServerMessage? { try await base.next() }
    }
}

/// Resumes reading from the socket when messages were consumed, and closes it when nobody will consume any more.
struct ReadingControl: NIOAsyncSequenceProducerDelegate {
    let channel: any Channel

    func produceMore() {
        // On the event loop, so that it comes after the stop that it undoes. Only a closed channel refuses it.
        channel.eventLoop.execute { channel.setOption(.autoRead, value: true).whenComplete { _ in } }
    }

    func didTerminate() { channel.close(promise: nil) }
}
