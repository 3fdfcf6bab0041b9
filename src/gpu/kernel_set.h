/* kernel_set.h - the kernels of kernels.def and route_kernels.def, loaded into one CUDA context.
 *
 * Functions give the driver's own result and log nothing: who called says what it was
 * for. A set lives as long as its context. Thread-safe but for the loading. */
#ifndef MUBLAS_KERNEL_SET_H
#define MUBLAS_KERNEL_SET_H

#include "gpu/driver.h"

#include <pthread.h>
#include <stdbool.h>

enum kernel {
#define KERNEL(name, arguments) KERNEL_##name,
#include "gpu/kernels/kernels.def"
#include "gpu/kernels/route_kernels.def"
#undef KERNEL
    KERNEL_COUNT
};

struct kernel_set {
    CUmodule module;
    int multiprocessors; /* of the device */
    pthread_mutex_t lock;
    struct kernel_entry {
        CUfunction function; /* NULL: not looked up yet */
        size_t shared_bytes; /* dynamic shared memory that it may use */
        bool has_large_clusters; /* its clusters may have more than 8 blocks */
    } entries[KERNEL_COUNT];
};

/* False where the build had no nvcc: then only an emulated driver can load the set. */
bool kernel_set_is_built(void);

/* 16 hexadecimal digits: a hash of the sources of the kernels in kernels.def. Measurements of one set
 * say nothing of another. Made by the build. */
extern const char kernel_set_hash[17];

/* Load the kernels into the current context. */
CUresult kernel_set_load(struct kernel_set *set);

/* The function of a kernel, allowed that much dynamic shared memory. In its context. */
CUresult kernel_set_function(struct kernel_set *set, enum kernel kernel, size_t shared_bytes,
                             CUfunction *function);

/* The same, whose clusters may have as many blocks as the device takes. */
CUresult kernel_set_cluster_function(struct kernel_set *set, enum kernel kernel, size_t shared_bytes,
                                     CUfunction *function);

/* The name of a kernel, as in kernels.def. */
const char *kernel_name(enum kernel kernel);

#endif
