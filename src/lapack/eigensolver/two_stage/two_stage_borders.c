#include "lapack/eigensolver/two_stage/two_stage_borders.h"

/* On an H100. Between what bench/lapack_two_stage says for powers of two, as the times grow
 * (doc/eigensolver.md). */
const struct two_stage_borders two_stage_borders[TYPE_D + 1] = {[TYPE_S] = {5056, 7680, 20160},
                                                                [TYPE_D] = {4416, 6144, 11264}};
