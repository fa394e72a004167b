#if FAULT_POINTS
    import Foundation

    /// What the environment variable `FOCUSD_FAULT` asks for: `notifyLost` puts that fault in force from the start,
    /// `committed:2` kills the process with SIGKILL at the second pass of that point.
    enum RequestedFault {
        case inForce(Fault)
        case killed(at: FaultPoint, pass: Int)

        static let ofEnvironment = ProcessInfo.processInfo.environment["FOCUSD_FAULT"].flatMap { Self($0) }

        init?(_ text: String) {
            let parts = text.split(separator: ":").map(String.init)
            if parts.count == 1, let fault = Fault(rawValue: parts[0]) {
                self = .inForce(fault)
            } else if parts.count == 2, let point = FaultPoint(rawValue: parts[0]), let pass = Int(parts[1]) {
                self = .killed(at: point, pass: pass)
            } else {
                return nil
            }
        }
    }
#endif
