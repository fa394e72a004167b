import Foundation

// Runs one target under libFuzzer: `fuzz <target> [libFuzzer's options and corpora]`. `ops/fuzz` calls it.

/// libFuzzer's entry point for programs that have a `main` of their own.
@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

var arguments = CommandLine.arguments
guard arguments.count > 1, let target = FuzzTarget(rawValue: arguments.remove(at: 1)) else {
    FileHandle.standardError.write(Data("usage: fuzz frames|session|events|tokens|stored [options] [corpus]\n".utf8))
    exit(2)
}
chosen = target
// Never freed: libFuzzer keeps both pointers for the life of the process.
var count = Int32(arguments.count)
var pointers = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: arguments.count + 1)
for (index, argument) in arguments.enumerated() { pointers[index] = strdup(argument) }
pointers[arguments.count] = nil
exit(
    runDriver(&count, &pointers) { bytes, count in
        chosen.run(UnsafeBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
        return 0
    })
