#include "lapack/several/shared_cholesky.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/own_thread.h"
#include "gpu/driver.h"
#include "lapack/device_matrix.h"
#include "mirror/host_memory/mapping.h"

#include <stdlib.h>

/* Wide enough for products at full speed, and so many that the last ones weigh little. */
enum { WIDTH_UNIT = 64, WIDTH_MOST = 1024, BLOCKS_WANTED = 32 };

static int64_t width_of(int64_t n)
{
    const int64_t wanted = (n / BLOCKS_WANTED + WIDTH_UNIT - 1) / WIDTH_UNIT * WIDTH_UNIT;
    const int64_t least = ((n + BLOCKS_MOST - 1) / BLOCKS_MOST + WIDTH_UNIT - 1) / WIDTH_UNIT * WIDTH_UNIT;
    const int64_t width = wanted > WIDTH_MOST ? WIDTH_MOST : wanted;
    return width < WIDTH_UNIT ? WIDTH_UNIT : width < least ? least : width;
}

/* A block is changed by each one before it, over its own length. */
static double work_of(const struct block_columns *blocks, int block)
{
    return (double)(block + 1) * (double)block_length(blocks, block);
}

static int owner_of(const double *busy, const double *pace, int devices, double work)
{
    int best = 0;
    for (int i = 1; i < devices; i++)
        if (busy[i] + work / pace[i] < busy[best] + work / pace[best])
            best = i;
    return best;
}

bool block_columns_make(struct block_columns *blocks, enum blas_type type, enum blas_uplo uplo, int64_t n,
                        const double *pace, int devices)
{
    double busy[DEVICES_MAX] = {0};
    *blocks = (struct block_columns){.type = type, .uplo = uplo, .n = n, .width = width_of(n)};
    blocks->count = (int)((n + blocks->width - 1) / blocks->width);
    for (int block = 0; block < blocks->count; block++) {
        const double work = work_of(blocks, block);
        const int owner = owner_of(busy, pace, devices, work);
        busy[owner] += work / pace[owner];
        blocks->owner[block] = owner;
        blocks->offset[block] = blocks->bytes[owner];
        blocks->bytes[owner] += device_aligned(block_bytes(blocks, block));
    }
    return devices > 1 && blocks->count >= devices;
}

typedef enum status part_work(struct cholesky_part *part);

/* A thread's work for a part. */
struct cholesky_job {
    struct cholesky_part *part;
    part_work *work;
    pthread_t thread;
    bool is_apart; /* on a thread of its own */
};

/* All that threads work on. Not on the caller's stack, which a handler may leave by a jump; it stays then. */
struct sharing {
    struct blas_matrix a;
    struct block_columns blocks;
    struct shared_device devices[DEVICES_MAX];
    struct cholesky_part parts[DEVICES_MAX];
    struct cholesky_job jobs[DEVICES_MAX];
    int count;
};

static void *run_job(void *argument)
{
    struct cholesky_job *const job = argument;
    struct device *const device = job->part->on->device;
    struct device_scope scope;
    job->part->status = device_enter(device, &scope);
    if (job->part->status == STATUS_OK) {
        job->part->status = job->work(job->part);
        device_leave(device, &scope);
    }
    return NULL;
}

static void *run_job_apart(void *job)
{
    exit_gate_be_part();
    return run_job(job);
}

static void join(struct cholesky_job *job)
{
    pthread_join(job->thread, NULL);
    /* Memory that the program's own handlers open is for this thread. */
    if (job->part->status == STATUS_INACCESSIBLE)
        run_job(job);
}

/* For all parts at once; where no thread is to be had, one after the other. */
static enum status work_on_all(struct sharing *sharing, part_work *work)
{
    struct cholesky_job *const jobs = sharing->jobs;
    enum status status = STATUS_OK;
    for (int i = 0; i < sharing->count; i++) {
        jobs[i] = (struct cholesky_job){.part = &sharing->parts[i], .work = work};
        jobs[i].is_apart =
            i > 0 && own_thread_start(&jobs[i].thread, OWN_THREAD_STACK_BYTES, run_job_apart, &jobs[i]);
    }
    for (int i = 0; i < sharing->count; i++)
        if (!jobs[i].is_apart)
            run_job(&jobs[i]);
    for (int i = 0; i < sharing->count; i++) {
        if (jobs[i].is_apart)
            join(&jobs[i]);
        status = status == STATUS_OK ? jobs[i].part->status : status;
    }
    return status;
}

/* Nobody can begin again when the blocks of one device are home and those of another are not. */
static enum status bring_all_home(struct sharing *sharing)
{
    const enum status status = work_on_all(sharing, cholesky_part_bring_home);
    bool touched = false;
    for (int i = 0; i < sharing->count; i++)
        touched = touched || sharing->parts[i].is_touched;
    return status != STATUS_OK && touched ? STATUS_RESULT_LOST : status;
}

