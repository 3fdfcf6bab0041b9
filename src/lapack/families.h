/* families.h - the families of LAPACK routines that can run on the device. */
#ifndef MUBLAS_LAPACK_FAMILIES_H
#define MUBLAS_LAPACK_FAMILIES_H

/* LAPACK_SYEV, ...: those of routines.def. Complex Hermitian and unitary routines have the name of the
 * real ones. */
enum lapack_family {
#define LAPACK_FAMILY(NAME, ...) LAPACK_##NAME,
#include "common/routines.def"
    LAPACK_FAMILY_COUNT
};

#endif
