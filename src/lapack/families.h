/* families.h - the LAPACK routines that can run on the device, by what distinguishes them from one another. */
#ifndef MUBLAS_LAPACK_FAMILIES_H
#define MUBLAS_LAPACK_FAMILIES_H

/* Real symmetric and complex Hermitian, orthogonal and unitary ones under the real name. */
enum lapack_family {
    LAPACK_SYEV,
    LAPACK_SYEVD,
    LAPACK_SYEVR,
    LAPACK_SYEVX,
    LAPACK_SYGV,
    LAPACK_SYGVD,
    LAPACK_SYGVX,
    LAPACK_POTRF,
    LAPACK_POTRS,
    LAPACK_POSV,
    LAPACK_POTRI,
    LAPACK_GETRF,
    LAPACK_GETRS,
    LAPACK_GESV,
    LAPACK_GETRI,
    LAPACK_GEQRF,
    LAPACK_ORGQR,
    LAPACK_ORMQR,
    LAPACK_GELS,
    LAPACK_TRTRI,
    LAPACK_SYTRD,
    LAPACK_ORGTR,
    LAPACK_ORMTR,
    LAPACK_SYGST,
    LAPACK_GESDD,
    LAPACK_GESVD,
    LAPACK_GEEV,
    LAPACK_FAMILY_COUNT
};

#endif
