#include "lapack/eigensolver/two_stage/two_stage_borders.h"

/* On an H100. Between what bench/lapack_two_stage says for powers of two, as the times grow
 * (doc/eigensolver.md). */
struct two_stage_borders two_stage_borders(enum blas_type type)
{
    static const struct two_stage_borders single = {5056, 7680, 20160}, wide = {4416, 6144, 11264};
    return type == TYPE_S ? single : wide;
}
