import FocusCore

import struct Foundation.Data

extension UUIDIdentifier {
    init(wire bytes: Data, field: String) throws(FrameError) {
        guard let id = Self(bytes: bytes) else { throw .malformed("\(field) is not 16 bytes.") }
        self = id
    }

    var wire: Data { Data(bytes) }
}
