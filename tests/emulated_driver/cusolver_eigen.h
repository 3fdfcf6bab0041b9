/* cusolver_eigen.h - symmetric eigenvalue problems of the emulated cuSOLVER, for both interfaces. */
#ifndef MUBLAS_EMULATED_CUSOLVER_EIGEN_H
#define MUBLAS_EMULATED_CUSOLVER_EIGEN_H

#include "emulated_driver/cusolver.h"

/* A call of syevd (itype 0, no B) or sygvd, without workspace and INFO. */
struct solver_call solver_eigen_call(const char *function, char type, int itype, int jobz, int uplo,
                                     int64_t n, void *a, int64_t lda, void *w, void *b, int64_t ldb);
/* Make it one of syevdx or sygvdx, by cuSOLVER's code. */
void solver_eigen_range(struct solver_call *call, int range, double vl, double vu, int64_t il, int64_t iu);

#endif
