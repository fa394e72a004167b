/// Why a preference has its value, or none.
extension UserState {
    func preferenceVerdict(_ key: String, _ app: AppID) -> Verdict {
        let row: PreferenceRow? = try? shared.value(of: RowKey(.preferences, app: app, key: key))
        guard let row else {
            return Verdict(
                decision: "absent", rule: "D1", sentence: "Nobody set it, and the app registered no default.",
                deciding: ["set", "default"])
        }
        let isSet = record(of: app)?.preferences.isSet(ByteText(key)) ?? false
        return Verdict(
            decision: row.value.json, rule: "D1",
            sentence: isSet
                ? "It was set to this value." : "Nobody set it: it has the default that the app registered.",
            deciding: isSet ? ["set"] : ["default", "build"])
    }

    func preferenceEvidence(_ key: String, _ app: AppID) -> ([Explanation.Input], [RowKey]) {
        let table = record(of: app)?.preferences ?? PreferenceTable()
        let standard = table.defaults?.rows[ByteText(key)].flatMap { try? PreferenceRow(decoding: $0) }
        let inputs = [
            Explanation.Input("set", table.isSet(ByteText(key))),
            Explanation.Input("default", standard?.value.json ?? "none"),
            Explanation.Input("build", table.defaults.map { "\($0.build)" } ?? "none"),
        ]
        return (inputs, [RowKey(.preferenceDefaults, app: app)])
    }
}
