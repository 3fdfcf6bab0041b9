/* cusolver_factor.h - triangular factorisations of the emulated cuSOLVER, and what follows them: calls
 * without workspace and INFO. */
#ifndef MUBLAS_EMULATED_CUSOLVER_FACTOR_H
#define MUBLAS_EMULATED_CUSOLVER_FACTOR_H

#include "emulated_driver/cusolver.h"

struct solver_call solver_potrf_call(const char *function, char type, int uplo, int64_t n, void *a,
                                     int64_t lda);
struct solver_call solver_potrs_call(const char *function, char type, int uplo, int64_t n, int64_t nrhs,
                                     void *a, int64_t lda, void *b, int64_t ldb);
struct solver_call solver_potri_call(const char *function, char type, int uplo, int64_t n, void *a,
                                     int64_t lda);
struct solver_call solver_trtri_call(const char *function, char type, int uplo, int diag, int64_t n, void *a,
                                     int64_t lda);
struct solver_call solver_getrf_call(const char *function, char type, int64_t m, int64_t n, void *a,
                                     int64_t lda, int64_t *pivots);
struct solver_call solver_getrs_call(const char *function, char type, int trans, int64_t n, int64_t nrhs,
                                     void *a, int64_t lda, const int64_t *pivots, void *b, int64_t ldb);

#endif
