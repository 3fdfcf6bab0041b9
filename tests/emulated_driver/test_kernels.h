/* test_kernels.h - kernels of the emulated driver's own tests, beside the real ones. */
#ifndef MUBLAS_EMULATED_TEST_KERNELS_H
#define MUBLAS_EMULATED_TEST_KERNELS_H

#include "gpu/kernels/route_arguments.h"

#include <stdint.h>

/* A test kernel's task and its device memory; unused members are 0. */
struct emulated_test_arguments {
    uint64_t *output; /* one element per thread of the grid, or as the kernel says */
    const uint64_t *input;
    uint64_t value;
    unsigned *counter;
    double *numbers; /* of kernels whose blocks wait for each other */
    struct grid_gate *gate;
};

#define GRID_MODULUS 1048573.0

#endif
