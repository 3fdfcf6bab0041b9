/* offload.h - run one call on the device, if that is the better place.
 *
 * Entry points (level*.inc) check arguments first; what comes here is a legal
 * call with something to do. */
#ifndef MUBLAS_OFFLOAD_H
#define MUBLAS_OFFLOAD_H

#include "common/blas_call.h"
#include "interpose/symbols.h"

#include <stdbool.h>
#include <stdint.h>

/* True: the call ran on the device and its results are in host memory. False:
 * operands are untouched; the entry must run the host BLAS between
 * offload_host_begin and offload_host_end, which count it, keep the
 * host BLAS's own BLAS calls from being offloaded again, and time it. */
struct host_run {
    const void *caller; /* the call's return address, and */
    uint64_t shape;     /* ... its shape (known_shapes.h), set by the entry */
    int reason; /* enum host_reason */
    uint64_t started;
};
bool offload_run(enum symbol symbol, const struct blas_call *call, struct host_run *host_run);
void offload_host_begin(enum symbol symbol, struct host_run *host_run);
void offload_host_end(enum symbol symbol, struct host_run *host_run);

/* Is this thread inside mublas, or in the host BLAS on its behalf? */
bool offload_is_inside(void);

/* For entries that find invalid arguments, a quick return or forbidden overlap:
 * counts the call, which has the return address `caller`; the entry then jumps to the
 * host. */
void offload_count_rejected(enum symbol symbol, const void *caller);

#endif
