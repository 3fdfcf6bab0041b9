/* orthogonal_error.h - the work of the routines of orthogonal.c, and the errors of their results. */
#ifndef MUBLAS_VERIFY_ORTHOGONAL_ERROR_H
#define MUBLAS_VERIFY_ORTHOGONAL_ERROR_H

#include "command/verify/kind.h"
#include "command/verify/reflectors.h"

enum { ORTHOGONAL_NRHS = 5 };

/* geqrf and sytrd; orgqr and orgtr; ormqr and ormtr; gels. */
enum orthogonal_work { ORTHOGONAL_FACTORISES, ORTHOGONAL_MAKES, ORTHOGONAL_APPLIES, ORTHOGONAL_SOLVES };
enum orthogonal_work orthogonal_work_of(const struct lapack_routine *routine);

/* False: it belongs to QR. */
bool orthogonal_is_tridiagonal(const struct lapack_routine *routine);

/* The form and sizes of a call's reflectors, with the memory for vectors and scalars. */
struct reflectors orthogonal_reflectors(const struct lapack_routine *routine,
                                        const struct lapack_arguments *arguments, struct number *v,
                                        struct number *tau);

/* The method of struct verify_lapack_kind. */
double orthogonal_error(const struct lapack_routine *routine, const struct lapack_arguments *after,
                        const struct lapack_arguments *before, struct number *const scratch[VERIFY_SCRATCH]);

#endif
