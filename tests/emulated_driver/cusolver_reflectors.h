/* cusolver_reflectors.h - reductions to tridiagonal form, QR factorisations and their orthogonal matrices
 * in the emulated cuSOLVER: calls without workspace and INFO. */
#ifndef MUBLAS_EMULATED_CUSOLVER_REFLECTORS_H
#define MUBLAS_EMULATED_CUSOLVER_REFLECTORS_H

#include "emulated_driver/cusolver.h"

struct solver_call solver_sytrd_call(const char *function, char type, int uplo, int n, void *a, int lda,
                                     void *d, void *e, void *tau);
struct solver_call solver_orgtr_call(const char *function, char type, int uplo, int n, void *a, int lda,
                                     void *tau);
struct solver_call solver_geqrf_call(const char *function, char type, int64_t m, int64_t n, void *a,
                                     int64_t lda, void *tau);
struct solver_call solver_orgqr_call(const char *function, char type, int m, int n, int k, void *a, int lda,
                                     void *tau);
struct solver_call solver_ormqr_call(const char *function, char type, int side, int trans, int m, int n,
                                     int k, void *a, int lda, void *tau, void *c, int ldc);

#endif
