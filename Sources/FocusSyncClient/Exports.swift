// Whoever imports the client library has the types that its declarations are made of: events, rows, cursors.
@_exported import FocusCore
