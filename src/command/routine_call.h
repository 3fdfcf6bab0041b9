/* routine_call.h - calls a BLAS routine by its Fortran name, as programs do, with its flags in turn or by
 * chance. Chance is the same for the same state of the random numbers. */
#ifndef MUBLAS_ROUTINE_CALL_H
#define MUBLAS_ROUTINE_CALL_H

#include "common/blas_call.h"
#include "host/host_search.h"

/* A number by chance, in [0, 1) (splitmix64). */
double random_part(uint64_t *seed);

/* Any of the flags that the call's class leaves open (timed_class.h), each set as often; the call is one that
 * programs have. */
void random_flags(struct blas_call *call, uint64_t *seed);

enum { ROUTINES = 46, ROUTINE_NAME = 8 };

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

/* Perform the call, host pointers in it; sizes below 2^31. The library may take integers of 32 or
 * of 64 bits (little-endian machines). */
void routine_call(host_function *function, const struct blas_call *call);

#endif
