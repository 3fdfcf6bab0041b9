/* cholesky_part.h - one device's part of a shared Cholesky factorisation: its lane, its memory, its blocks'
 * ways up and home. */
#ifndef MUBLAS_LAPACK_CHOLESKY_PART_H
#define MUBLAS_LAPACK_CHOLESKY_PART_H

#include "lapack/several/block_columns.h"
#include "lapack/several/shared_cholesky.h"

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

/* Queues that so much of another's panel becomes zeros: at the beginning, and once it is used. Who waits for
 * the panel of a device that was lost computes on what is there, before anyone can know. That is thrown away,
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

#endif
