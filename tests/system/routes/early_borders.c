/* In the place of two_stage_borders of src/lapack/eigensolver/two_stage.c: two stages wherever they can be, of
 * orders that the emulated device can do. And predictions are those for the same processors wherever it runs. */
#include "common/own_thread.h"
#include "lapack/families.h"

struct two_stage_borders two_stage_borders(enum blas_type type)
{
    (void)type;
    return (struct two_stage_borders){1, 1, 1};
}

int processors_vector_bytes(void)
{
    return 32;
}

size_t processors_cache_bytes(void)
{
    return (size_t)32 << 20;
}
