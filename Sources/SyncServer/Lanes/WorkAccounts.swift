import DequeModule
import HeapModule

/// Whose turn is next, of accounts that something waits of (rule Q1).
///
/// This is start-time fair queueing. An account's virtual time is the work that was done for it, and the account with
/// the least is next; of several, the one that has waited longest. An account that comes back from idle starts at the
/// virtual time of the last turn: what it did not use is lost, and no others wait for it to catch up. One that had
/// more than others keeps its time while it is idle, so nobody is rid of a debt by going for a moment.
struct WorkAccounts<Key: Hashable, Content> {
    private struct Account {
        /// The virtual time, in units of work.
        var time: Int
        var isWaiting = true
        /// When it began to wait, or went: a number that grows with each turn.
        var since: Int
        var content: Content
    }

    private struct Turn: Comparable {
        var time: Int
        var since: Int
        var key: Key

        static func < (a: Self, b: Self) -> Bool { (a.time, a.since) < (b.time, b.since) }
        static func == (a: Self, b: Self) -> Bool { a.since == b.since }
    }

    private var accounts: [Key: Account] = [:]
    /// The accounts that wait, each once.
    private var turns = Heap<Turn>()
    /// Accounts that do not wait, those that went longest ago first. May hold some that wait again.
    private var gone: Deque<(key: Key, since: Int)> = []
    /// The greatest virtual time at which a turn began in which something was done.
    private var time = 0
    private var lastNumber = 0
    private let goneLimit: Int

    /// - Parameter goneLimit: how many accounts that do not wait are remembered for what they owe. Past that the one
    ///   that went longest ago is forgotten, and starts like a new one.
    init(goneLimit: Int) { self.goneLimit = goneLimit }

    /// Whether no account waits.
    var isEmpty: Bool { turns.isEmpty }
    /// How many accounts there are, waiting or remembered.
    var count: Int { accounts.count }

    /// Lets the account wait for its turn; does nothing while it does.
    /// - Parameter content: of an account that is not known.
    mutating func wait(_ key: Key, opening content: @autoclosure () -> Content) {
        lastNumber += 1
        var start = time
        if let index = accounts.index(forKey: key) {
            guard !accounts.values[index].isWaiting else { return }
            start = max(accounts.values[index].time, time)
            accounts.values[index].isWaiting = true
            accounts.values[index].since = lastNumber
            accounts.values[index].time = start
        } else {
            accounts[key] = Account(time: start, since: lastNumber, content: content())
        }
        turns.insert(Turn(time: start, since: lastNumber, key: key))
    }

    /// The account whose turn it is; nil when none waits. Its turn ends with `endTurn` or `putBack`.
    mutating func next() -> Key? {
        turns.popMin()?.key
    }

    /// Ends the account's turn.
    /// - Parameters:
    ///   - work: what was done for it.
    ///   - waits: whether more of it waits.
    mutating func endTurn(of key: Key, work: Int, waits: Bool) {
        guard let index = accounts.index(forKey: key) else { return }
        lastNumber += 1
        if work > 0 { time = max(time, accounts.values[index].time) }
        accounts.values[index].time += work
        accounts.values[index].since = lastNumber
        accounts.values[index].isWaiting = waits
        if waits {
            turns.insert(Turn(time: accounts.values[index].time, since: lastNumber, key: key))
        } else {
            gone.append((key, lastNumber))
            forget()
        }
    }

    /// Takes back the account's turn: it waits as if it had had none.
    mutating func putBack(_ key: Key) {
        guard let account = accounts[key], account.isWaiting else { return }
        turns.insert(Turn(time: account.time, since: account.since, key: key))
    }

    /// Reads or changes what the account has; nil for an unknown one.
    mutating func with<Result>(_ key: Key, _ body: (inout Content) -> Result) -> Result? {
        guard let index = accounts.index(forKey: key) else { return nil }
        return body(&accounts.values[index].content)
    }

    /// Forgets accounts that owe nothing, and those beyond the bound.
    private mutating func forget() {
        if gone.count > 2 * (accounts.count - turns.count) + 64 {
            gone.removeAll { accounts[$0.key]?.since != $0.since }
        }
        while let (key, since) = gone.first {
            if let account = accounts[key], account.since == since {
                guard account.time <= time || accounts.count - turns.count > goneLimit else { return }
                accounts[key] = nil
            }
            gone.removeFirst()
        }
    }
}
