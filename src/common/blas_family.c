#include "common/blas_family.h"

enum { HAS_REAL_EVERY = 1, HAS_REAL_REAL = 1, HAS_REAL_COMPLEX = 0 };
enum { HAS_COMPLEX_EVERY = 1, HAS_COMPLEX_REAL = 0, HAS_COMPLEX_COMPLEX = 1 };
enum { COMPUTES_ALL, COMPUTES_HALF };

const struct blas_family_row blas_families[FAMILY_COUNT] = {
#define FAMILY(NAME, name, types, gated, products, computed, flags, ...) \
    {#name, HAS_REAL_##types, HAS_COMPLEX_##types, COMPUTES_##computed, \
     PRODUCT_##gated, PRODUCT_##products, flags},
#include "common/families.def"
};
