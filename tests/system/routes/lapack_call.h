/* lapack_call.h - calls of LAPACK's Fortran routines by table: every parameter is a pointer, so a call is a
 * list of named parameters, taken from one struct that holds them all. */
#ifndef MUBLAS_TESTS_LAPACK_CALL_H
#define MUBLAS_TESTS_LAPACK_CALL_H

#include <stdbool.h>

/* `parameters`: names of struct lapack_call's fields in the order of the interface. */
struct lapack_routine {
    const char *name, *types, *parameters; /* name without the letter of the type */
};

union lapack_real {
    float single;
    double real;
};

struct lapack_call {
    const struct lapack_routine *routine;
    char type; /* s d c z */
    const char *absent; /* names, with a blank before and behind each, that are passed as NULL; or NULL */
    /* Flags. */
    char jobz, range, uplo, trans, side, diag, vect, jobu, jobvt, jobvl, jobvr, compz, balanc, sense;
    /* Numbers; `found` is the M of the eigensolvers, ILO is `il`, IHI `iu`, ABNRM `rcond`. */
    int itype, m, n, k, nrhs, lda, ldb, ldc, ldz, ldu, ldvt, ldvl, ldvr, il, iu, lwork, lrwork, liwork, found,
        rank, info;
    union lapack_real vl, vu, abstol, rcond;
    /* Memory. TAUQ is `tau`, TAUP `w`, AP `a`, BP `b`, SCALE `s`, RCONDE `d`, RCONDV `e`. */
    void *a, *b, *c, *d, *e, *s, *tau, *u, *vt, *w, *wi, *left, *right, *z, *work, *rwork;
    int *iwork, *ifail, *isuppz, *ipiv;
};

/* The row of a routine, "syevd" for type 'd', or NULL. */
const struct lapack_routine *lapack_routine(const char *name, char type);

/* Its place in the interface, from 1; 0: it has none of that name. */
int lapack_position(const struct lapack_routine *routine, const char *parameter);

/* The program's own reference to a routine, as the linker bound it. */
void *lapack_linked(const struct lapack_routine *routine, char type);

/* "dsyevd" */
void lapack_name(const struct lapack_routine *routine, char type, char name[16]);

/* Calls it; outputs that are numbers come back in `call`. */
void lapack_perform(struct lapack_call *call, void *function);

union lapack_real lapack_real_of(char type, double value);

/* Tells what the program's own xerbla_ has seen since the last call of this: how often it was called; of the
 * last call the name, without blanks, and the parameter's number. */
int lapack_complaints(char name[16], int *info);

#endif
