/* graph_hold.h - tells when a captured graph no longer needs what its kernels use.
 *
 * A CUDA user object that the graph owns holds on for it. CUDA's rules (Programming Guide,
 * "CUDA User Objects"): clones, child graphs and executables made of the graph have references
 * of their own; those of an executable that is destroyed or updated while it runs are kept
 * until its launches have completed. The destructor of the last comes at once or at some later
 * time, on any thread, where CUDA must not be called: it writes one word of host memory.
 * (An H100's driver 580 calls it on the thread that destroys the graph.) */
#ifndef MUBLAS_API_GRAPH_HOLD_H
#define MUBLAS_API_GRAPH_HOLD_H

#include "gpu/driver.h"

#include <stdbool.h>

struct graph_hold;

/* Begin to hold, for a graph that is being captured or edited; nothing else may use the graph
 * meanwhile. NULL when the driver cannot or memory is short: nobody will know when it is over. */
struct graph_hold *graph_hold_begin(CUgraph graph);

/* True once neither the graph nor what was made of it exists or runs: what the kernels wrote is
 * visible to launches that follow. Any thread. */
bool graph_hold_is_over(const struct graph_hold *hold);

/* The caller no longer asks, whether it is over or not. Calls no CUDA; NULL is fine. */
void graph_hold_forget(struct graph_hold *hold);

#endif
