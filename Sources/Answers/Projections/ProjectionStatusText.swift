import EventStore
import FocusCore

/// How far the read model follows the log, for people and for scripts.
package enum ProjectionStatusText {
    package static func lines(_ status: ProjectionStatus) -> [String] {
        var partitions = Table([
            "PARTITION", "GENERATION", "FOLD", "CHECKPOINT", "HEAD", "EVENTS BEHIND", "SECONDS BEHIND", "LAGGARDS",
        ])
        for partition in status.partitions {
            partitions.add([
                partition.partition.description, String(partition.generation), fold(partition.foldVersion),
                partition.checkpoint.description, partition.head.description, String(partition.lagEvents),
                seconds(partition.lagMicroseconds ?? 0), String(partition.laggards),
            ])
        }
        let total = Total(status)
        partitions.add([
            "total", "", "", String(total.checkpoint), String(total.head), String(total.lagEvents),
            seconds(total.lagMicroseconds), String(total.laggards),
        ])
        var tables = Table(["GENERATION", "TABLE", "ROWS", "SIZE"])
        for table in status.tables {
            tables.add([String(table.generation), table.table, String(table.rows), size(table.bytes)])
        }
        tables.add(["total", "", String(total.rows), size(total.bytes)])
        return ["This program's fold is \(FocusCore.foldVersion).", ""] + partitions.lines + [""] + tables.lines
            + (status.rebuild.map { [""] + UnfinishedRebuildText.lines($0) } ?? [])
    }

    package static func json(_ status: ProjectionStatus) -> String {
        let total = Total(status)
        var json = JSONText()
        json.add("foldVersion", FocusCore.foldVersion)
        json.addRaw("partitions", array(status.partitions.map(Self.json)))
        json.addRaw("tables", array(status.tables.map(Self.json)))
        json.addRaw("rebuild", status.rebuild.map(UnfinishedRebuildText.json) ?? "null")
        json.add("events", total.head)
        json.add("lagEvents", total.lagEvents)
        json.addRaw("lagSeconds", seconds(total.lagMicroseconds))
        json.add("laggards", total.laggards)
        json.add("rows", total.rows)
        json.add("bytes", total.bytes)
        return json.text
    }

    private static func json(_ partition: PartitionProjection) -> String {
        var json = JSONText()
        json.add("partition", partition.partition.rawValue)
        json.add("generation", partition.generation)
        json.addRaw("foldVersion", partition.foldVersion.map(String.init) ?? "null")
        json.add("checkpoint", partition.checkpoint.rawValue)
        json.add("head", partition.head.rawValue)
        json.add("lagEvents", partition.lagEvents)
        json.addRaw("lagSeconds", seconds(partition.lagMicroseconds ?? 0))
        json.add("laggards", partition.laggards)
        return json.text
    }

    private static func json(_ table: TableSize) -> String {
        var json = JSONText()
        json.add("generation", table.generation)
        json.add("table", table.table)
        json.add("rows", table.rows)
        json.add("bytes", table.bytes)
        return json.text
    }

    private static func array(_ values: [String]) -> String { "[\(values.joined(separator: ","))]" }

    private static func fold(_ version: Int32?) -> String { version.map(String.init) ?? "unknown" }

    /// Seconds with three decimals, which is a valid JSON number.
    private static func seconds(_ microseconds: Int64) -> String {
        let thousandths = String(microseconds / 1_000 % 1_000)
        let zeros = String(repeating: "0", count: 3 - thousandths.utf8.count)
        return "\(microseconds / 1_000_000).\(zeros)\(thousandths)"
    }

    private static func size(_ bytes: Int64) -> String {
        for (unit, shift) in [("GiB", 30), ("MiB", 20), ("KiB", 10)] where bytes >= 10 << shift {
            return "\(bytes >> shift) \(unit)"
        }
        return "\(bytes) B"
    }

    private struct Total {
        var checkpoint: Int64 = 0
        var head: Int64 = 0
        var lagEvents: Int64 = 0
        /// The lag of the partition that is furthest behind.
        var lagMicroseconds: Int64 = 0
        var laggards: Int64 = 0
        var rows: Int64 = 0
        var bytes: Int64 = 0

        init(_ status: ProjectionStatus) {
            for partition in status.partitions {
                checkpoint += partition.checkpoint.rawValue
                head += partition.head.rawValue
                lagEvents += partition.lagEvents
                laggards += partition.laggards
                lagMicroseconds = max(lagMicroseconds, partition.lagMicroseconds ?? 0)
            }
            for table in status.tables {
                rows += table.rows
                bytes += table.bytes
            }
        }
    }
}
