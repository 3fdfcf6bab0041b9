/* The host's times where its BLAS is Netlib's reference: one thread, and neither blocks for caches nor vectors of an
 * order that a compiler does not find by itself. So operations go at nearly one rate, whatever the routine and its
 * size. The figures are of Debian's libblas3 and liblapack3, one core of an EPYC, orders 128 and 512
 * (bench/results/reference-host.csv); a core that shares its units with another program has half of it. */
#include "tuner/online/crossover.h"

#include <math.h>

/* Operations a second of BLAS, a complex product counted as eight. */
static const double flops[TYPE_Z + 1] = {2.4e9, 2.2e9, 5e9, 4.6e9};
static const double bandwidth = 8e9, cache_bandwidth = 10e9, near_bandwidth = 30e9; /* of one core */
static const double call_operations = 500; /* that the arguments' check takes as long as */

/* A LAPACK routine's rate over that, without vectors and with them, since it does more than is counted. 0: 1. */
static const double rates[LAPACK_FAMILY_COUNT][2] = {
    [LAPACK_SYEV] = {0.9, 0.36},  [LAPACK_SYEVD] = {0.9, 0.55}, [LAPACK_SYEVR] = {0.9, 0.55},
    [LAPACK_SYEVX] = {0.9, 0.55}, [LAPACK_SYGV] = {0.9, 0.45},  [LAPACK_SYGVD] = {0.9, 0.6},
    [LAPACK_SYGVX] = {0.9, 0.6},  [LAPACK_GESDD] = {0.55, 0.45}, [LAPACK_GESVD] = {0.55, 0.2},
    [LAPACK_GELSD] = {0.5, 0.5},  [LAPACK_GELSS] = {0.4, 0.4},
};

void crossover_use_reference_host(struct machine_model *model)
{
    model->has_reference_host = true;
    model->host_start_us = 0;
    model->host_bandwidth = bandwidth;
    model->cache_bandwidth = cache_bandwidth;
    model->near_bandwidth = near_bandwidth;
    for (int type = 0; type <= TYPE_Z; type++) { /* double-double has no host */
        model->host_flops[type] = model->host_symmetric_flops[type] = flops[type];
        model->host_half_rate[type] = cbrt(call_operations / 2) / 10;
    }
}

double reference_host_seconds(const struct route_shape *shape)
{
    const double rate = rates[shape->family][shape->vectors];
    return route_operations(shape) / (flops[shape->type] * (rate > 0 ? rate : 1));
}
