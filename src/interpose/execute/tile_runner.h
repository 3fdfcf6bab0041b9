/* tile_runner.h - one legal call on the device from operands in host memory (execute.c). A level 3 call whose
 * operands device memory cannot hold at once goes in tiles (tile_plan.c, tile_runner.c), on several devices
 * at once where that is sooner done (shared_plan.c, shared_tiles.c). The host BLAS may have to do steps of
 * it. */
#ifndef MUBLAS_TILE_RUNNER_H
#define MUBLAS_TILE_RUNNER_H

#include "common/blas_call.h"
#include "common/clock.h"
#include "common/settings.h"
#include "gpu/device.h"
#include "gpu/device_shares.h"
#include "gpu/lane.h"
#include "host/symbols.h"
#include "interpose/call/program_call.h"
#include "mirror/operands.h"
#include "tuner/online/crossover.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* A level 3 call as a sequence of smaller ones, for operands that device memory
 * cannot hold at once.
 *
 * The output is cut into tiles; each tile is the sum of steps, every one a BLAS call of its own
 * on blocks of the operands, the tile being their only output. Tiles come in an order in which a
 * step reads what the caller passed or, of trsm, what earlier tiles have solved: so after any
 * whole tile host memory holds a state from which the steps that are left finish the call, on
 * the device or on the host. Pure; host pointers only. */

struct tile_plan {
    struct blas_call call;
    /* Edges of blocks. gemm: of C's rows and columns, and of k. syrk and its like: `rows` =
     * `columns`, of C, and of k. With a side: `rows` along A's order, `columns` along the other. */
    int64_t rows, columns, depth;
    int64_t tile, step; /* the next one */
};

struct tile_step {
    struct blas_call call;
    bool first, last; /* of its tile */
};

/* Cut `call` so that tile_plan_bytes is at most `bytes`. False where not even blocks of 8 fit. */
bool tile_plan_make(struct tile_plan *plan, const struct blas_call *call, uint64_t bytes);

/* The same, smaller where that gives at least so many groups of tiles; false where it cannot. */
bool tile_plan_make_groups(struct tile_plan *plan, const struct blas_call *call, uint64_t bytes,
                           int64_t groups);

/* Groups of tiles that may be done at once and in any order: a column of tiles of trmm and trsm, which take
 * from one another, else a single tile. Group i is the tiles from i * *tiles on. */
int64_t tile_plan_groups(const struct tile_plan *plan, int64_t *tiles);

/* The next step is the first of this tile. */
void tile_plan_seek(struct tile_plan *plan, int64_t tile);

/* Device memory for a tile and two blocks of each other operand, packed. */
uint64_t tile_plan_bytes(const struct tile_plan *plan);
uint64_t tile_plan_tile_bytes(const struct tile_plan *plan);
uint64_t tile_plan_a_bytes(const struct tile_plan *plan);
uint64_t tile_plan_b_bytes(const struct tile_plan *plan);

/* The next step; false after the last. */
bool tile_plan_next(struct tile_plan *plan, struct tile_step *step);

/* Go back to the first step of the tile that *step belongs to; the next step is that one. */
void tile_plan_rewind(struct tile_plan *plan, const struct tile_step *step);

/* Bytes that go up, about: blocks are sent for every tile that needs them. */
double tile_plan_bytes_up(const struct tile_plan *plan);

/* How many blocks there are along a length, the last of which may be shorter. */

static inline int64_t tile_blocks(int64_t length, int64_t edge)
{
    return (length + edge - 1) / edge;
}

/* The size that is not A's order, of a call with a side. */
static inline int64_t tile_other_size(const struct blas_call *call)
{
    return call->side == SIDE_LEFT ? call->n : call->m;
}

/* A call in tiles goes by the steps of tile_plan.c, on one device: blocks go up through pinned staging while
 * the device works on the ones before, a tile of the result comes back when all its steps are done. Nothing
 * stays resident. Host memory is read and written by the CPU, so mirrors of it notice. */

/* Buffers for the blocks of a factor, and factors of a step. */
enum { TILE_COPIES = 2, TILE_FACTORS = 2 };

/* A place on the device for blocks of one operand, one after the other. */
struct tile_buffer {
    CUdeviceptr address;
    struct blas_matrix holds; /* host matrix; pointer NULL: nothing */
    CUevent arrived;          /* what it holds, in the copying lane's stream */
    CUevent done;             /* with what it held, in the computing lane's */
    bool in_use;              /* `done` was recorded and means something */
};

struct tile_runner {
    struct device *device;
    struct lane *lane, *copies; /* the same where there is no second */
    struct tile_plan plan;
    size_t element_bytes;
    CUdeviceptr tile;
    struct tile_buffer buffers[TILE_FACTORS][TILE_COPIES];
    int latest[TILE_FACTORS]; /* which of a factor's buffers the latest step used */
    struct transfer_count *moved;
    bool is_pinned; /* all operands, by the program: they go by DMA */
    bool delivered; /* a tile has come back: the host cannot do the call from the start */
};

/* With device, lane, plan, element_bytes and moved set, and memory of tile_plan_bytes. Inside device_enter,
 * as are all of these. The close follows in any case. */
enum status tile_runner_open(struct tile_runner *runner, CUdeviceptr memory);
void tile_runner_close(struct tile_runner *runner);

/* The plan's next tile, from its first step until it is home: `step` is the last that was begun. True: there
 * was one. After a failure nothing is queued any more, and nothing of the tile has been written, unless that
 * is STATUS_RESULT_LOST. */
