/* shared_cholesky.h - potrf on several devices at once.
 *
 * Each has some blocks of the triangle in its memory. Block after block is factored on its device, by
 * cuSOLVER's potrf and a triangular solve, and sent to the others, which take its product off their own
 * blocks. The next block comes first, so that its factorisation and its way to the others run beside the
 * other products (look-ahead). Blocks go up, and home, by a thread for each device, so that every link is
 * used. The order and the devices alone decide which device has a block: the same bits each time on the
 * same devices.
 *
 * Blocks are of a triangle that several devices have in turn (pure). A block of a lower triangle is some
 * columns from the diagonal down, one of an upper triangle some rows from the diagonal to the right: block
 * b begins at row and column block_begin(b), and is `width` wide but for the last. On its device it is
 * packed: a lower one has its columns one behind the other, an upper one, too.
 *
 * A part is one device's: its lane, its memory, its blocks' ways up and home. The steps between devices are
 * queued by one thread. Parts and steps are private to the files of this folder. */
#ifndef MUBLAS_SHARED_CHOLESKY_H
#define MUBLAS_SHARED_CHOLESKY_H

#include "common/blas_call.h"
#include "common/settings.h"
#include "lapack/factor.h"

enum { BLOCKS_MOST = 64 };

struct block_columns {
    enum blas_type type;
    enum blas_uplo uplo;
    int64_t n, width;
    int count;
    int owner[BLOCKS_MOST]; /* the number of the device */
    size_t offset[BLOCKS_MOST]; /* of the block in its owner's memory */
    size_t bytes[DEVICES_MAX];  /* of each device's blocks */
};

/* Deals the blocks by the devices' pace, so that all are done with theirs at the same time. False: the matrix
 * is too small to be shared. */
bool block_columns_make(struct block_columns *blocks, enum blas_type type, enum blas_uplo uplo, int64_t n,
                        const double *pace, int devices);

static inline int64_t block_begin(const struct block_columns *blocks, int block)
{
    return blocks->width * block;
}

/* Its order: of its square on the diagonal. */
static inline int64_t block_order(const struct block_columns *blocks, int block)
{
    const int64_t left = blocks->n - block_begin(blocks, block);
    return left < blocks->width ? left : blocks->width;
}

/* From its first row and column to the end of the matrix. */
static inline int64_t block_length(const struct block_columns *blocks, int block)
{
    return blocks->n - block_begin(blocks, block);
}

int64_t block_ld(const struct block_columns *blocks, int block);
size_t block_bytes(const struct block_columns *blocks, int block);

/* The place of an element that is so far from the block's diagonal, in bytes from the block's beginning:
 * below it, or right of it, in its first columns or rows. */
size_t block_place(const struct block_columns *blocks, int block, int64_t distance);

/* Its square on the diagonal, of which the triangle is meant, or what is below it or right of it, in host
 * memory `a`. */
struct blas_matrix block_square(const struct block_columns *blocks, int block, const struct blas_matrix *a);
struct blas_matrix block_rest(const struct block_columns *blocks, int block, const struct blas_matrix *a);

struct shared_device {
    struct device *device;
    struct mirror_table *mirrors;
    const struct solver_library *library; /* its own */
    double pace;                          /* operations per second, or what is proportional to them */
};

/* STATUS_OK: the factor is in host memory, and INFO is 0. STATUS_UNSUCCESSFUL: a minor is not positive
 * definite. Otherwise as route_execute: unless the result is lost, a failure leaves host memory as it was. */
enum status shared_cholesky_run(const struct factor_problem *problem, const struct shared_device *devices,
                                int count, struct patience *patience, struct transfer_count *moved);

/* Panels of others that a device has at a time: the one in use, and the next. */
enum { PANELS = 2 };

struct cholesky_part {
    const struct shared_device *on;
    const struct block_columns *blocks;
    const struct blas_matrix *a; /* host memory */
    int number;
    struct route_lane *lane;
    CUdeviceptr memory, panels[PANELS], info, moduli, workspace; /* the blocks at the beginning */
    size_t memory_bytes, panel_bytes, workspace_bytes, host_workspace_bytes;
    CUstream copies;       /* of its own panels to the others, beside its products */
    CUevent solved;        /* a panel of its own may be copied */
    CUevent sent[PANELS];  /* and has come to all others */
    CUevent used[PANELS];  /* of another's panel nothing is read any more */
    CUevent factored;      /* and INFO is in info_home */
    bool is_used[PANELS];  /* `used` was recorded */
    int *info_home;        /* pinned */
    bool is_pinned;        /* `a` is, by the program */
    struct transfer_count moved;
    bool is_touched;       /* host memory has been written */
    enum status status;    /* of what its thread does */
};

/* Inside device_enter of its device, as are all that follow. The end may follow in any case; nothing is
 * queued then any more. */
enum status cholesky_part_begin(struct cholesky_part *part, struct patience *patience);
void cholesky_part_end(struct cholesky_part *part);

/* Sends its blocks and looks at them. STATUS_VALUES: not all are finite. */
enum status cholesky_part_send(struct cholesky_part *part);

/* Queues that its block's diagonal becomes real, as a Hermitian matrix has it; nothing for the real types. */
enum status cholesky_part_clear_diagonal(const struct cholesky_part *part, int block);

/* Queues that so much of another's panel becomes zeros: at the beginning, and once it is used. A device that
 * waits for the panel of a lost one computes on what is there, before anyone can know. That is thrown away,
 * but it must not be what others left in memory, or what lies beside the triangle in a panel before: NaN
 * perhaps. */
enum status cholesky_part_clear_panel(const struct cholesky_part *part, int place, size_t bytes);

/* Waits for everything that was queued. */
enum status cholesky_part_wait(struct cholesky_part *part);

/* Brings its blocks home, each tried twice. */
enum status cholesky_part_bring_home(struct cholesky_part *part);

static inline CUdeviceptr cholesky_part_block(const struct cholesky_part *part, int block)
{
    return part->memory + part->blocks->offset[block];
}

static inline bool cholesky_part_has(const struct cholesky_part *part, int block)
{
    return part->blocks->owner[block] == part->number;
}

/* Queues all steps on the parts' streams, whose blocks are there; waits for the INFO of each block.
 * STATUS_UNSUCCESSFUL: one was not 0. After a failure some of it may be queued still. */
enum status cholesky_steps_run(struct cholesky_part *parts, int count);

#endif
