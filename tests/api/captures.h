/* captures.h - what the tests of captured graphs share: calls of which the results are known,
 * captured, replayed, destroyed. Whatever fails that is not under test ends the program. Test
 * points are the tests' alone: tap.h counts in each file for itself. */
#ifndef MUBLAS_TESTS_CAPTURES_H
#define MUBLAS_TESTS_CAPTURES_H

#include "native.h"

#include "emulated_driver/cuda_calls.h"
#include "emulated_driver/emulated.h"

enum { SETS = 6 };

/* All NULL with a GPU's driver. */
extern struct emulated_calls {
    __typeof(emulated_watch_launches) *watch;
    __typeof(emulated_census) *census;
    __typeof(emulated_set_faults) *set_faults;
    __typeof(emulated_poke) *poke;
    __typeof(emulated_await_destructors) *await;
} emulated;

extern struct mublas_handle *handle;
extern int calls_in_graph;

/* Calls that differ in their results, each on a stream of its own. */
extern struct set {
    struct native_operands operands;
    unsigned char *expected, *present; /* y after a plain call; now */
    CUstream stream;
} sets[SETS];

struct graph {
    const struct set *set;
    CUgraph graph;
    CUgraphExec executable;
    const void *counters; /* what tells workspaces apart */
};

/* The counters of the emulated device's latest launch. */
extern const void *seen;

/* The driver, a device, a context; skips the whole test where there is none. Each file has a
 * table of the driver of its own. */
void open_captures(void);
static inline void open_driver(void)
{
    open_captures();
    look_up_graphs(open_cuda(NULL, ""));
}
/* `handle`, with a launch shape of tiles. */
void create_handle(void);
/* Symmetric matrices of about this order. False: plain calls on them are not right. */
bool make_sets(int64_t n);
void free_sets(void);

void queue(const struct set *set);
/* As often as calls_in_graph says; makes graph->graph, which make_executable destroys. */
void capture(const struct set *set, struct graph *graph);
void make_executable(struct graph *graph);
void destroy_executable(struct graph *graph);
/* Spoil the result and launch; wait and compare. */
void launch(const struct graph *graph);
bool is_right(const struct set *set);
bool all_right_at_once(const struct graph *live, int count);
/* Wait until the driver has told that a graph is gone. */
void await_destructors(void);
/* A graph from its capture to its end, *good only if it is right; gives its counters. */
const void *pass(const struct set *set, bool *good);

#endif
