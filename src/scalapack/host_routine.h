/* host_routine.h - the program's own ScaLAPACK and BLACS: what a call goes to that mublas does not do. */
#ifndef MUBLAS_SCALAPACK_HOST_ROUTINE_H
#define MUBLAS_SCALAPACK_HOST_ROUTINE_H

#include "host/symbols.h"
#include "scalapack/routine.h"

/* BLACS_blacs_gridinit_, ...: what mublas sees of contexts. */
enum blacs_symbol {
    BLACS_blacs_gridinit_,
    BLACS_Cblacs_gridinit,
    BLACS_blacs_gridmap_,
    BLACS_Cblacs_gridmap,
    BLACS_blacs_gridexit_,
    BLACS_Cblacs_gridexit,
    BLACS_blacs_exit_,
    BLACS_Cblacs_exit,
    BLACS_COUNT
};

/* The host's routine for a call with this return address: the next in the program's search order, else what
 * the calling library depends on, else any that is loaded. Does not return where there is none: one line,
 * then abort. *is_inner (may be NULL): the call comes from the library that has the routine. Thread-safe. */
host_function *host_routine_of(enum parallel_symbol symbol, const void *caller, bool *is_inner);
host_function *host_blacs_of(enum blacs_symbol symbol, const void *caller, bool *is_inner);

#endif