/* INFO may be anything on a device that waited for a panel which a lost device has not sent. */
static enum status outcome_of(enum status stepped, enum status waited)
{
    const bool is_certain = stepped != STATUS_OK && stepped != STATUS_UNSUCCESSFUL;
    return is_certain || waited == STATUS_OK ? stepped : waited;
}

static enum status run(struct sharing *sharing)
{
    phase_enter(PHASE_UPLOAD);
    enum status status = work_on_all(sharing, cholesky_part_send);
    phase_enter(PHASE_FINISH);
    if (status == STATUS_OK) {
        status = cholesky_steps_run(sharing->parts, sharing->count);
        const enum status waited = work_on_all(sharing, cholesky_part_wait); /* whatever came of it */
        status = outcome_of(status, waited);
    }
    phase_enter(PHASE_RESULT);
    return status == STATUS_OK ? bring_all_home(sharing) : status;
}

static enum status begin_part(struct cholesky_part *part, struct patience *patience)
{
    struct device *const device = part->on->device;
    struct device_scope scope;
    enum status status = device_enter(device, &scope);
    if (status != STATUS_OK)
        return status;
    status = cholesky_part_begin(part, patience);
    device_leave(device, &scope);
    return status;
}

/* The lane of a lost device is given back, too. */
static void end_part(struct cholesky_part *part)
{
    struct device_scope scope;
    const bool entered = device_enter(part->on->device, &scope) == STATUS_OK;
    cholesky_part_end(part);
    if (entered)
        device_leave(part->on->device, &scope);
}

/* In the order of the devices, as all do: nobody waits for who waits for him. */
static enum status run_in_lanes(struct sharing *sharing, struct patience *patience)
{
    struct cholesky_part *const parts = sharing->parts;
    enum status status = STATUS_OK;
    phase_enter(PHASE_MEMORY);
    for (int i = 0; i < sharing->count && status == STATUS_OK; i++)
        status = begin_part(&parts[i], patience);
    if (status == STATUS_OK)
        status = run(sharing);
    phase_enter(PHASE_MEMORY);
    for (int i = 0; i < sharing->count; i++)
        end_part(&parts[i]);
    phase_enter(PHASE_OTHER);
    return status;
}

static bool may_touch(const struct factor_problem *problem)
{
    const struct operand operand = {.matrix = problem->a, .access = OPERAND_UPDATE,
                                    .element_bytes = blas_element_bytes(problem->type)};
    return protection_allows_all(&operand, 1);
}

static void tell_shares(const struct block_columns *blocks, const struct shared_device *devices, int count)
{
    for (int i = 0; i < count; i++) {
        int own = 0;
        for (int block = 0; block < blocks->count; block++)
            own += blocks->owner[block] == i;
        log_message(LOG_INFO,
                    "a Cholesky factorisation of order %lld, blocks of %lld: %d of %d for device %d",
                    (long long)blocks->n, (long long)blocks->width, own, blocks->count,
                    device_properties(devices[i].device)->ordinal);
    }
}

/* False: the matrix is too small to be shared. */
static bool deal(struct sharing *sharing, const struct factor_problem *problem,
                 const struct shared_device *devices, int count)
{
    double pace[DEVICES_MAX] = {0};
    sharing->a = problem->a;
    sharing->count = count;
    for (int i = 0; i < count; i++) {
        sharing->devices[i] = devices[i];
        pace[i] = devices[i].pace;
        sharing->parts[i] = (struct cholesky_part){.on = &sharing->devices[i], .blocks = &sharing->blocks,
                                                   .a = &sharing->a, .number = i};
    }
    return block_columns_make(&sharing->blocks, problem->type, problem->uplo, problem->n, pace, count);
}

static enum status share(struct sharing *sharing, const struct factor_problem *problem,
                         const struct shared_device *devices, int count, struct patience *patience)
{
    if (!deal(sharing, problem, devices, count))
        return STATUS_UNSUPPORTED;
    if (!may_touch(problem))
        return STATUS_INACCESSIBLE;
    if (!exit_gate_enter_with_parts())
        return STATUS_NO_DEVICE;
    tell_shares(&sharing->blocks, sharing->devices, count);
    const enum status status = run_in_lanes(sharing, patience);
    exit_gate_leave_with_parts();
    return status;
}

enum status shared_cholesky_run(const struct factor_problem *problem, const struct shared_device *devices,
                                int count, struct patience *patience, struct transfer_count *moved)
{
    struct sharing *const sharing = calloc(1, sizeof *sharing);
    *moved = (struct transfer_count){0, 0};
    if (!sharing)
        return STATUS_OUT_OF_MEMORY;
    const enum status status = share(sharing, problem, devices, count, patience);
    for (int i = 0; i < count; i++) {
        moved->bytes_up += sharing->parts[i].moved.bytes_up;
        moved->bytes_down += sharing->parts[i].moved.bytes_down;
    }
    free(sharing);
    return status;
}
