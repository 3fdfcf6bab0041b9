#include "interpose/lapack/methods.h"

static const struct lapack_methods *const methods[LAPACK_FAMILY_COUNT] = {
    [LAPACK_SYEV] = &eigen_methods,   [LAPACK_SYEVD] = &eigen_methods, [LAPACK_SYEVR] = &eigen_methods,
    [LAPACK_SYEVX] = &eigen_methods,  [LAPACK_SYGV] = &eigen_methods,  [LAPACK_SYGVD] = &eigen_methods,
    [LAPACK_SYGVX] = &eigen_methods,  [LAPACK_GEEV] = &general_eigen_methods,
    [LAPACK_POTRF] = &factor_methods, [LAPACK_POTRS] = &factor_methods, [LAPACK_POSV] = &factor_methods,
    [LAPACK_POTRI] = &factor_methods, [LAPACK_GETRF] = &factor_methods, [LAPACK_GETRS] = &factor_methods,
    [LAPACK_GESV] = &factor_methods,  [LAPACK_GETRI] = &factor_methods, [LAPACK_GEQRF] = &factor_methods,
    [LAPACK_ORGQR] = &factor_methods, [LAPACK_ORMQR] = &factor_methods, [LAPACK_GELS] = &factor_methods,
    [LAPACK_TRTRI] = &factor_methods,
    [LAPACK_SYTRD] = &reduction_methods, [LAPACK_ORGTR] = &reduction_methods, [LAPACK_ORMTR] = &reduction_methods,
    [LAPACK_SYGST] = &reduction_methods, [LAPACK_GESDD] = &singular_methods,  [LAPACK_GESVD] = &singular_methods,
};

const struct lapack_methods *lapack_methods_of(enum lapack_family family)
{
    return methods[family];
}
