/* graph_hold.h - tells when a captured graph no longer needs the memory of its kernels.
 *
 * The graph owns a CUDA user object. CUDA's rules (Programming Guide, "CUDA User Objects"): clones, child
 * graphs and executables made of the graph have references of their own; an executable that is destroyed or
 * updated while it runs keeps its reference until its launches have completed. CUDA calls the destructor
 * after the last reference, at once or later, on any thread, where the destructor must not call CUDA: it
 * writes one word of host memory. (An H100's driver 580 calls it on the thread that destroys the graph.) */
#ifndef MUBLAS_API_GRAPH_HOLD_H
#define MUBLAS_API_GRAPH_HOLD_H

#include "gpu/driver.h"

#include <stdbool.h>

struct graph_hold;

/* Begins to hold for a graph that is being captured or edited; nothing else may use the graph meanwhile.
 * NULL: the driver cannot, or memory is short, and the end of the graph stays unknown. */
struct graph_hold *graph_hold_begin(CUgraph graph);

/* True once neither the graph nor anything made of it exists or runs: later launches see what its kernels
 * wrote. Any thread. */
bool graph_hold_is_over(const struct graph_hold *hold);

/* Ends the caller's interest, whether the graph is gone or not. Calls no CUDA; accepts NULL. */
void graph_hold_forget(struct graph_hold *hold);

#endif
