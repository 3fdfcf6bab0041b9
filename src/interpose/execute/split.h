/* split.h - a matrix-vector call over several devices: its plan (split_deal.c, split_plan.c), its run
 * (split.c), where its results come to in host memory, and their sum in the contract's order (split_sum.c).
 */
#ifndef MUBLAS_SPLIT_H
#define MUBLAS_SPLIT_H

#include "common/blas_call.h"
#include "common/log.h"
#include "common/settings.h"
#include "mirror/operands.h"

#include <stdbool.h>
#include <stddef.h>

/* Each device has some columns of A, cut where the numerical contract has a node (gpu/kernels/contract.h): so
 * the call's bits are one device's.
 *
 * Each sum runs over the terms of pieces, one after the other. A piece is a chain of 64 nodes that lies on
 * one device, or else a node; a device computes what each of its pieces brings to the results, by calls of
 * the same kernels on blocks of A with alpha 1 and beta 0; split_sum adds that up in the contract's order.
 * A device has all terms of its own results if A is transposed: one piece. The plan is pure. */

/* The terms of a node, and of a chain. */
enum { SPLIT_NODE = 256, SPLIT_CHAIN = 64 * SPLIT_NODE };

struct split_plan {
    const struct blas_call *call; /* gemv, symv, hemv or trmv, alpha not 0 */
    int devices;
    int64_t first[DEVICES_MAX + 1]; /* device d has the columns [first[d], first[d + 1]) */
    double longest; /* the part of the call's time alone that the last device to be done takes */
    int64_t added;  /* numbers of partials that come home beside as many as results */
};

/* How many columns of A a device can hold, and how fast it is beside the one that would take the call's time
 * alone. */
struct split_share {
    int64_t columns_most;
    double pace;
};

/* Deal the columns by the devices' pace, as far as each can hold them. Cuts lie between chains, although
 * that makes parts uneven, or inside them, which makes many small pieces; over all devices, or only the
 * first ones: as the call is soonest done that takes one device `alone_us` for all. False: all together
 * cannot hold it, or the call is not one to be split. A device may get none. The last ones are not among
 * the plan's devices where they bring less than they cost, or where their little room would make cuts lie
 * where the others cannot hold the rest. */
bool split_plan_make(struct split_plan *plan, const struct blas_call *call, const struct split_share *shares,
                     int devices, double alone_us);

/* The same call with A transposed, or no longer so: as far as a plan's cuts depend on it. False: A is
 * symmetric. */
bool split_plan_turn(struct blas_call *turned, const struct blas_call *call);

/* Let the plan of a turned call serve this one: by its cuts, with this call's own partials. */
void split_plan_serve(struct split_plan *plan, const struct blas_call *call);

/* Microseconds that the call will take, with what comes home and is added up; and on up to so many that can
 * hold any part of it, alike but for the pace of the last, if that is less than most_us, else HUGE_VAL. */
double split_plan_us(const struct split_plan *plan, double alone_us);
double split_plan_expected_us(const struct blas_call *call, double alone_us, int devices, double last_pace,
                              double most_us);

/* A device's parts: a triangle, or all of its columns, and for a triangle the rectangle beside it. */
enum { SPLIT_PARTS = 2 };
int split_plan_parts(const struct split_plan *plan, int device, struct blas_matrix parts[SPLIT_PARTS]);

/* A call on one of these parts. */
struct split_step {
    struct blas_call call; /* but for addresses, and the leading dimension */
    int part;
    int64_t row, column;  /* of A's first element there */
    int64_t x_first;      /* its x begins with this element of x */
    int64_t result_first; /* and its result with this one, */
    int64_t results;      /* so many */
    int64_t piece;        /* the first term of the piece that it brings */
};

/* One after the other, until a visit fails. */
typedef enum status split_visit(void *context, const struct split_step *step);
enum status split_plan_each(const struct split_plan *plan, int device, split_visit *visit, void *context);

/* The end of the piece that begins at this term. */
int64_t split_plan_piece_end(const struct split_plan *plan, int64_t begin);

int64_t split_plan_terms(const struct split_plan *plan);
int64_t split_plan_results(const struct split_plan *plan);

/* A device and its parts of A, as the mirrors know them (split_plan_parts). */
struct split_device {
    struct device *device;
    struct mirror_table *mirrors;
    struct operand operands[SPLIT_PARTS];
    int operand_count; /* 0: it has no part in the call */
    bool ran_out;      /* it had no memory for its part */
};

/* The operands of each of plan->devices devices. */
void split_devices_describe(const struct split_plan *plan, struct split_device *devices, unsigned kind);

/* Run it on all of them at once. STATUS_OK: the result is in the program's memory. Otherwise nothing was
 * changed. STATUS_OUT_OF_MEMORY: on a device that has `ran_out`, although what it kept was evicted. */
enum status split_run(const struct split_plan *plan, struct split_device *devices, struct patience *patience,
                      struct transfer_count *moved);

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

/* STATUS_OUT_OF_MEMORY: there is no room. Either way its memory is given back. */
enum status split_home_take(struct split_home *home, const struct split_plan *plan);

/* The device's results are there instead. Other memory than it had before, and as long. */
void split_home_come_to(struct split_home *home, int device, unsigned char *results);

/* All results have come, and may be changed where they lie: the call's result in the program's memory. Not
 * STATUS_OK: that is as it was. */
enum status split_home_add_up(struct split_home *home);

#endif
