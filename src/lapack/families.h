/* families.h - the families of LAPACK routines that can run on the device, and the borders between ways of
 * the eigensolver. */
#ifndef MUBLAS_LAPACK_FAMILIES_H
#define MUBLAS_LAPACK_FAMILIES_H

#include "common/blas_call.h"

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

/* The orders from which two stages are the faster way: as built in, and as a caller
 * may have learned them of this device. */

/* To values alone; with a tenth of the vectors; with all. */
struct two_stage_borders {
    int64_t none, tenth, all;
};

/* The borders that are built in, for TYPE_S or TYPE_D. */
struct two_stage_borders two_stage_borders(enum blas_type type);

/* The border for a matrix of order n with `count` vectors: between a tenth and all it follows from both. */
static inline int64_t two_stage_border(const struct two_stage_borders *from, int64_t n, int64_t count)
{
    const int64_t more = 10 * count - n; /* than a tenth, in tenths */
    return count == 0  ? from->none
           : more <= 0 ? from->tenth
                       : from->tenth + (from->all - from->tenth) * more / (9 * n);
}

#endif
