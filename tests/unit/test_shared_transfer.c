/* Transfers by several threads: they land where they should, whole, and touch no other byte, whatever staging
 * was used for before and is used for after. Copies of the emulated device land as late as possible, so a
 * slot reused too early shows. The argument is the seed of the random part. */
#include "emulated_lane.h"
#include "common/threads/job_helpers.h"
#include "mirror/transfer/shared_transfer.h"
#include "mirror/transfer/staging.h"

#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DEVICE_BYTES = 96 << 20, GUARD = 64, LARGE = 40 << 20 };

#ifdef __SANITIZE_THREAD__
enum {
    RANDOM_TRANSFERS = 12,
    EVERY = 4,
    HELPERS_LEAST = 4,
    HELPERS_MOST = 4
}; /* each takes twenty times as long */
#else
enum { RANDOM_TRANSFERS = 150, EVERY = 1, HELPERS_LEAST = 1, HELPERS_MOST = 7 };
#endif

/* The C library's, but that there are as many processors as a test says; 0: as there are. */
static int processors;

int sched_getaffinity(pid_t thread, size_t bytes, cpu_set_t *set)
{
    memset(set, 0, bytes);
    for (int i = 0; i < processors; i++)
        CPU_SET_S((size_t)i, bytes, set);
    return processors > 0 || syscall(SYS_sched_getaffinity, thread, bytes, set) > 0 ? 0 : -1;
}

static struct lane *lane;
static CUdeviceptr device;
static unsigned char *image; /* what device memory should be or was */

static uint64_t random_state = 1;

static uint64_t draw(uint64_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 33) % below;
}

static unsigned char *allocate(size_t bytes)
{
    unsigned char *memory = malloc(bytes);
    if (!memory)
        abort();
    return memory;
}

/* Never the same twice, and no period that a piece's length could have. */
static void fill_randomly(unsigned char *memory, size_t bytes)
{
    uint64_t state = draw(UINT64_C(1) << 31) + 1;
    size_t i = 0;
    for (; i + 8 <= bytes; i += 8) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        memcpy(memory + i, &state, 8);
    }
    memset(memory + i, 7, bytes - i);
}

static bool all_are(const unsigned char *memory, size_t bytes, unsigned char value)
{
    return bytes == 0 || (memory[0] == value && memcmp(memory, memory + 1, bytes - 1) == 0);
}

static bool upload(struct transfer transfer, int helpers)
{
    enum status status = STATUS_BUSY;
    if (helpers == 0)
        return transfer_upload_alone(&transfer) == STATUS_OK;
    return shared_transfer_run(&transfer, 1, helpers, true, &status) && status == STATUS_OK;
}

static bool download(struct transfer transfer, int helpers)
{
    enum status status = STATUS_BUSY;
    if (helpers == 0)
        return transfer_download_alone(&transfer) == STATUS_OK;
    return shared_transfer_run(&transfer, 1, helpers, false, &status) && status == STATUS_OK;
}

/* Rows of the host at a pitch that may be negative, `span` bytes of memory with a guard at either end. */
static void test_rows(size_t width, size_t height, ptrdiff_t host_pitch, size_t device_pitch, int helpers)
{
    const size_t step = (size_t)(host_pitch < 0 ? -host_pitch : host_pitch),
                 span = (height - 1) * step + width;
    const size_t device_bytes = (height - 1) * device_pitch + width;
    unsigned char *source = allocate(span + 2 * GUARD), *result = allocate(span + 2 * GUARD);
    unsigned char *const first = source + GUARD + (host_pitch < 0 ? span - width : 0);
    bool landed = true, touched = false;
    fill_randomly(source, span + 2 * GUARD);
    memcpy(result, source, span + 2 * GUARD);
    memset(image, 0xee, device_bytes + GUARD);
    device_poke(device, image, device_bytes + GUARD);
    struct transfer transfer = {.lane = lane,
                                .device = device,
                                .device_pitch = device_pitch,
                                .host = first,
                                .host_pitch = host_pitch,
                                .width = width,
                                .height = height,
                                .touched = &touched};
    bool good = upload(transfer, helpers);
    memset(source, 0x11, span + 2 * GUARD); /* it was read */
    good = good && lane_synchronise(lane, "waiting") == STATUS_OK;
    device_peek(image, device, device_bytes + GUARD);
    for (size_t row = 0; row < height; row++) {
        unsigned char *const was = result + (first - source) + (ptrdiff_t)row * host_pitch;
        landed = landed && memcmp(image + row * device_pitch, was, width) == 0 &&
                 all_are(image + row * device_pitch + width, row + 1 < height ? device_pitch - width : GUARD,
                         0xee);
    }
    good = good && !touched && download(transfer, helpers) && touched;
    for (size_t row = 0; row < height; row++) { /* undo each row: nothing else may differ */
        const ptrdiff_t at = (first - source) + (ptrdiff_t)row * host_pitch;
        good = good && memcmp(source + at, result + at, width) == 0;
        memset(source + at, 0x11, width);
    }
    tap_ok(good && landed && all_are(source, span + 2 * GUARD, 0x11),
           "%zu rows of %zu bytes, pitch %td, on the device %zu, %d helpers", height, width, host_pitch,
           device_pitch, helpers);
    free(source);
    free(result);
}

