extension RouteAggregates {
    func write(to writer: inout ProtoWriter) {
        writer.message(1) { counts.write(to: &$0) }
        if let start { writer.presentVarint(2, UInt64(bitPattern: start.microseconds)) }
        if let end { writer.presentVarint(3, UInt64(bitPattern: end.microseconds)) }
        writer.int(4, durationMicroseconds)
        writer.int(5, movingMicroseconds)
        writer.double(6, distance)
        writer.double(7, elevationGain)
        writer.double(8, elevationLoss)
        if let altitude {
            writer.message(9) {
                $0.double(1, altitude.lowerBound)
                $0.double(2, altitude.upperBound)
            }
        }
        writer.double(10, averageSpeed)
        writer.double(11, movingAverageSpeed)
        writer.double(12, maximumSpeed)
        if let bounds { writer.message(13) { bounds.write(to: &$0) } }
        for split in splits {
            writer.message(14) {
                $0.double(1, split.distance)
                $0.int(2, split.durationMicroseconds)
            }
        }
        writer.int(15, largestGapMicroseconds)
        writer.int(16, Int64(gapsOver3Seconds))
    }

    init(decoding bytes: ArraySlice<UInt8>) throws(ProtoError) {
        self.init()
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: counts = try RouteCounts(decoding: value.bytes())
            case 2: start = Timestamp(microseconds: try value.int())
            case 3: end = Timestamp(microseconds: try value.int())
            case 4: durationMicroseconds = try value.int()
            case 5: movingMicroseconds = try value.int()
            case 6: distance = try value.double()
            case 7: elevationGain = try value.double()
            case 8: elevationLoss = try value.double()
            case 9:
                let ends = try Self.doubles(2, in: value.bytes())
                guard ends[0] <= ends[1] else { throw .malformed }
                altitude = ends[0]...ends[1]
            case 10: averageSpeed = try value.double()
            case 11: movingAverageSpeed = try value.double()
            case 12: maximumSpeed = try value.double()
            case 13:
                let edges = try Self.doubles(4, in: value.bytes())
                bounds = RouteBounds(south: edges[0], west: edges[1], north: edges[2], east: edges[3])
            case 14: splits.append(try RouteSplit(decoding: value.bytes()))
            case 15: largestGapMicroseconds = try value.int()
            case 16: gapsOver3Seconds = Int(truncatingIfNeeded: try value.int())
            default: break
            }
        }
    }

    /// A message of the double fields 1 … `count`.
    private static func doubles(_ count: Int, in bytes: ArraySlice<UInt8>) throws(ProtoError) -> [Double] {
        var values = [Double](repeating: 0, count: count)
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            if (1...count).contains(field) { values[field - 1] = try value.double() }
        }
        return values
    }
}

extension RouteBounds {
    func write(to writer: inout ProtoWriter) {
        writer.double(1, south)
        writer.double(2, west)
        writer.double(3, north)
        writer.double(4, east)
    }
}

extension RouteSplit {
    init(decoding bytes: ArraySlice<UInt8>) throws(ProtoError) {
        self.init(distance: 0, durationMicroseconds: 0)
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: distance = try value.double()
            case 2: durationMicroseconds = try value.int()
            default: break
            }
        }
    }
}
