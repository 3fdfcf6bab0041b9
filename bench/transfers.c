/* transfers.c - how fast is the link, from and to ordinary memory and pinned memory?
 *
 *   bench/transfers [MIB...]
 *
 * Of each size (64, 512 and 2048 MiB), up and down, one line a measurement with the median and the best of
 * some turns in GB/s (10^9): the product's own way by 1 to 8 threads; what it chooses here, also where its
 * helpers must first be made; the driver's own copy of ordinary memory; by DMA from and to pinned memory.
 * Then a square matrix of about that size as its callers send it: whole with a gap behind each column, and
 * its lower triangle, of whose bytes the elements alone count. At last how fast 1 to 8 threads pack a slot's
 * worth each, by the way that the product copies and by memcpy. What came down is compared with what went up.
 */
#include "common/own_thread.h"
#include "mirror/transfer/transfer.h"
#include "timing.h"

#include <stdio.h>
#include <unistd.h>

enum { REST_MICROSECONDS = 400000 }; /* longer than helpers stay */
enum {
    THREADS_MOST = JOB_HELPERS_MOST + 1,
    TURNS_MOST = 20,
    PATH_CHOSEN = 0,
    PATH_DRIVER = -1,
    PATH_PINNED = -2
};

static struct device *device;
static struct lane *lane;
static CUdeviceptr memory;
static bool all_good = true;

/* One size. */
struct buffers {
    size_t bytes;
    unsigned char *source, *result; /* ordinary */
    unsigned char *pinned;
};

/* One measurement: `path` is a number of threads or one of the above. */
struct measurement {
    const struct buffers *buffers;
    int path;
    bool up, rests; /* before each turn */
};

static enum status run_shared(struct transfer *transfer, bool up, int helpers)
{
    enum status status = STATUS_BUSY;
    if (!shared_transfer_run(transfer, 1, helpers, up, &status))
        fprintf(stderr, "transfers: there are no helpers\n");
    return status;
}

static enum status run_once(const struct measurement *measurement)
{
    const struct buffers *buffers = measurement->buffers;
    const size_t bytes = buffers->bytes;
    unsigned char *host = measurement->path == PATH_PINNED ? buffers->pinned
                          : measurement->up                ? buffers->source
                                                           : buffers->result;
    struct transfer transfer = {.lane = lane, .device = memory, .device_pitch = bytes, .host = host,
                                .host_pitch = (ptrdiff_t)bytes, .width = bytes, .height = 1};
    if (measurement->path < 0)
        return measurement->up ? staging_upload_direct(lane, memory, bytes, host, bytes, bytes, 1)
                               : staging_download_direct(lane, host, bytes, memory, bytes, bytes, 1);
    if (measurement->path == PATH_CHOSEN)
        return measurement->up ? transfer_upload(&transfer) : transfer_download(&transfer);
    if (measurement->path == 1)
        return measurement->up ? transfer_upload_alone(&transfer) : transfer_download_alone(&transfer);
    return run_shared(&transfer, measurement->up, measurement->path - 1);
}

static int turns_of(size_t bytes)
{
    const size_t turns = ((size_t)4 << 30) / bytes;
    return turns < 5 ? 5 : turns > TURNS_MOST ? TURNS_MOST : (int)turns;
}

static void print(const char *direction, size_t bytes, const char *what, double *seconds, int turns)
{
    const double middle = median(seconds, (size_t)turns);
    printf("%-4s %5zu MiB  %-28s %6.2f GB/s  best %6.2f\n", direction, bytes >> 20, what,
           1e-9 * (double)bytes / middle, 1e-9 * (double)bytes / seconds[0]);
    fflush(stdout);
}

