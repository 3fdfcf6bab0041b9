/* kernel_stress.h - one call many times over, on two streams at once, while another
 * kernel keeps the multiprocessors busy on a third: all results have the same bits. */
#ifndef MUBLAS_KERNEL_STRESS_H
#define MUBLAS_KERNEL_STRESS_H

#include "kernel_cases.h"

#include "gpu/launch.h"

enum { STRESS_STREAMS = 2 };

struct kernel_stress {
    struct device *device;
    struct lane *lanes[STRESS_STREAMS], *neighbour;
    struct blas_call neighbour_call;
    CUdeviceptr neighbour_memory;
};

/* A gemv of n x n, n = `neighbour_n`, is the neighbour. Takes three lanes; inside
 * device_enter. False: no memory, said why. */
bool kernel_stress_begin(struct device *device, int64_t neighbour_n, struct kernel_stress *stress);
void kernel_stress_end(struct kernel_stress *stress);

/* Run the call by this shape `repeats` times on each stream, without a pause, each on a y
 * of its own. True when every result equals `expected` (contiguous); otherwise says what
 * happened. */
bool kernel_stress_run(struct kernel_stress *stress, const struct operands *operands,
                       struct launch_shape shape, unsigned repeats, const void *expected);

#endif
