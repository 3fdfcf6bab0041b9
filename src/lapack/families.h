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

/* LAPACK_KIND_EIGEN, ...: their kinds. */
enum lapack_kind {
#define LAPACK_KIND(NAME, ...) LAPACK_KIND_##NAME,
#include "common/routines.def"
    LAPACK_KIND_COUNT
};

static inline enum lapack_kind lapack_kind_of(enum lapack_family family)
{
    static const unsigned char kinds[LAPACK_FAMILY_COUNT] = {
#define LAPACK_FAMILY(NAME, real, complex, KIND, ...) [LAPACK_##NAME] = LAPACK_KIND_##KIND,
#include "common/routines.def"
    };
    return (enum lapack_kind)kinds[family];
}

/* The family of the same problems of full storage. */
static inline enum lapack_family lapack_full_family(enum lapack_family family)
{
    static const unsigned char families[LAPACK_FAMILY_COUNT] = {
#define LAPACK_FAMILY(NAME, ...) [LAPACK_##NAME] = LAPACK_##NAME,
#define LAPACK_PACKED(NAME, FULL, ...) [LAPACK_##NAME] = LAPACK_##FULL,
#include "common/routines.def"
    };
    return (enum lapack_family)families[family];
}

#endif
