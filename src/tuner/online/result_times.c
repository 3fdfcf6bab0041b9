#include "tuner/online/result_times.h"

#include "mirror/costs.h"

bool result_way_of(const struct blas_call *call, bool trackable, enum result_way *way, double *bytes)
{
    const bool triangle = blas_is_update(call->family);
    const double element = (double)blas_element_bytes(call->type), columns = (double)call->n;
    const double rows = triangle ? columns : (double)call->m;
    const double span = (call->c.columns > 0 ? (double)call->c.ld : rows) * columns * element;
    const bool pinned = trackable && span >= PIN_BYTES_MIN;
    *bytes = (triangle ? columns * (columns + 1) / 2 : rows * columns) * element;
    *way = triangle ? pinned ? RESULT_PINNED_TRIANGLE : RESULT_STAGED_TRIANGLE
                    : pinned ? RESULT_PINNED : RESULT_STAGED;
    return call->family >= FAMILY_GEMM && *bytes > 0;
}

bool result_times_at(const struct result_times *times, const struct blas_call *call, bool trackable,
                     double *us)
{
    enum result_way way;
    double bytes;
    *us = 0;
    if (!result_way_of(call, trackable, &way, &bytes) || times->ways[way].count == 0)
        return false;
    *us = time_curve_at(&times->ways[way], TIME_SHRINKS, bytes);
    return true;
}
