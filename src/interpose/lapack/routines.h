/* routines.h - the rows of lapack.def, by symbol. */
#ifndef MUBLAS_LAPACK_ROUTINES_H
#define MUBLAS_LAPACK_ROUTINES_H

#include "common/blas_call.h"
#include "host/symbols.h"
#include "lapack/families.h"

struct lapack_routine {
    const char *name; /* "dsyevd" */
    enum lapack_family family;
    enum blas_type type;
    int order; /* the number of the argument that is the matrix's order; those before it are letters or
                  integers */
    int words; /* arguments, without hidden lengths */
};

/* Of a symbol of LAPACK. Static storage. */
const struct lapack_routine *lapack_routine_of(enum symbol symbol);

#endif