bool tile_runner_run(struct tile_runner *runner, struct tile_step *step, enum status *status);

/* Does a step on the host; false if it cannot. */
struct host_steps {
    bool (*run)(void *context, const struct blas_call *call);
    void *context;
};

/* Run the call in tiles. Inside device_enter, with a lane of the caller's. When the device fails after
 * tiles have come back, the host does the rest: STATUS_OK. STATUS_RESULT_LOST when it cannot, or
 * when a tile's copy-back was cut short. Any other status: no operand was touched. */
enum status tiled_run(struct device *device, struct mirror_table *mirrors, struct lane *lane,
                      const struct blas_call *call, const struct host_steps *host,
                      struct transfer_count *moved);

/* True for a level 3 call that has to run in tiles; then what it has to send, for the policy. */
bool tiled_residency(const struct mirror_table *mirrors, const struct blas_call *call,
                     const struct operand *operands, int count, struct residency *residency);

/* Run the call, which is described and decided: mirrors -> vectors -> launch -> wait -> write-through.
 * STATUS_OK: results are in host memory. STATUS_RESULT_LOST: an output could not be completed (invariant 3).
 * Any other status: no operand was touched; STATUS_BUSY: others were in the way for longer than its patience
 * lasts. A level 3 call whose operands do not fit the device runs in tiles, for which `host` stands by. */
enum status execute_call(struct device *device, struct mirror_table *mirrors, struct program_call *call,
                         const struct host_steps *host, struct transfer_count *moved);

/* A level 3 call that streams from host memory, in tiles, on several devices at once: its
 * plan (shared_plan.c) and its run (shared_tiles.c).
 *
 * Each device has a thread, lanes and memory of its own: two links carry twice what one does. Nothing becomes
 * resident. */

/* Which device does which tiles.
 *
 * The cut into tiles never depends on time, and so neither does a tile's sum. Which kind of device does a
 * tile does not either: each kind (devices of one model) has its range of groups, dealt beforehand by profile
 * or rule. Within a kind, whose devices give the same bits, groups are taken as devices become free, and by
 * the pace seen so far the last ones are left to who has them done first. Only what a failed device leaves
 * goes to any other. Thread-safe but for begin and end. */

/* The facts on each device that begin takes. */
struct tile_groups_device {
    int kind;      /* below DEVICES_MAX; the same for devices of one kind, which stand together */
    int64_t share; /* groups that it is expected to do; those of a kind sum to its range */
    struct device_pace pace;
};

struct tile_groups {
    pthread_mutex_t lock;
    int64_t count, tiles; /* groups, and tiles in each */
    int64_t *next;        /* of each group: how many of its tiles are done */
    bool *taken;
    double bytes, operations; /* of a group */
    int devices;
    struct tile_groups_device device[DEVICES_MAX];
    int64_t done[DEVICES_MAX]; /* groups that it has finished */
    double since[DEVICES_MAX]; /* when it took what it has; negative: it has nothing */
    bool is_open;              /* all groups for any device */
};

/* False: out of memory. */
bool tile_groups_begin(struct tile_groups *groups, const struct tile_groups_device *devices, int count);
void tile_groups_end(struct tile_groups *groups);

/* A group for the device, at `now` in seconds: its number; negative: none. *tile is the first that is not
 * done. */
int64_t tile_groups_take(struct tile_groups *groups, int device, double now, int64_t *tile);

/* The device has done the group; or it leaves it with its first `done` tiles done. */
void tile_groups_finish(struct tile_groups *groups, int device, int64_t group, double now);
void tile_groups_leave(struct tile_groups *groups, int device, int64_t group, int64_t done);

/* From now on any device may take any group that is left. True: some are. */
bool tile_groups_open(struct tile_groups *groups);

/* How the call is cut and shared. Pure, but for the devices' properties and memory.
 *
 * The cut depends on the call, on the devices and their memory; the shares of unequal kinds of device on what
 * was known of them before the call: the profiles of mublas tune where each has one, else the fourth paper's
 * rule (device_shares.h). */
struct tile_device {
    struct device *device;
    struct mirror_table *mirrors;
    const struct machine_model *model;
};

struct shared_plan {
    struct tile_plan tiles;
    struct tile_device devices[DEVICES_MAX]; /* those of one kind stand together */
    int kinds[DEVICES_MAX];
    int64_t shares[DEVICES_MAX]; /* groups of tiles */
    int count;
    bool is_pinned; /* the operands, all by the program: they go by DMA */
    /* Predicted, for all of them, and for the first that was given alone, in the same tiles. */
    double seconds, alone_seconds;
};

/* False where the call cannot be cut for all of them, or one would do all. plan->is_pinned is set before. */
bool shared_plan_make(struct shared_plan *plan, const struct blas_call *call,
                      const struct tile_device *devices, int count);

/* The plan's device for tile_groups_begin; the sizes of groups are filled in. */
struct tile_groups_device shared_plan_device(const struct shared_plan *plan, int number,
                                             struct tile_groups *groups);

/* Run the call, outside device_enter. A device that fails is left out, and others do its rest; the host does
 * what all have left once tiles have come back. STATUS_RESULT_LOST: as tiled_run. Any other status but
 * STATUS_OK: no operand was touched. */
enum status shared_tiles_run(const struct shared_plan *plan, const struct patience *patience,
                             const struct host_steps *host, struct transfer_count *moved);

/* The device's part of all calls that were shared, from 0 to 1, by operations. */
double shared_tiles_part(const struct device *device);

#endif
