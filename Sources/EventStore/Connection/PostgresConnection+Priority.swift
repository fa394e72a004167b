import CScheduler
import PostgresClient

extension PostgresConnection {
    /// Gives this session's backend process, which runs on this machine, the slice of the calling thread: one that
    /// wakes and has the shorter slice does not wait for the next tick (sched(7); since Linux 6.12). Its niceness
    /// stays: it would get less of a processor while others wait for locks that it holds.
    /// Where we may not, as with another user's process, it keeps the slice that it has.
    func takeSliceOfThread() {
        var (ours, theirs) = (scheduling_attributes(), scheduling_attributes())
        // Where an operator chose a policy for real time, that stays.
        guard scheduling_get(0, &ours) == 0, scheduling_get(backendPID, &theirs) == 0, theirs.policy == 0 else {
            return
        }
        theirs.runtime = ours.runtime
        _ = scheduling_set(backendPID, &theirs)
    }

    /// Lowers the priority of this session's backend process, which runs on this machine, by `niceness` (nice(1)).
    /// Where we may not, as with another user's process, it stays as it is.
    func lowerPriority(_ niceness: Int32) {
        var theirs = scheduling_attributes()
        guard scheduling_get(backendPID, &theirs) == 0 else { return }
        theirs.nice = min(19, theirs.nice + niceness)
        _ = scheduling_set(backendPID, &theirs)
    }
}
