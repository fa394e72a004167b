// The module of glibc leaves malloc.h out.
#include <malloc.h>
