import CLibPQ

/// The object ids of the built-in types used here (`pg_type.dat`; they never change).
enum TypeOID {
    static let inferred: Oid = 0
    static let bool: Oid = 16
    static let bytea: Oid = 17
    static let char: Oid = 18
    static let name: Oid = 19
    static let int8: Oid = 20
    static let int2: Oid = 21
    static let int4: Oid = 23
    static let text: Oid = 25
    static let oid: Oid = 26
    static let json: Oid = 114
    static let xid8: Oid = 5069
    static let float4: Oid = 700
    static let float8: Oid = 701
    static let unknown: Oid = 705
    static let bpchar: Oid = 1042
    static let varchar: Oid = 1043
    static let timestamptz: Oid = 1184
    static let uuid: Oid = 2950
    static let boolArray: Oid = 1000
    static let byteaArray: Oid = 1001
    static let int2Array: Oid = 1005
    static let int4Array: Oid = 1007
    static let textArray: Oid = 1009
    static let int8Array: Oid = 1016
    static let float8Array: Oid = 1022
    static let timestamptzArray: Oid = 1185
    static let uuidArray: Oid = 2951
    /// Types made by users begin here. All of them are read as text: the schema makes enums alone, whose binary form is
    /// their label.
    static let firstUserDefined: Oid = 16384
}

extension PostgresValue {
    /// The declared type of the parameter.
    var type: Oid {
        switch self {
        case .null, .text: TypeOID.inferred
        case .bool: TypeOID.bool
        case .int2: TypeOID.int2
        case .int4: TypeOID.int4
        case .int8: TypeOID.int8
        case .float8: TypeOID.float8
        case .bytea: TypeOID.bytea
        case .uuid: TypeOID.uuid
        case .timestamptz: TypeOID.timestamptz
        case .int2Array: TypeOID.int2Array
        case .int4Array: TypeOID.int4Array
        case .int8Array, .int8OptionalArray: TypeOID.int8Array
        case .float8Array: TypeOID.float8Array
        case .boolArray: TypeOID.boolArray
        case .textArray: TypeOID.textArray
        case .byteaArray: TypeOID.byteaArray
        case .uuidArray: TypeOID.uuidArray
        case .timestamptzArray: TypeOID.timestamptzArray
        }
    }

    var isNull: Bool {
        if case .null = self { return true }
        return false
    }
}
