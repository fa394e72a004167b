import CLibPQ

/// Fields of a report (libpq's `PG_DIAG_…`, which are character macros that Swift cannot import).
enum DiagnosticField: Character {
    case severity = "V"
    case sqlState = "C"
    case primaryMessage = "M"
    case constraint = "n"
    case sourceFunction = "R"
}

func diagnostic(_ result: OpaquePointer, _ field: DiagnosticField) -> String? {
    field.rawValue.asciiValue.flatMap { PQresultErrorField(result, Int32($0)) }.map { String(cString: $0) }
}