static void test_all_rows(int helpers)
{
    static const struct {
        size_t width, height, device_pitch;
        ptrdiff_t host_pitch;
    } rows[] = {{LARGE, 1, LARGE, LARGE},
                {(70 << 20) + 13, 1, (70 << 20) + 13, (70 << 20) + 13},
                {8192, 5000, 8192, 8192},
                {8000, 5000, 8064, 8200},
                {5 << 20, 8, (5 << 20) + 256, (5 << 20) + 24},
                {(1 << 20) + 8, 37, (1 << 20) + 256, (1 << 20) + 16}};
    for (size_t i = EVERY - 1; i < sizeof rows / sizeof *rows; i += EVERY)
        test_rows(rows[i].width, rows[i].height, rows[i].host_pitch, rows[i].device_pitch, helpers);
}

static bool in_part(enum blas_part part, int64_t row, int64_t column)
{
    return part == PART_FULL || (part == PART_LOWER ? row >= column : row <= column);
}

/* As the product sends them. */
static void test_part(enum blas_part part, int64_t n, int64_t ld, int64_t device_ld)
{
    const size_t bytes = (size_t)(ld * n) * 8, device_bytes = (size_t)(device_ld * n) * 8;
    uint64_t *host = (uint64_t *)(void *)allocate(bytes), *source = (uint64_t *)(void *)allocate(bytes);
    uint64_t *seen = (uint64_t *)(void *)image;
    struct blas_matrix matrix = {host, n, n, ld, part};
    bool touched = false;
    fill_randomly((unsigned char *)source, bytes);
    memcpy(host, source, bytes);
    const unsigned long records = call_count("cuEventRecord");
    bool good = staging_upload_part(lane, device, device_ld, &matrix, 8) == STATUS_OK;
    const bool is_shared = call_count("cuEventRecord") >= records + bytes / 3 / (1 << 20);
    memset(host, 0x44, bytes);
    good = good && lane_synchronise(lane, "waiting") == STATUS_OK && device_peek(image, device, device_bytes);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            good = good && (!in_part(part, i, j) || seen[i + j * device_ld] == source[i + j * ld]);
    good = good && staging_download_part(lane, &matrix, device, device_ld, 8, &touched) == STATUS_OK &&
           touched;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < ld; i++)
            good = good && host[i + j * ld] ==
                               (i < n && in_part(part, i, j) ? source[i + j * ld] : 0x4444444444444444);
    tap_ok(good && is_shared, "part %d of order %lld, ld %lld, on the device %lld%s", part, (long long)n,
           (long long)ld, (long long)device_ld, is_shared ? "" : ": by one thread");
    free(host);
    free(source);
}

/* What a short transfer may not cost, and what a long one does. */
static void test_who_is_woken(void)
{
    unsigned char *memory = allocate(LARGE);
    fill_randomly(memory, LARGE);
    struct transfer transfer = {.lane = lane, .device = device, .host = memory, .height = 1};
    processors = 8;
    transfer.width = transfer.device_pitch = 6 << 20;
    transfer.host_pitch = 6 << 20;
    bool good = transfer_upload(&transfer) == STATUS_OK && transfer_download(&transfer) == STATUS_OK;
    tap_ok(good && job_helpers_alive() == 0 && !lane->slot_free[0], "6 MiB wake nobody");
    transfer.width = transfer.device_pitch = LARGE;
    processors = 1;
    good = transfer_upload(&transfer) == STATUS_OK && transfer_download(&transfer) == STATUS_OK;
    tap_ok(good && job_helpers_alive() == 0, "nor do 40 MiB where there is one processor");
    processors = 4;
    good = transfer_upload(&transfer) == STATUS_OK && transfer_download(&transfer) == STATUS_OK;
    tap_ok(good && job_helpers_alive() == 3, "with four they wake three helpers");
    free(memory);
}

