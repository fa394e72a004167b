import FocusCore
import NIOCore

/// What a server says, as it comes. Between `highWatermark` messages waiting and `lowWatermark` nothing is read from
/// the socket.
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

/// Lets the socket be read again when messages were taken, and closes it when nobody will take any more.
struct ReadingControl: NIOAsyncSequenceProducerDelegate {
    let channel: any Channel

    func produceMore() {
        // On the loop, after whatever stopped the reading there; only a closed channel refuses it.
        channel.eventLoop.execute { channel.setOption(.autoRead, value: true).whenComplete { _ in } }
    }

    func didTerminate() { channel.close(promise: nil) }
}
