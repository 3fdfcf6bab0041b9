/* Transfers by several threads: they land where they should, whole, and touch no other byte, whatever staging
 * was used for before and is used for after. Copies of the emulated device land as late as possible, so a
 * slot reused too early shows. The argument is the seed of the random part. */
#include "common/own_thread.h"
#include "shared_transfer.h"

#ifdef __SANITIZE_THREAD__
/* Each takes twenty times as long. */
enum { RANDOM_TRANSFERS = 4, EVERY = 6, HELPERS_LEAST = 4, HELPERS_MOST = 4 };
#else
enum { RANDOM_TRANSFERS = 150, EVERY = 1, HELPERS_LEAST = 1, HELPERS_MOST = 7 };
#endif

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

/* A short transfer wakes no helper, and a long one does, given processors. */
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

int main(int count, char **arguments)
{
    const uint64_t seed = count > 1 ? strtoull(arguments[1], NULL, 10) : (uint64_t)getpid();
    open_memory();
    test_who_is_woken();
    for (int helpers = HELPERS_LEAST; helpers <= HELPERS_MOST; helpers += 3)
        test_all_rows(helpers);
    test_rows(8, 1500000, -16, 8, 3);
    if (EVERY == 1) {
        test_rows(8, 1500000, 24, 8, 3);
        test_rows(4, 3000000, 12, 4, 3);
        test_rows(16, 1, 16, 16, 3);
    }
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
    return close_memory();
}
