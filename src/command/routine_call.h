/* routine_call.h - calls a BLAS or LAPACK routine by its Fortran name, as programs do.
 *
 * BLAS routines (routine_call.c) get their flags in turn or by chance; chance is the same for the same
 * state of the random numbers. LAPACK routines (lapack_call.c) get arguments under the names of LAPACK's
 * documentation. */
#ifndef MUBLAS_ROUTINE_CALL_H
#define MUBLAS_ROUTINE_CALL_H

#include "common/blas_call.h"
#include "host/host_search.h"
#include "interpose/lapack/call.h"

/* A number by chance, in [0, 1) (splitmix64). */
double random_part(uint64_t *seed);

/* Any of the flags that the call's class leaves open (tuning_class.h), each set as often; the call is one
 * that programs have. */
void random_flags(struct blas_call *call, uint64_t *seed);

enum {
    ROUTINE_NAME = 8,
    ROUTINES = 0
#define FAMILY_ROUTINE(name, family, type, gate) +1
#include "common/routines.def"
};

/* The offloaded routines by number: saxpy daxpy caxpy zaxpy, sgemv ..., to ztrsm. */
enum blas_family routine_family(int routine);
enum blas_type routine_type(int routine);
/* "dsymv", into `name`. */
const char *routine_name(int routine, char name[ROUTINE_NAME]);
/* The number; -1: there is no such routine. */
int routine_named(const char *name);
int routine_of(enum blas_family family, enum blas_type type);

/* True when `list`, names with commas between or NULL for all, has the routine. */
bool routine_is_listed(int routine, const char *list);
/* The first word of the list that is no routine, with its length; NULL: none. */
const char *routine_list_error(const char *list, int *length);

/* The next combination of side, uplo, trans, trans_b and diag that the routine has, from all zero on.
 * False: that was the last; they are all zero again. */
bool routine_next_flags(struct blas_call *call);

/* The symbol in the shim that was preloaded; NULL: this process runs without it. */
host_function *routine_in_shim(int routine);

/* The same routine of a host BLAS; NULL: it has none. */
host_function *routine_in_host(int routine, const struct host_library *host);

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
     * jobvr, compz and vect; vl is rcond, il rank; tau is tauq, z taup. For geevx side is balanc, trans sense,
     * il and iu are ilo and ihi, vl is abnrm. */
    void *a, *b, *z, *w, *e, *tau, *scale, *work, *rwork, *iwork, *ifail, *isuppz, *ipiv;
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
