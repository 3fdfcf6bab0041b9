/* split_sum.h - where the results of a call over several devices come to in host memory, and their sum in
 * the contract's order. */
#ifndef MUBLAS_SPLIT_SUM_H
#define MUBLAS_SPLIT_SUM_H

#include "interpose/execute/split.h"

#include <stdbool.h>
#include <stddef.h>

/* Host memory for what a call over several devices brings home and adds up. It stays for the
 * next call, or is a call's own where another thread has it or where it is large: the first touch of fresh
 * memory would take as long as adding up. Any thread may call. */
struct split_memory {
    unsigned char *bytes; /* NULL: there was none */
    size_t used;
    bool is_kept;
};

/* Room for parts of `bytes` in all, each rounded up by split_memory_rounded. False: out of memory. */
bool split_memory_take(struct split_memory *memory, size_t bytes);
size_t split_memory_rounded(size_t bytes);

/* The next part of it, aligned for any type; what is in it is not known. */
void *split_memory_part(struct split_memory *memory, size_t bytes);

void split_memory_give_back(struct split_memory *memory);

/* A piece's addends for some results. */
struct split_addend {
    void *values;
    int64_t piece; /* its first term */
    int64_t result_first, results;
};

/* The bytes of the memory that split_sum takes. */
size_t split_sum_bytes(const struct split_plan *plan);

/* `result`, contiguous, is y before and after, or x after a trmv. Reorders the addends, and adds up where
 * they lie; each result has one at most of a piece. STATUS_UNSUPPORTED: a complex number that is not finite,
 * whose product with (1, 0) on the device may have been another. The results are as they were then. */
enum status split_sum(const struct split_plan *plan, struct split_addend *addends, int count,
                      struct split_memory *memory, void *result);

/* Host memory that takes the results of a call over several devices, until they are added up: those of each
 * device one after the other, as its steps are listed. */
struct split_home {
    const struct split_plan *plan;
    struct split_memory memory;
    unsigned char *results[DEVICES_MAX]; /* of each device, */
    size_t bytes[DEVICES_MAX];           /* so much */
    struct split_addend *addends;        /* what each step brings */
    int steps, listed;
    void *packed; /* the call's result */
};

/* The bytes of a step's results, there and on the device. */
size_t split_home_step_bytes(const struct split_plan *plan, const struct split_step *step);

/* STATUS_OUT_OF_MEMORY: there is no room. Either way it is given back. */
enum status split_home_take(struct split_home *home, const struct split_plan *plan);
void split_home_give_back(struct split_home *home);

/* The device's results are there instead. Other memory than it had before, and as long. */
void split_home_come_to(struct split_home *home, int device, unsigned char *results);

/* All results have come, and may be changed where they lie: the call's result in the program's memory. Not
 * STATUS_OK: that is as it was. */
enum status split_home_add_up(struct split_home *home);

#endif
