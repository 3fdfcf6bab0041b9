/* In the place of src/lapack/eigensolver/two_stage/two_stage_borders.c: two stages wherever they can be, of
 * orders that the emulated device can do. */
#include "lapack/eigensolver/two_stage/two_stage_borders.h"

const struct two_stage_borders two_stage_borders[TYPE_D + 1] = {[TYPE_S] = {1, 1, 1}, [TYPE_D] = {1, 1, 1}};
