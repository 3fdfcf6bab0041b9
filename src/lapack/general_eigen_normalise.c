/* general_eigen_normalise: general_eigen.h. */
#include "lapack/general_eigen.h"

#include <math.h>

#define REAL float
#define NAME(name) single_##name
#include "lapack/general_eigen_normalise.inc"
#undef REAL
#undef NAME
#define REAL double
#define NAME(name) double_##name
#include "lapack/general_eigen_normalise.inc"
#undef REAL
#undef NAME

void general_eigen_normalise(const struct general_eigenproblem *problem)
{
    if (blas_is_single(problem->type))
        single_normalise(problem);
    else
        double_normalise(problem);
}
