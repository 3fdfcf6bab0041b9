/* lapack_call.h - calls a LAPACK routine by its Fortran name, with arguments under the names of LAPACK's
 * documentation. */
#ifndef MUBLAS_COMMAND_LAPACK_CALL_H
#define MUBLAS_COMMAND_LAPACK_CALL_H

#include "host/host_search.h"
#include "interpose/lapack/call.h"

/* A real number of either precision. */
union lapack_real {
    float single;
    double wide;
};

/* A routine ignores the arguments that it does not have. Integers have 64 bits; a library of 32 bits reads
 * and writes the low half. */
struct lapack_arguments {
    char jobz, jobvl, range, uplo, diag, side, trans;
    int64_t itype, n, k, nrhs, lda, ldb, ldz, il, iu, m, lwork, lrwork, liwork, info;
    union lapack_real vl, vu, abstol;
    /* w is also s and d, e is wi, z is u and vr, b is vt, c and the left vectors; jobz is jobu, jobvt,
     * jobvr and compz. */
    void *a, *b, *z, *w, *e, *tau, *work, *rwork, *iwork, *ifail, *isuppz, *ipiv;
};

/* Bytes of vectors for each element, whatever its type. */
enum { LAPACK_ELEMENT_MOST = 16 };

/* The rows of lapack.def by number, 0 to lapack_routine_count() - 1. */
int lapack_routine_count(void);
const struct lapack_routine *lapack_routine_row(int routine);
/* Returns the number; -1: there is no such routine. */
int lapack_routine_named(const char *name, size_t length);
/* True when `list` has the routine: names with commas between, or NULL for all. */
bool lapack_routine_is_listed(int routine, const char *list);

/* True when routines of the family can be called here; when they have an argument of that name. */
bool lapack_call_is_known(enum lapack_family family);
bool lapack_call_has(enum lapack_family family, const char *argument);

/* Finds the host's LAPACK: the one in the process, or the system's liblapack.so.3, which it loads with global
 * symbols, so that the shim binds it, or a host BLAS that has LAPACK. Call it before BLAS. */
bool lapack_call_host(struct host_library *host);

/* Integers in arrays such as IPIV, of this host's width. */
size_t lapack_integer_bytes(void);
int64_t lapack_integer_get(const void *integers, int64_t index);
void lapack_integer_put(void *integers, int64_t index, int64_t value);

/* The routine in the shim, if the process preloads it, and in the host. NULL: there is none. */
host_function *lapack_call_in_shim(const struct lapack_routine *routine);
host_function *lapack_call_in_host(const struct lapack_routine *routine, const struct host_library *host);

/* The columns of each matrix and the elements of each vector: the largest size. */
int64_t lapack_arguments_columns(const struct lapack_arguments *arguments);

/* Makes arrays of zeros and workspaces that suffice any of the routines, for the sizes and leading dimensions
 * there. False: out of memory. Free in either case. */
bool lapack_arguments_make(struct lapack_arguments *arguments, enum blas_type type);
void lapack_arguments_free(struct lapack_arguments *arguments);

void lapack_call(host_function *function, const struct lapack_routine *routine,
                 struct lapack_arguments *arguments);

#endif
