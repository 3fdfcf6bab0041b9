/* lapack_call.h - call a LAPACK routine by its Fortran name, with arguments by the names that LAPACK's documentation
 * gives them. */
#ifndef MUBLAS_COMMAND_LAPACK_CALL_H
#define MUBLAS_COMMAND_LAPACK_CALL_H

#include "host/host_search.h"
#include "interpose/lapack/routines.h"

/* Of either precision. */
union lapack_real {
    float single;
    double wide;
};

/* Those that a routine does not have do not count. Integers of 64 bits, of which a library of 32 bits reads and writes
 * the low half. */
struct lapack_arguments {
    char jobz, jobvl, range, uplo, diag, side, trans;
    int64_t itype, n, k, nrhs, lda, ldb, ldz, il, iu, m, lwork, lrwork, liwork, info;
    union lapack_real vl, vu, abstol;
    /* s and d are w, wi is e, u and vr are z, vt and c are b; jobu, jobvt and jobvr are jobz. Left vectors would be b. */
    void *a, *b, *z, *w, *e, *tau, *work, *rwork, *iwork, *ifail, *isuppz, *ipiv;
};

/* Bytes that vectors have for each element, whatever its type. */
enum { LAPACK_ELEMENT_MOST = 16 };

/* The rows of lapack.def by number, 0 to lapack_routine_count() - 1. */
int lapack_routine_count(void);
const struct lapack_routine *lapack_routine_row(int routine);
/* The number; -1: there is no such routine. */
int lapack_routine_named(const char *name, size_t length);
/* True when `list`, names with commas between or NULL for all, has the routine. */
bool lapack_routine_is_listed(int routine, const char *list);

/* Is it known how to call routines of the family? Does it have an argument of that name? */
bool lapack_call_is_known(enum lapack_family family);
bool lapack_call_has(enum lapack_family family, const char *argument);

/* The host's LAPACK: what the process has, or the system's liblapack.so.3, which is loaded for all to see, so that the shim
 * binds it, or a host BLAS that has LAPACK. Before any call of BLAS. */
bool lapack_call_host(struct host_library *host);

/* Integers of arrays such as IPIV, of the width that this host's have. */
size_t lapack_integer_bytes(void);
int64_t lapack_integer_get(const void *integers, int64_t index);
void lapack_integer_put(void *integers, int64_t index, int64_t value);

/* NULL: it has none. The shim's: in a process that preloads it. */
host_function *lapack_call_in_shim(const struct lapack_routine *routine);
host_function *lapack_call_in_host(const struct lapack_routine *routine, const struct host_library *host);

/* Columns of each matrix, and elements of each vector: as many as the largest size. */
int64_t lapack_arguments_columns(const struct lapack_arguments *arguments);

/* Fill in the arrays, zero, and workspaces that suffice any of the routines: sizes and leading dimensions are there.
 * False: no memory. Free in either case. */
bool lapack_arguments_make(struct lapack_arguments *arguments, enum blas_type type);
void lapack_arguments_free(struct lapack_arguments *arguments);

void lapack_call(host_function *function, const struct lapack_routine *routine, struct lapack_arguments *arguments);

#endif
