import AdminPort

extension MetricFamily {
    /// One value for each value of a label, in its order.
    static func byLabel(
        _ name: String, _ kind: Kind, _ help: String, _ label: String, _ values: [String: Int]
    ) -> MetricFamily {
        MetricFamily(
            name, kind, help,
            values.sorted { $0.key < $1.key }.map { MetricSample(Double($0.value), (label, $0.key)) })
    }
}

extension Sequence {
    /// The sum over all lanes.
    func sum(_ value: (Element) -> Int) -> Int { reduce(0) { $0 + value($1) } }

    /// The sums over all lanes, for each key.
    func merged<Key>(_ values: (Element) -> [Key: Int]) -> [Key: Int] {
        reduce(into: [:]) { sums, element in sums.merge(values(element)) { $0 + $1 } }
    }
}

extension Dictionary where Value == Int {
    /// The same with names for keys.
    /// - Parameter all: keys that are to be there, with 0 if they have no value.
    func byName(_ name: (Key) -> String, all: [Key] = []) -> [String: Int] {
        var named: [String: Int] = [:]
        for key in all { named[name(key)] = 0 }
        for (key, value) in self { named[name(key), default: 0] += value }
        return named
    }
}
