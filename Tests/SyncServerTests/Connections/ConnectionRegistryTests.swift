import FocusCore
import NIOConcurrencyHelpers
import NIOCore
import Testing

@testable import SyncServer

/// Which connections are one too many.
@Suite struct ConnectionRegistryTests {
    private func address(_ text: String) throws -> ClientAddress { try #require(ClientAddress(text: text)) }

    private func add(_ registry: ConnectionRegistry, _ id: UInt64, _ text: String?) throws -> ErrorCode? {
        registry.add(id, OutgoingQuota(limit: 1), from: try text.map { try address($0) }) { _ in }
    }

    private func limits(_ change: (inout ConnectionLimits) -> Void) -> ConnectionRegistry {
        var limits = ConnectionLimits()
        change(&limits)
        return ConnectionRegistry(limits: limits)
    }

    @Test("Q2: before Hello an address has few connections; one whose token is accepted makes room for another")
    func unauthenticatedOfAddress() throws {
        let registry = limits { $0.unauthenticatedPerAddress = 2 }
        #expect(try add(registry, 1, "192.0.2.1") == nil && add(registry, 2, "192.0.2.1") == nil)
        #expect(try add(registry, 3, "192.0.2.1") == .tooMany)
        registry.remove(3)
        #expect(try add(registry, 4, "192.0.2.2") == nil, "another address")
        registry.authenticated(1)
        registry.authenticated(1)
        #expect(try add(registry, 5, "192.0.2.1") == nil && add(registry, 6, "192.0.2.1") == .tooMany)
        for id in UInt64(1)...6 { registry.remove(id) }
        #expect(try add(registry, 7, "192.0.2.1") == nil && registry.count == 1)
    }

    @Test("Q2: an address has a bound with tokens too, and all addresses together have one")
    func total() throws {
        let registry = limits {
            $0.perAddress = 2
            $0.total = 4
        }
        for id in UInt64(1)...2 {
            #expect(try add(registry, id, "192.0.2.1") == nil)
            registry.authenticated(id)
        }
        #expect(try add(registry, 3, "192.0.2.1") == .tooMany)
        #expect(try add(registry, 4, "192.0.2.2") == nil)
        #expect(try add(registry, 5, "192.0.2.3") == .overloaded)
        registry.remove(3)
        registry.remove(5)
        #expect(try add(registry, 6, "192.0.2.3") == nil)
    }

    @Test("Q2: addresses of one IPv6 network count together, and IPv4 is the same however it is written")
    func networks() throws {
        let registry = limits { $0.perAddress = 1 }
        #expect(try add(registry, 1, "2001:db8::1") == nil)
        #expect(try add(registry, 2, "2001:db8::2:1") == .tooMany && add(registry, 3, "2001:db8:0:1::1") == nil)
        #expect(try add(registry, 4, "192.0.2.1") == nil && add(registry, 5, "::ffff:192.0.2.1") == .tooMany)
        #expect(try add(registry, 6, "192.0.2.2") == nil)
    }

    @Test("Q2: loopback has no bound of an address, unless it is asked for", arguments: [false, true])
    func loopback(isLimited: Bool) throws {
        let registry = limits {
            $0.perAddress = 1
            $0.limitsLoopback = isLimited
        }
        for (id, text) in ["127.0.0.1", "::1", "127.1.2.3"].enumerated() {
            #expect(try add(registry, UInt64(2 * id), text) == nil)
            #expect(try add(registry, UInt64(2 * id + 1), text) == (isLimited ? .tooMany : nil))
        }
        #expect(try add(registry, 10, nil) == nil && add(registry, 11, nil) == nil)
    }

    @Test("Q2: connections of a trusted proxy count for the address that it names")
    func proxied() throws {
        let range = try #require(AddressRange("10.0.0.0/8"))
        let registry = limits {
            $0.perAddress = 1
            $0.trustedProxies = [range]
        }
        for id in UInt64(1)...3 { #expect(try add(registry, id, "10.1.2.3") == nil) }
        #expect(try registry.connected(1, from: address("192.0.2.1")) == nil)
        #expect(try registry.connected(2, from: address("192.0.2.1")) == .tooMany)
        #expect(registry.connected(3, from: nil) == nil, "the proxy itself")
        registry.remove(1)
        registry.remove(2)
        #expect(try add(registry, 4, "192.0.2.1") == nil)
    }

    @Test("G1: a connection that comes after all were sent away is sent away too, and waited for")
    func late() {
        let registry = limits { _ in }
        let (told, isEmpty) = (NIOLockedValueBox<[UInt64]>([]), NIOLockedValueBox(false))
        func add(_ id: UInt64) -> ErrorCode? {
            registry.add(id, OutgoingQuota(limit: 1), from: nil) { order in
                guard case .goAway(.shuttingDown, _) = order else { return }
                told.withLockedValue { $0.append(id) }
            }
        }
        #expect(add(1) == nil)
        registry.goAway(.shuttingDown) { isEmpty.withLockedValue { $0 = true } }
        #expect(add(2) == nil && told.withLockedValue { $0 } == [1, 2])
        registry.remove(1)
        #expect(!isEmpty.withLockedValue { $0 })
        registry.remove(2)
        #expect(isEmpty.withLockedValue { $0 })
        #expect(add(3) == nil && told.withLockedValue { $0 } == [1, 2, 3])
    }

    @Test("G1: whoever sends all away twice hears of the end twice")
    func twice() throws {
        let registry = limits { _ in }
        let ends = NIOLockedValueBox<[Int]>([])
        #expect(try add(registry, 1, nil) == nil)
        for call in 1...2 { registry.goAway(.shuttingDown) { ends.withLockedValue { $0.append(call) } } }
        #expect(ends.withLockedValue { $0 } == [])
        registry.remove(1)
        #expect(ends.withLockedValue { $0 } == [1, 2])
        registry.goAway(.shuttingDown) { ends.withLockedValue { $0.append(3) } }
        #expect(ends.withLockedValue { $0 } == [1, 2, 3])
    }

    @Test("Ranges of addresses are what CIDR notation says")
    func ranges() throws {
        func contains(_ range: String, _ text: String) throws -> Bool {
            try #require(AddressRange(range)).contains(address(text))
        }
        #expect(try contains("10.0.0.0/8", "10.255.0.1") && !contains("10.0.0.0/8", "11.0.0.1"))
        #expect(try contains("10.1.2.3", "10.1.2.3") && !contains("10.1.2.3", "10.1.2.4"))
        #expect(try contains("0.0.0.0/0", "198.51.100.1") && !contains("0.0.0.0/0", "2001:db8::1"))
        #expect(try contains("::/0", "2001:db8::1") && contains("fd00::/7", "fcff::1"))
        #expect(
            try contains("2001:db8::/65", "2001:db8::7fff:0:0:1") && !contains("2001:db8::/65", "2001:db8::8000:0:0:1"))
        for text in ["", "10.0.0.0/33", "10.0.0.0/-1", "fd00::/129", "host", "10.0.0.0/8/8", "10.0.0.0/"] {
            #expect(AddressRange(text) == nil, "\(text)")
        }
    }
}
