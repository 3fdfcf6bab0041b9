/* entries.c - where calls past the gates of forward.S arrive: one body per routine
 * family (level*.inc), included once per type.
 *
 * PACK checks the arguments as reference BLAS does and describes a legal call
 * that has something to do; anything else (an illegal value, a quick return,
 * alpha = 0, operands that overlap) makes the entry jump to the host with its
 * arguments untouched, before any lock or state change, so that the program's own
 * xerbla_ sees what it would have seen and may longjmp. The jump is a sibling
 * call where the compiler makes one: an entry has no locals whose address is taken. */
#include "interpose/arguments.h"
#include "interpose/host_blas.h"
#include "interpose/offload.h"
#include "interpose/overlap.h"

/* The entry of one routine from its PACK function; the lists are parenthesised, the
 * hidden string lengths at the end of the first two. A call that stays on the host
 * after a look at the device is counted and timed there. */
#define DEFINE_ENTRY(base, parameters, arguments, pack_arguments)                \
    typedef void SIGNATURE(base) parameters;                                     \
    static __attribute__((noinline)) bool PERFORM(base) parameters               \
    {                                                                            \
        struct blas_call call;                                                   \
        struct host_run host_run;                                                \
        if (!PACK(base) pack_arguments)                                          \
            return false;                                                        \
        if (offload_run(ROUTINE(base), &call, &host_run))                        \
            return true;                                                         \
        offload_host_begin(ROUTINE(base), &host_run);                            \
        HOST(base) arguments;                                                    \
        offload_host_end(ROUTINE(base), &host_run);                              \
        return true;                                                             \
    }                                                                            \
    void ENTRY(base) parameters;                                                 \
    void ENTRY(base) parameters                                                  \
    {                                                                            \
        if (PERFORM(base) arguments)                                             \
            return;                                                              \
        offload_count_rejected(ROUTINE(base));                                   \
        HOST(base) arguments;                                                    \
    }

#define PRECISION_S
#include "interpose/precision.h"
#include "interpose/level1.inc"
#include "interpose/level2.inc"
#include "interpose/level3.inc"
#undef PRECISION_S

#define PRECISION_D
#include "interpose/precision.h"
#include "interpose/level1.inc"
#include "interpose/level2.inc"
#include "interpose/level3.inc"
#undef PRECISION_D
