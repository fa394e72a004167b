// sched_setattr(2) and sched_getattr(2), for which older versions of glibc have no functions.
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

// The first version of the kernel's `struct sched_attr`, which all kernels take.
struct scheduling_attributes {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime;
    uint64_t deadline;
    uint64_t period;
};

// Both concern the thread of this number, 0 the calling one, and return 0, or -1 with `errno`.
static inline int scheduling_set(int32_t thread, struct scheduling_attributes *attributes) {
    attributes->size = sizeof *attributes;
    return (int)syscall(SYS_sched_setattr, thread, attributes, 0);
}

static inline int scheduling_get(int32_t thread, struct scheduling_attributes *attributes) {
    return (int)syscall(SYS_sched_getattr, thread, attributes, sizeof *attributes, 0);
}
