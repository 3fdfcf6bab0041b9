/* host_run.h - run the host's routine in the program's stead, with the program's own arguments.
 *
 * Where nothing is to be done afterwards the stub jumps there instead. The nesting depth stays what it
 * was, so what the routine calls inside is intercepted as ever. */
#ifndef MUBLAS_LAPACK_HOST_RUN_H
#define MUBLAS_LAPACK_HOST_RUN_H

#include "interpose/lapack/call.h"

#include <stdbool.h>

enum { LAPACK_WORDS_MAX = 32 };

/* How calls inside are treated. */
enum host_run_kind {
    HOST_RUN_PLAIN,
    HOST_RUN_CREDITED,      /* what they would save on a device is credited to the outer call already */
    HOST_RUN_WITHOUT_ROUTES /* and no route inside goes to the device: its data has failed there */
};

/* The arguments, and what may be hidden lengths of strings behind them. */
void host_run_words(const struct lapack_call *call, uint64_t words[LAPACK_WORDS_MAX]);
void host_run_with(host_function *host, const uint64_t words[LAPACK_WORDS_MAX]);

/* In the program's arithmetic, outside offload_enter and offload_leave. */
void host_run(const struct lapack_call *call, enum host_run_kind kind);

/* What this thread runs in, innermost; HOST_RUN_PLAIN outside any. One that was left by a jump counts no
 * more. */
enum host_run_kind host_run_kind_here(void);

/* Before a jump is made. */
struct jump;
void host_run_leave(const struct jump *jump);

#endif