static void measure(const struct measurement *measurement, const char *what)
{
    const size_t bytes = measurement->buffers->bytes;
    const int turns = turns_of(bytes);
    double seconds[TURNS_MOST];
    bool good = run_once(measurement) == STATUS_OK && lane_synchronise(lane, "warming up") == STATUS_OK;
    for (int i = 0; i < turns && good; i++) {
        if (measurement->rests)
            usleep(REST_MICROSECONDS);
        const double start = seconds_now();
        good = run_once(measurement) == STATUS_OK && lane_synchronise(lane, "measuring") == STATUS_OK;
        seconds[i] = seconds_now() - start;
    }
    if (good && !measurement->up && measurement->path != PATH_PINNED)
        good = memcmp(measurement->buffers->result, measurement->buffers->source, bytes) == 0;
    if (good)
        print(measurement->up ? "up" : "down", bytes, what, seconds, turns);
    else
        printf("%s %zu MiB %s: failed, or wrong\n", measurement->up ? "up" : "down", bytes >> 20, what);
    memset(measurement->buffers->result, 0, bytes);
    all_good = all_good && good;
}

static void measure_paths(const struct buffers *buffers)
{
    for (int down = 0; down < 2; down++) {
        struct measurement measurement = {.buffers = buffers, .up = !down};
        char what[32];
        for (measurement.path = 1; measurement.path <= THREADS_MOST; measurement.path++) {
            snprintf(what, sizeof what, "%d thread%s", measurement.path, measurement.path > 1 ? "s" : "");
            measure(&measurement, what);
        }
        measurement.path = PATH_CHOSEN;
        snprintf(what, sizeof what, "as chosen (%d helpers)", job_helpers_wanted());
        measure(&measurement, what);
        measurement.rests = true;
        measure(&measurement, "as chosen, helpers gone");
        measurement.rests = false;
        measurement.path = PATH_DRIVER;
        measure(&measurement, "driver, ordinary memory");
        measurement.path = PATH_PINNED;
        measure(&measurement, "pinned memory");
    }
}

/* A matrix of doubles with a gap of a few elements behind each column. */
static void measure_matrix(const struct buffers *buffers, enum blas_part part, const char *what)
{
    enum { GAP = 8 };
    int64_t n = 1;
    while ((size_t)((n + 1) * (n + 1 + GAP)) * 8 <= buffers->bytes)
        n++;
    const uint64_t elements = part == PART_FULL ? (uint64_t)(n * n) : (uint64_t)(n * (n + 1) / 2);
    const struct blas_matrix source = {buffers->source, n, n, n + GAP, part};
    const struct blas_matrix result = {buffers->result, n, n, n + GAP, part};
    double up[TURNS_MOST], down[TURNS_MOST];
    const int turns = turns_of(buffers->bytes);
    bool good = true;
    for (int i = 0; i < turns && good; i++) {
        const double start = seconds_now();
        good = staging_upload_part(lane, memory, n, &source, 8) == STATUS_OK &&
               lane_synchronise(lane, "measuring") == STATUS_OK;
        const double between = seconds_now();
        good = good && staging_download_part(lane, &result, memory, n, 8, NULL) == STATUS_OK;
        up[i] = between - start;
        down[i] = seconds_now() - between;
    }
    for (int64_t j = 0; j < n && good; j++) {
        const size_t at = (size_t)(j * (n + GAP) + (part == PART_LOWER ? j : 0)) * 8;
        good = memcmp(buffers->source + at, buffers->result + at,
                      (size_t)(part == PART_LOWER ? n - j : n) * 8) == 0;
    }
    all_good = all_good && good;
    if (!good) {
        printf("%s: failed, or wrong\n", what);
        return;
    }
    print("up", elements * 8, what, up, turns);
    print("down", elements * 8, what, down, turns);
}

/* Each part packs pieces of its own into a slot of its own. */
struct packing {
    const struct buffers *buffers;
    bool by_memcpy;
    unsigned pieces; /* each */
};

