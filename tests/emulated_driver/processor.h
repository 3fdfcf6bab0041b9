/* processor.h - runs blocks, one at a time; each operating-system thread that does so
 * has one. */
#ifndef MUBLAS_EMULATED_PROCESSOR_H
#define MUBLAS_EMULATED_PROCESSOR_H

#include "emulated_driver/internal.h"

struct processor;

enum { SHARED_BYTES = 232448, CLUSTER_BLOCKS_MAX = 16 };

struct cluster {
    unsigned char *shared[CLUSTER_BLOCKS_MAX]; /* of the blocks that run; NULL: of the others */
    unsigned words[3];
};

struct launch {
    const struct kernel *kernel;
    const void *arguments;
    unsigned blocks, threads;
    size_t shared_bytes;
    struct cluster *cluster; /* NULL: its blocks are none */
};

struct processor *processor_create(uint64_t seed, bool is_one_of_many);
/* Run one block to its end on the calling thread. */
void processor_run(struct processor *processor, const struct launch *launch, unsigned block);

/* turns.c: run all blocks on the calling thread, in this order. When a thread of one waits for other blocks,
 * the next block goes on. */
void turns_run(const struct launch *launch, const unsigned *order);

#endif
