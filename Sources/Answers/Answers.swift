/// The texts and the JSON of answers: what a person or a script reads of rows, events, states, histories, routes, the
/// read model and the rules. A module of its own, so that whatever answers in words says the same: `focusctl` prints
/// what is made here.
///
/// Flow: a program reads values through `EventStore` or the fold → `…Text.lines(value)` for people, `…Text.json(value)`
/// for scripts → the program writes them, wherever it writes to.
///
/// Everything here is a function of its arguments: it reads no file, no clock and no terminal.
package enum Answers {}