/* Transfers of all lengths one after the other, by one thread and by several, with few waits. */
static void test_random(int rounds, const char *name)
{
    unsigned char *model = allocate(DEVICE_BYTES), *work = allocate(LARGE);
    bool good = true;
    int failed_at = -1;
    fill_randomly(model, DEVICE_BYTES);
    device_poke(device, model, DEVICE_BYTES);
    for (int round = 0; round < rounds && good; round++) {
        const size_t bytes = 1 + draw(UINT64_C(1) << draw(25)) +
                             (draw(4) == 0 ? draw(LARGE - (32 << 20)) : 0);
        const size_t at = draw(DEVICE_BYTES - bytes);
        const int helpers = bytes < 1000 ? 0 : (int)draw(4);
        const struct transfer transfer = {.lane = lane,
                                          .device = device + at,
                                          .device_pitch = bytes,
                                          .host = work,
                                          .host_pitch = (ptrdiff_t)bytes,
                                          .width = bytes,
                                          .height = 1};
        if (draw(8) > 0) {
            fill_randomly(work, bytes);
            memcpy(model + at, work, bytes);
            good = upload(transfer, helpers);
            memset(work, 0x55, bytes);
        } else {
            good = download(transfer, helpers) && memcmp(work, model + at, bytes) == 0;
        }
        failed_at = good ? -1 : round;
    }
    good = good && lane_synchronise(lane, "waiting") == STATUS_OK &&
           device_peek(image, device, DEVICE_BYTES) && memcmp(image, model, DEVICE_BYTES) == 0;
    tap_ok(good, "%s: %d transfers in a row%s", name, rounds, failed_at >= 0 ? ", one of which failed" : "");
    free(model);
    free(work);
}

/* Short copies where a long transfer has left the half before it, and back: all queued, none waited for. */
static void test_halves(void)
{
    enum { SHORT = 1 << 20, ROUNDS = 12 };
    static const size_t lengths[] = {3 << 20, 20 << 20, 33 << 20};
    unsigned char *work = allocate(LARGE);
    bool good = true;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        for (size_t at = 0, round = 0; round < ROUNDS; round++) {
            const size_t bytes = round % 2 ? lengths[i] / ROUNDS * 2 : SHORT;
            const struct transfer transfer = {.lane = lane,
                                              .device = device + at,
                                              .device_pitch = bytes,
                                              .host = work,
                                              .host_pitch = (ptrdiff_t)bytes,
                                              .width = bytes,
                                              .height = 1};
            fill_randomly(work, bytes);
            memcpy(image + at, work, bytes);
            good = upload(transfer, round % 2 ? 2 : 0) && good;
            memset(work, 0x55, bytes);
            at += bytes;
        }
        unsigned char *seen = allocate(LARGE);
        const size_t all = ROUNDS / 2 * (lengths[i] / ROUNDS * 2 + SHORT);
        good = good && lane_synchronise(lane, "waiting") == STATUS_OK && device_peek(seen, device, all) &&
               memcmp(seen, image, all) == 0;
        free(seen);
    }
    tap_ok(good, "short and long uploads by turns");
    free(work);
}

/* One call fails: it is reported, and what follows is right. */
static void test_failed_upload(const char *script)
{
    unsigned char *other = allocate(LARGE), *source = allocate(LARGE), *result = allocate(LARGE);
    struct transfer transfer = {.lane = lane, .device = device, .device_pitch = LARGE, .host = other,
                                .host_pitch = LARGE, .width = LARGE, .height = 1};
    fill_randomly(source, LARGE);
    memset(other, 0x66, LARGE);
    set_faults(script);
    const bool failed = !upload(transfer, 3);
    set_faults(NULL);
    transfer.host = source;
    transfer.device += LARGE;
    bool good = upload(transfer, 3);
    transfer.host = result;
    good = good && download(transfer, 3) && memcmp(result, source, LARGE) == 0;
    tap_ok(failed && good, "up, %s: %s, afterwards %s", script, failed ? "reported" : "not reported",
           good ? "right" : "wrong");
    free(other);
    free(source);
    free(result);
}

