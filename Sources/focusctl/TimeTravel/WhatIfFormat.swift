import ArgumentParser

/// How the differences of `what-if` are written.
enum WhatIfFormat: String, ExpressibleByArgument, CaseIterable {
    /// A table for people.
    case table
    /// A JSON object per line.
    case json
    /// RFC 4180, with a line of column names.
    case csv
}
