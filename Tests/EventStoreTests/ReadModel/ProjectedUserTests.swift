import FocusCore
import Support
import Testing

@testable import EventStore

@Suite("ProjectedUser") struct ProjectedUserTests {
    @Test("As many rows as are read at once are read with the state; of one more none, until they are written")
    func readAtOnce() {
        let state = UserState(user: .random())
        let keys = (0...ProjectedUser.readAtOnce).map { RowKey(.notifications, key: "n\($0)") }
        func projected(_ count: Int) -> ProjectedUser {
            ProjectedUser(state, keys: Array(keys.prefix(count)), base: .zero, dueAt: nil, stateBytes: nil)
        }
        let few = projected(ProjectedUser.readAtOnce)
        #expect(few.rows.count == ProjectedUser.readAtOnce && few.rowCount == few.rows.count)
        var many = projected(ProjectedUser.readAtOnce + 1)
        #expect(many.rows.isEmpty && many.rowCount == keys.count)
        many.readRows()
        #expect(Set(many.rows.map(\.key)) == Set(keys) && many.rowCount == keys.count)
    }
}
