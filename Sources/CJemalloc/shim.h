#include <stdbool.h>
#include <stddef.h>

// As jemalloc(3) has it. Its header declares `malloc` too, and otherwise than glibc.
int mallctl(const char *name, void *oldp, size_t *oldlenp, void *newp, size_t newlen);
