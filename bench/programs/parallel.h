/* parallel.h - making and checking large matrices on all cores. */
#ifndef MUBLAS_BENCH_PARALLEL_H
#define MUBLAS_BENCH_PARALLEL_H

#include <stddef.h>

/* Calls body(context, begin, end) for parts of 0 to count, each index once, on as many
 * threads as there are cores if `operations`, of all together, are worth it. Returns when
 * all are done; the threads are gone then. */
void parallel_for(size_t count, double operations, void (*body)(void *context, size_t begin, size_t end),
                  void *context);

#endif
