/* families.h - the families of LAPACK routines that can run on the device. */
#ifndef MUBLAS_LAPACK_FAMILIES_H
#define MUBLAS_LAPACK_FAMILIES_H

/* Complex Hermitian and unitary routines have the name of the real ones. */
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
    LAPACK_STEDC,
    LAPACK_GESDD,
    LAPACK_GESVD,
    LAPACK_GEEV,
    LAPACK_FAMILY_COUNT
};

#endif
