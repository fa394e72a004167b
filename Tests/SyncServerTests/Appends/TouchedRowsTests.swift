import FocusCore
import Testing

@testable import SyncServer

@Suite struct TouchedRowsTests {
    private func device(_ number: Int) -> RowKey { RowKey(.devices, key: "device-\(number)") }

    @Test("What every event of a frame changes is listed once, and every other row as often as it changed")
    func counters() {
        var touched = TouchedRows()
        for number in 0..<3 {
            touched.add([
                RowKey(.stream), device(1), RowKey(.notifications, key: "n\(number)"), RowKey(.badges, key: "b"),
                RowKey(.appStreams, key: "a"),
            ])
        }
        #expect(touched.keys.count == 3 + 4)
        #expect(
            Set(touched.keys)
                == [
                    RowKey(.stream), device(1), RowKey(.appStreams, key: "a"), RowKey(.badges, key: "b"),
                    RowKey(.notifications, key: "n0"), RowKey(.notifications, key: "n1"),
                    RowKey(.notifications, key: "n2"),
                ])
    }

    @Test("No row is left out where events of more devices come in turn than are looked through")
    func manyDevices() {
        var touched = TouchedRows()
        for number in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 11] { touched.add([device(number)]) }
        #expect(Set(touched.keys) == Set((0..<12).map(device)))
        // The first one was forgotten meanwhile, the last one was not.
        #expect(touched.keys.count == 13)
    }
}