static void pack(void *context, unsigned part)
{
    const struct packing *packing = context;
    const size_t slots = packing->buffers->bytes / STAGING_SLOT_BYTES;
    const unsigned slots_each = LANE_SLOTS / THREADS_MOST;
    for (unsigned i = 0; i < packing->pieces; i++) {
        unsigned char *from =
            packing->buffers->source + ((size_t)part * packing->pieces + i) % slots * STAGING_SLOT_BYTES;
        unsigned char *slot = staging_slot_address(lane, part * slots_each + i % slots_each);
        const struct transfer transfer = {
            .host = from, .host_pitch = STAGING_SLOT_BYTES, .width = STAGING_SLOT_BYTES, .height = 1};
        if (packing->by_memcpy)
            memcpy(slot, from, STAGING_SLOT_BYTES);
        else
            piece_pack(slot, &transfer, &(struct piece){.rows = 1, .width = STAGING_SLOT_BYTES});
    }
}

static void measure_packing(const struct buffers *buffers)
{
    for (int by_memcpy = 0; by_memcpy < 2; by_memcpy++)
        for (int threads = 1; threads <= THREADS_MOST; threads++) {
            const unsigned pieces = (unsigned)(buffers->bytes / STAGING_SLOT_BYTES) / (unsigned)threads;
            struct packing packing = {buffers, by_memcpy, pieces};
            double seconds[TURNS_MOST];
            const struct job job = {.work = pack, .may = job_helpers_touch_nothing, .context = &packing,
                                    .context_bytes = sizeof packing, .parts = (unsigned)threads};
            char what[40];
            for (int i = 0; i < 5; i++) {
                const double start = seconds_now();
                job_helpers_run(&job, threads - 1);
                seconds[i] = seconds_now() - start;
            }
            snprintf(what, sizeof what, "%d thread%s, %s", threads, threads > 1 ? "s" : "",
                     by_memcpy ? "memcpy" : "product's copy");
            print("pack", (size_t)pieces * (unsigned)threads * STAGING_SLOT_BYTES, what, seconds, 5);
        }
}

static void measure_size(size_t bytes)
{
    void *pinned = NULL;
    struct buffers buffers = {.bytes = bytes, .source = malloc(bytes), .result = malloc(bytes)};
    if (!buffers.source || !buffers.result || device_allocate(device, bytes, &memory) != STATUS_OK ||
        device_check(device, driver()->pinned_allocate(&pinned, bytes, 0), "allocating pinned memory") !=
            STATUS_OK) {
        fprintf(stderr, "transfers: not enough memory for %zu MiB\n", bytes >> 20);
        exit(1);
    }
    buffers.pinned = pinned;
    uint64_t state = bytes;
    for (size_t i = 0; i < bytes; i += 8) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        memcpy(buffers.source + i, &state, 8);
    }
    memset(buffers.result, 0, bytes);
    memcpy(buffers.pinned, buffers.source, bytes);
    measure_paths(&buffers);
    measure_matrix(&buffers, PART_FULL, "matrix, gaps");
    measure_matrix(&buffers, PART_LOWER, "triangle, gaps");
    measure_packing(&buffers);
    driver()->pinned_free(pinned);
    device_free(device, memory);
    free(buffers.source);
    free(buffers.result);
}

int main(int count, char **arguments)
{
    static const size_t sizes[] = {64, 512, 2048};
    struct device_scope scope;
    if (device_wake(&device) != STATUS_OK || device_enter(device, &scope) != STATUS_OK ||
        lane_acquire(device, &lane) != STATUS_OK || lane_reserve_staging_slots(lane) != STATUS_OK) {
        fprintf(stderr, "transfers: no device\n");
        return 1;
    }
    for (int i = 1; i < count; i++)
        measure_size(strtoull(arguments[i], NULL, 10) << 20);
    for (size_t i = 0; count == 1 && i < sizeof sizes / sizeof *sizes; i++)
        measure_size(sizes[i] << 20);
    lane_release(lane);
    device_leave(device, &scope);
    return all_good ? 0 : 1;
}
