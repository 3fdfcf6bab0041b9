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

/* A call of one routine, type and width by whatever symbol, from its PACK function; the
 * lists are parenthesised, the hidden string lengths at the end of the first two. A call
 * that stays on the host after a look at the device is counted and timed there. */
#define DEFINE_PERFORM(base, parameters, arguments, pack_arguments)              \
    typedef void SIGNATURE(base) parameters;                                     \
    static __attribute__((noinline)) bool PERFORM(base)(enum symbol symbol,      \
                                                        UNPARENTHESISED parameters) \
    {                                                                            \
        struct blas_call call;                                                   \
        struct host_run host_run;                                                \
        if (!PACK(base) pack_arguments)                                          \
            return false;                                                        \
        if (offload_run(symbol, &call, &host_run))                               \
            return true;                                                         \
        offload_host_begin(symbol, &host_run);                                   \
        ((SIGNATURE(base) *)host_functions[symbol]) arguments;                   \
        offload_host_end(symbol, &host_run);                                     \
        return true;                                                             \
    }

/* Its entries: one per Fortran interface whose integers may have this width. */
#define ENTRY_OF(symbol, base, parameters, arguments)                            \
    void JOIN(JOIN(entry, INTEGER_WIDTH), _##symbol) parameters;                 \
    void JOIN(JOIN(entry, INTEGER_WIDTH), _##symbol) parameters                  \
    {                                                                            \
        if (PERFORM(base)(SYMBOL_##symbol, UNPARENTHESISED arguments))           \
            return;                                                              \
        offload_count_rejected(SYMBOL_##symbol);                                 \
        ((SIGNATURE(base) *)host_functions[SYMBOL_##symbol]) arguments;          \
    }
#define ENTRY_OF_32_32 ENTRY_OF
#define ENTRY_OF_32_64(...)
#define ENTRY_OF_32_DETECTED ENTRY_OF
#define ENTRY_OF_64_32(...)
#define ENTRY_OF_64_64 ENTRY_OF
#define ENTRY_OF_64_DETECTED ENTRY_OF
#define ENTRY_ROW(prefix, suffix, width, routine, base, parameters, arguments)   \
    JOIN(JOIN(ENTRY_OF_, INTEGER_WIDTH), _##width)                               \
    (prefix##routine##suffix, base, parameters, arguments)

#define DEFINE_ROUTINE(base, routine, parameters, arguments)                     \
    FORTRAN_INTERFACES(ENTRY_ROW, routine, base, parameters, arguments)
#define DEFINE_ENTRY(base, parameters, arguments, pack_arguments)                \
    DEFINE_PERFORM(base, parameters, arguments, pack_arguments)                  \
    DEFINE_ROUTINE(base, PRECISION(base), parameters, arguments)
#define UNPARENTHESISED(...) __VA_ARGS__

#define PRECISION_S
#define INTEGER_WIDTH 32
#include "interpose/precision.h"
#include "interpose/level1.inc"
#include "interpose/level2.inc"
#include "interpose/level3.inc"
#undef PRECISION_S
#undef INTEGER_WIDTH

#define PRECISION_S
#define INTEGER_WIDTH 64
#include "interpose/precision.h"
#include "interpose/level1.inc"
#include "interpose/level2.inc"
#include "interpose/level3.inc"
#undef PRECISION_S
#undef INTEGER_WIDTH

#define PRECISION_D
#define INTEGER_WIDTH 32
#include "interpose/precision.h"
#include "interpose/level1.inc"
#include "interpose/level2.inc"
#include "interpose/level3.inc"
#undef PRECISION_D
#undef INTEGER_WIDTH

#define PRECISION_D
#define INTEGER_WIDTH 64
#include "interpose/precision.h"
#include "interpose/level1.inc"
#include "interpose/level2.inc"
#include "interpose/level3.inc"
#undef PRECISION_D
#undef INTEGER_WIDTH
