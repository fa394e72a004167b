import SeededNumbers

/// libFuzzer's own mutation of bytes.
@_silgen_name("LLVMFuzzerMutate")
private func mutateBytes(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ room: Int) -> Int

/// The mutator that libFuzzer finds by this name. Mutations of the whole input would nearly always break the lengths of
/// its records, so most of the time one record is mutated, or records are dropped, repeated or swapped.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutateRecords(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ room: Int, _ seed: UInt32) -> Int {
    var dice = Dice(seed: UInt64(seed))
    var input = FuzzInput(UnsafeBufferPointer(start: bytes, count: count))
    var records: [[UInt8]] = []
    while let record = input.next() { records.append(record.bytes) }
    guard !records.isEmpty, dice.below(32) > 0 else { return mutateBytes(bytes, count, room) }
    let place = dice.below(records.count)
    switch dice.below(16) {
    case 0: records.remove(at: place)
    case 1: records.insert(records[place], at: dice.below(records.count + 1))
    case 2: records.swapAt(place, dice.below(records.count))
    case 3: records.removeLast(records.count - place)
    case 4, 5, 6: mutate(&records[place], at: dice.below(5), to: UInt8(dice.below(256)))
    default: records[place] = mutated(records[place])
    }
    let result = FuzzInput.bytes(records, limit: room)
    result.withUnsafeBufferPointer { if let start = $0.baseAddress { bytes.update(from: start, count: $0.count) } }
    return result.count
}

/// Sets one of the first bytes, which say what the record is: they deserve more than one mutation in a thousand.
private func mutate(_ record: inout [UInt8], at index: Int, to byte: UInt8) {
    while record.count <= index { record.append(0) }
    record[index] = byte
}

private func mutated(_ record: [UInt8]) -> [UInt8] {
    let room = min(0xFFFF, max(64, record.count * 2))
    return [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
        _ = buffer.initialize(fromContentsOf: record)
        buffer[record.count...].initialize(repeating: 0)
        count = buffer.baseAddress.map { mutateBytes($0, record.count, room) } ?? 0
    }
}

/// Numbers of the mutator: a mutation must depend on libFuzzer's seed alone.
private struct Dice {
    private var numbers: SplitMix64

    init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

    mutating func below(_ bound: Int) -> Int { Int(numbers.next() % UInt64(bound)) }
}
