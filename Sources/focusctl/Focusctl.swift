import ArgumentParser
@main struct Focusctl: AsyncParsableCommand { func run() async throws {} }
