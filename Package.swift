// swift-tools-version: 6.2
import PackageDescription

/// Every target: Swift 6 mode (the tools version), and no warning survives a build of this package. Where it is a
/// dependency, SwiftPM leaves the warnings out; a package with unsafe flags could be no dependency at all.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let collections = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let heaps = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioLocks = Target.Dependency.product(name: "NIOConcurrencyHelpers", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")

let package = Package(
    name: "focus-sync",
    // `Mutex` of the standard library. The server runs on Linux; these are for the client library.
    platforms: [.macOS(.v15), .iOS(.v18), .watchOS(.v11), .tvOS(.v18), .visionOS(.v2)],
    products: [
        .executable(name: "focusd", targets: ["focusd"]),
        .executable(name: "focusctl", targets: ["focusctl"]),
        .executable(name: "focus-bench", targets: ["focus-bench"]),
        .executable(name: "focus-conformance", targets: ["focus-conformance"]),
        .library(name: "FocusSyncClient", targets: ["FocusSyncClient"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CJemalloc", pkgConfig: "jemalloc", providers: [.apt(["libjemalloc-dev"])]),
        .systemLibrary(name: "CScheduler"),
        target("SeededNumbers", []),
        target("Waits", []),
        target("Listeners", [logging, nioCore]),
        target("PostgresClient", ["CLibPQ", "Waits"]),
        target("FocusCore", [crypto]),
        target("FocusWire", ["FocusCore", protobuf]),
        target("Tokens", ["FocusCore", crypto]),
        target("KeyFiles", ["FocusCore", "Tokens", crypto]),
        target(
            "EventStore",
            [
                "CScheduler", "FocusCore", "FocusWire", "PostgresClient", "SeededNumbers", "Waits", crypto, logging,
                nioLocks,
            ]),
        .target(
            name: "SyncServer",
            dependencies: [
                "CScheduler", "FocusCore", "FocusWire", "EventStore", "Listeners", "Tokens", "Waits", nioCore, nioLocks,
                nioPosix, nioSSL, nioTLS, lifecycle, logging, collections, heaps,
            ],
            swiftSettings: strict + [.define("FAULT_POINTS", .when(configuration: .debug))]),
        target("AdminPort", ["Listeners", logging, nioCore, nioHTTP1, nioLocks, nioPosix, nioSSL]),
        target("FocusSyncClient", ["FocusCore", "FocusWire", "Tokens", nioCore, nioPosix, nioSSL, grdb]),
        target("Conformance", ["FocusCore", "FocusWire", nioCore, nioLocks, nioPosix, nioSSL, nioTLS]),
        target("Answers", ["FocusCore", "FocusWire", "EventStore"]),
        target(
            "Programs",
            [
                "Answers", "FocusCore", "FocusWire", "EventStore", "FocusSyncClient", "PostgresClient", "Tokens",
                arguments,
            ]),
        .executableTarget(
            name: "focusd",
            dependencies: [
                "AdminPort", "Answers", "CJemalloc", "FocusCore", "EventStore", "KeyFiles", "PostgresClient",
                "SyncServer", "Tokens", arguments, lifecycle, signals, logging,
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "focusctl",
            dependencies: [
                "FocusCore", "FocusWire", "EventStore", "FocusSyncClient", "KeyFiles", "PostgresClient", "Answers",
                "Programs", "Tokens", arguments, nioLocks,
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "focus-bench",
            dependencies: [
                "FocusCore", "FocusWire", "EventStore", "FocusSyncClient", "PostgresClient", "SeededNumbers", "Answers",
                "Programs", "Tokens", arguments,
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "focus-conformance",
            dependencies: [
                "FocusCore", "EventStore", "FocusSyncClient", "Conformance", "Answers", "Programs", "Tokens", arguments,
                nioLocks,
            ],
            swiftSettings: strict),

        .target(
            name: "Support", dependencies: ["FocusCore", "EventStore", "PostgresClient", logging, nioLocks],
            path: "Tests/Support",
            swiftSettings: strict),
        tests("ArchitectureTests", ["Support"], exclude: ["Traps.txt"]),
        tests("WaitsTests", ["Waits"]),
        tests("ListenersTests", ["Listeners", "Support", nioCore, nioEmbedded, nioLocks, nioPosix, logging]),
        tests("PostgresClientTests", ["PostgresClient", "Support"]),
        tests("FocusCoreTests", ["FocusCore", "SeededNumbers"]),
        tests("TokensTests", ["Tokens", "FocusCore", crypto]),
        tests("KeyFilesTests", ["KeyFiles", "FocusCore", "Support", "Tokens"]),
        tests("FocusWireTests", ["FocusWire", "FocusCore", "SeededNumbers", "Support", protobuf]),
        tests(
            "EventStoreTests", ["EventStore", "FocusCore", "FocusWire", "PostgresClient", "SeededNumbers", "Support"]),
        tests("AdminPortTests", ["AdminPort", "Support", logging, nioCore, nioHTTP1, nioLocks, nioPosix, nioSSL]),
        tests("ConformanceTests", ["Conformance", "FocusCore", "FocusWire", "Support", nioCore, nioPosix]),
        tests("AnswersTests", ["Answers", "EventStore", "FocusCore", "Support"]),
        tests("focusctlTests", ["focusctl", "EventStore", "FocusCore", "Support"]),
        tests(
            "SyncServerTests",
            [
                "SyncServer", "EventStore", "FocusCore", "FocusWire", "PostgresClient", "SeededNumbers", "Support",
                "Tokens", nioEmbedded, nioLocks, nioPosix, nioSSL, nioTLS, logging,
            ]),
        tests(
            "EndToEndTests",
            [
                "AdminPort", "SyncServer", "FocusSyncClient", "EventStore", "FocusCore", "FocusWire", "PostgresClient",
                "SeededNumbers", "Support", "focusd", "focusctl", "focus-bench", "focus-conformance", "Conformance",
                "Tokens", arguments, nioCore, nioEmbedded, nioLocks, nioPosix, logging,
            ]),
        tests(
            "SimulationTests",
            [
                "SyncServer", "FocusSyncClient", "EventStore", "FocusCore", "FocusWire", "PostgresClient",
                "SeededNumbers", "Tokens", "Waits", nioCore, nioEmbedded, logging,
            ]),
        tests(
            "FocusSyncClientTests",
            [
                "FocusSyncClient", "FocusCore", "FocusWire", "SeededNumbers", "Support", nioCore, nioEmbedded, grdb,
            ]),
    ]
)

func target(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

// Only `ops/fuzz` sets this, to the path of libFuzzer: the modules that take bytes from the network and the database
// are instrumented, and a program runs the targets. Else a test runs them, which also keeps them compiling.
let fuzzedModules = ["FocusCore", "FocusWire", "PostgresClient", "EventStore", "SyncServer", "Tokens"]
let fuzzDependencies = fuzzedModules.map { Target.Dependency(stringLiteral: $0) } + ["CLibPQ", "SeededNumbers", crypto]
if let libFuzzer = Context.environment["FOCUS_FUZZ"] {
    let instrumented: [SwiftSetting] = [.unsafeFlags(["-sanitize=fuzzer", "-enable-testing"])]
    for target in package.targets where fuzzedModules.contains(target.name) {
        target.swiftSettings = (target.swiftSettings ?? []) + instrumented
    }
    package.products.append(.executable(name: "fuzz", targets: ["Fuzz"]))
    package.targets.append(
        .executableTarget(
            name: "Fuzz", dependencies: fuzzDependencies, path: "ops/fuzz.d/Sources", swiftSettings: strict,
            linkerSettings: [.unsafeFlags(["-Xlinker", libFuzzer, "-lstdc++"])]))
} else {
    package.targets.append(
        .testTarget(
            name: "FuzzTests", dependencies: fuzzDependencies, path: "ops/fuzz.d",
            exclude: ["Sources/main.swift", "Sources/FuzzMutator.swift", "corpus", "protobuf.dict"],
            sources: ["Sources", "Tests"], swiftSettings: strict))
}
