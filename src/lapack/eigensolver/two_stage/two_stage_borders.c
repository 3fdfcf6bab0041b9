#include "lapack/eigensolver/two_stage/two_stage_borders.h"

/* Where one stage takes as long on an H100 (bench/lapack_two_stage, doc/eigensolver.md). */
struct two_stage_borders two_stage_borders(enum blas_type type)
{
    static const struct two_stage_borders single = {5184, 7296, 11264}, wide = {4416, 4736, 4992};
    return type == TYPE_S ? single : wide;
}