static void test_failed_download(const char *script, bool may_touch)
{
    unsigned char *source = allocate(LARGE), *result = allocate(LARGE);
    bool touched = false;
    struct transfer transfer = {.lane = lane, .device = device, .device_pitch = LARGE, .host = source,
                                .host_pitch = LARGE, .width = LARGE, .height = 1};
    fill_randomly(source, LARGE);
    memset(result, 0x77, LARGE);
    bool good = upload(transfer, 3) && lane_synchronise(lane, "waiting") == STATUS_OK;
    transfer.host = result;
    transfer.touched = &touched;
    set_faults(script);
    const bool failed = !download(transfer, 3);
    set_faults(NULL);
    const bool untouched = all_are(result, LARGE, 0x77);
    good = good && touched == !untouched && (may_touch || untouched);
    /* What had been queued into slots does not come over what is packed next. */
    fill_randomly(source, LARGE);
    transfer.host = source;
    transfer.device += LARGE;
    good = good && upload(transfer, 3) && lane_synchronise(lane, "waiting") == STATUS_OK;
    transfer.host = result;
    memset(result, 0x77, LARGE);
    good = good && download(transfer, 3) && memcmp(result, source, LARGE) == 0;
    tap_ok(failed && good, "down, %s: %s, host memory %s, afterwards %s", script,
           failed ? "reported" : "not reported", untouched ? "untouched" : "touched",
           good ? "right" : "wrong");
    free(source);
    free(result);
}

static void test_failures(void)
{
    static const char *const ups[] = {"cuMemcpyHtoDAsync_v2:1:801", "cuMemcpyHtoDAsync_v2:37:801",
                                      "cuEventRecord:1:801",        "cuEventRecord:9:801",
                                      "cuEventQuery:1:801",         "cuEventSynchronize:2:801"};
    static const struct {
        const char *script;
        bool may_touch;
    } downs[] = {{"cuMemcpyDtoHAsync_v2:1:801", false}, {"cuMemcpyDtoHAsync_v2:35:801", true},
                 {"cuEventRecord:2:801", true},         {"cuEventSynchronize:7:801", true},
                 {"cuEventSynchronize:1:801", false},   {"COPY_BACK:20:801", true},
                 {"cuEventQuery:1:801", false},         {"COPY_BACK:1:801", false}};
    for (size_t i = EVERY - 1; i < sizeof ups / sizeof *ups; i += EVERY)
        test_failed_upload(ups[i]);
    for (size_t i = EVERY - 1; i < sizeof downs / sizeof *downs; i += EVERY)
        test_failed_download(downs[i].script, downs[i].may_touch);
}

/* Another thread's job keeps the helpers: one thread does it all, as before. */
static void stay_idle(void *unused, unsigned part)
{
    (void)unused, (void)part;
}

static void test_busy_helpers(void)
{
    unsigned char *memory = allocate(LARGE), *result = allocate(LARGE);
    struct transfer transfer = {.lane = lane, .device = device, .device_pitch = LARGE, .host = memory,
                                .host_pitch = LARGE, .width = LARGE, .height = 1};
    enum status status = STATUS_OK;
    fill_randomly(memory, LARGE);
    processors = 4;
    struct job_crew *const crew = job_helpers_begin(stay_idle, NULL, 1, 1);
    bool good = crew;
    good = good && !shared_transfer_run(&transfer, 1, 3, true, &status) &&
           transfer_upload(&transfer) == STATUS_OK;
    transfer.host = result;
    good = good && transfer_download(&transfer) == STATUS_OK && memcmp(memory, result, LARGE) == 0;
    job_helpers_end(crew);
    tap_ok(good, "where helpers are busy one thread does it all");
    free(memory);
    free(result);
}

int main(int count, char **arguments)
{
    const uint64_t seed = count > 1 ? strtoull(arguments[1], NULL, 10) : (uint64_t)getpid();
    lane = emulated_lane();
    image = malloc(DEVICE_BYTES);
    if (!image || device_allocate(emulated_device, DEVICE_BYTES, &device) != STATUS_OK)
        tap_skip_all("not enough memory");
    test_who_is_woken();
    for (int helpers = HELPERS_LEAST; helpers <= HELPERS_MOST; helpers += 3)
        test_all_rows(helpers);
    test_rows(8, 1500000, 24, 8, 3);
    test_rows(8, 1500000, -16, 8, 3);
    test_rows(4, 3000000, 12, 4, 3);
    test_rows(16, 1, 16, 16, 3);
    processors = 4;
    for (enum blas_part part = PART_FULL; part <= PART_UPPER; part++) {
        if (EVERY == 1)
            test_part(part, 1700, 1700, 1702);
        test_part(part, 2200, 2203, 2200);
    }
    test_halves();
    random_state = 20261;
    test_random(RANDOM_TRANSFERS, "one seed");
    random_state = seed;
    printf("# seed %llu\n", (unsigned long long)seed);
    test_random(RANDOM_TRANSFERS, "any seed");
    test_failures();
    test_busy_helpers();
    lane_release(lane);
    device_leave(emulated_device, &emulated_scope);
    return tap_done();
}
