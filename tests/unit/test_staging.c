/* Transfers land where they should, whole, and touch no other byte. Copies of the
 * emulated device land as late as possible, so staging reused too early shows. */
#include "emulated_lane.h"
#include "mirror/transfer/transfer.h"
#include "unit_test.h"

#include <string.h>

enum { DEVICE_BYTES = 96 << 20, GUARD = 64 };

static struct lane *lane;
static CUdeviceptr device;
static unsigned char *image; /* what device memory should be or was */

static unsigned char pattern(size_t index)
{
    return (unsigned char)(index * 2654435761u >> 24);
}

static unsigned char *patterned(size_t bytes)
{
    unsigned char *memory = malloc(bytes + 1);
    for (size_t i = 0; i < bytes; i++)
        memory[i] = pattern(i);
    return memory;
}

static void clear_device(size_t bytes)
{
    memset(image, 0xee, bytes);
    device_poke(device, image, bytes);
}

static bool all_are(const unsigned char *memory, size_t bytes, unsigned char value)
{
    for (size_t i = 0; i < bytes; i++)
        if (memory[i] != value)
            return false;
    return true;
}

/* Rows at `pitch` hold the pattern of rows at `source_pitch`, and what is between holds `gap`. */
static bool rows_are(const unsigned char *memory, size_t pitch, size_t source_pitch, size_t width,
                     size_t height, unsigned char gap)
{
    for (size_t row = 0; row < height; row++) {
        for (size_t i = 0; i < width; i++)
            if (memory[row * pitch + i] != pattern(row * source_pitch + i))
                return false;
        if (!all_are(memory + row * pitch + width, row + 1 < height ? pitch - width : GUARD, gap))
            return false;
    }
    return true;
}

static void test_rectangle(size_t width, size_t height, size_t host_pitch, size_t device_pitch)
{
    size_t host_bytes = (height - 1) * host_pitch + width, device_bytes = (height - 1) * device_pitch + width;
    unsigned char *source = patterned(host_bytes), *result = malloc(host_bytes + 2 * GUARD);
    clear_device(device_bytes + GUARD);
    bool good = staging_upload(lane, device, device_pitch, source, host_pitch, width, height) == STATUS_OK;
    memset(source, 0x11, host_bytes); /* the source was read */
    good = good && lane_synchronise(lane, "waiting") == STATUS_OK;
    device_peek(image, device, device_bytes + GUARD);
    bool landed = rows_are(image, device_pitch, host_pitch, width, height, 0xee);
    memset(result, 0x22, host_bytes + 2 * GUARD);
    good = good && staging_download(lane, result + GUARD, host_pitch, device, device_pitch, width, height) ==
                       STATUS_OK;
    bool returned = all_are(result, GUARD, 0x22) &&
                    rows_are(result + GUARD, host_pitch, host_pitch, width, height, 0x22);
    tap_ok(good && landed && returned, "%zu rows of %zu bytes, pitch %zu, on the device %zu: up %s, down %s",
           height, width, host_pitch, device_pitch, landed ? "right" : "wrong", returned ? "right" : "wrong");
    free(source);
    free(result);
}

static void test_direct(size_t width, size_t height, size_t host_pitch, size_t device_pitch)
{
    size_t host_bytes = (height - 1) * host_pitch + width, device_bytes = (height - 1) * device_pitch + width;
    void *pinned = NULL;
    if (device_check(emulated_device, driver()->pinned_allocate(&pinned, host_bytes + GUARD, 0), "pinning"))
        exit(1);
    unsigned char *host = pinned, *source = patterned(host_bytes);
    memcpy(host, source, host_bytes);
    clear_device(device_bytes + GUARD);
    bool good = staging_upload_direct(lane, device, device_pitch, host, host_pitch, width, height) ==
                    STATUS_OK &&
                lane_synchronise(lane, "waiting") == STATUS_OK;
    device_peek(image, device, device_bytes + GUARD);
    good = good && rows_are(image, device_pitch, host_pitch, width, height, 0xee);
    memset(host, 0x22, host_bytes + GUARD);
    good = good &&
           staging_download_direct(lane, host, host_pitch, device, device_pitch, width, height) ==
               STATUS_OK &&
           lane_synchronise(lane, "waiting") == STATUS_OK;
    tap_ok(good && rows_are(host, host_pitch, host_pitch, width, height, 0x22),
           "directly: %zu rows of %zu bytes, pitch %zu, on the device %zu", height, width, host_pitch,
           device_pitch);
    driver()->pinned_free(pinned);
    free(source);
}

/* Element i of a vector by the BLAS rule, as an index from the pointer. */
static size_t element_of(int64_t i, int64_t length, int64_t increment)
{
    return (size_t)(increment > 0 ? i * increment : (i - (length - 1)) * increment);
}

static void test_vector(int64_t length, int64_t increment, size_t element_bytes)
{
    size_t span = length ? (size_t)((length - 1) * llabs(increment) + 1) * element_bytes : 0;
    size_t packed = (size_t)length * element_bytes;
    unsigned char *memory = patterned(span + GUARD), *source = patterned(span + GUARD);
    struct blas_vector vector = {memory, length, increment};
    bool good = staging_upload_vector(lane, device, &vector, element_bytes) == STATUS_OK;
    memset(memory, 0x33, span + GUARD);
    good = good && lane_synchronise(lane, "waiting") == STATUS_OK && device_peek(image, device, packed);
    for (int64_t i = 0; i < length && good; i++)
        good = memcmp(image + (size_t)i * element_bytes,
                      source + element_of(i, length, increment) * element_bytes, element_bytes) == 0;
    good = good && staging_download_vector(lane, &vector, device, element_bytes) == STATUS_OK;
    for (int64_t i = 0; i < length && good; i++) { /* undo each element: nothing else may differ */
        unsigned char *element = memory + element_of(i, length, increment) * element_bytes;
        good = memcmp(element, image + (size_t)i * element_bytes, element_bytes) == 0;
        memset(element, 0x33, element_bytes);
    }
    tap_ok(good && all_are(memory, span + GUARD, 0x33),
           "vector of %lld elements of %zu bytes, increment %lld", (long long)length, element_bytes,
           (long long)increment);
    free(memory);
    free(source);
}

static bool in_part(enum blas_part part, int64_t row, int64_t column)
{
    return part == PART_FULL || (part == PART_LOWER ? row >= column : row <= column);
}

static void test_part_in(uint64_t *host, bool is_pinned, const struct blas_matrix *matrix, int64_t device_ld)
{
    const int64_t rows = matrix->rows, columns = matrix->columns, ld = matrix->ld;
    const enum blas_part part = matrix->part;
    size_t bytes = (size_t)(ld * columns) * 8, device_bytes = (size_t)(device_ld * columns) * 8;
    uint64_t *source = (uint64_t *)patterned(bytes), *seen = (uint64_t *)image;
    memcpy(host, source, bytes);
    clear_device(device_bytes);
    bool good = part_upload(lane, device, device_ld, matrix, 8, is_pinned) == STATUS_OK, touched = false;
    good = good && (!is_pinned || lane_synchronise(lane, "waiting") == STATUS_OK);
    memset(host, 0x44, bytes);
    good = good && lane_synchronise(lane, "waiting") == STATUS_OK && device_peek(image, device, device_bytes);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < device_ld; i++) {
            bool inside = i < rows && in_part(part, i, j);
            good = good && (!inside || seen[i + j * device_ld] == source[i + j * ld]) &&
                   (i < rows || seen[i + j * device_ld] == 0xeeeeeeeeeeeeeeee);
        }
    good = good && part_download(lane, matrix, device, device_ld, 8, is_pinned, &touched) == STATUS_OK &&
           touched;
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < ld; i++)
            good = good && host[i + j * ld] ==
                               (i < rows && in_part(part, i, j) ? source[i + j * ld] : 0x4444444444444444);
    tap_ok(good, "part %d of %lld by %lld, ld %lld, on the device %lld, %s", part, (long long)rows,
           (long long)columns, (long long)ld, (long long)device_ld, is_pinned ? "pinned" : "not pinned");
    free(source);
}

static void test_part(enum blas_part part, int64_t rows, int64_t columns, int64_t ld, int64_t device_ld)
{
    const size_t bytes = (size_t)(ld * columns) * 8;
    void *ordinary = malloc(bytes), *pinned = NULL;
    if (!ordinary || device_check(emulated_device, driver()->pinned_allocate(&pinned, bytes, 0), "pinning"))
        exit(1);
    test_part_in(ordinary, false, &(struct blas_matrix){ordinary, rows, columns, ld, part}, device_ld);
    test_part_in(pinned, true, &(struct blas_matrix){pinned, rows, columns, ld, part}, device_ld);
    driver()->pinned_free(pinned);
    free(ordinary);
}

/* Memory that one copy of the driver's may not be made of, as where it is pinned in several pieces. */
static void test_refusal(void)
{
    enum { ORDER = 300, BYTES = ORDER * ORDER * 8 };
    void *pinned = NULL;
    bool touched[2] = {false, false};
    if (device_check(emulated_device, driver()->pinned_allocate(&pinned, BYTES, 0), "pinning"))
        exit(1);
    const struct blas_matrix matrix = {pinned, ORDER, ORDER, ORDER, PART_LOWER};
    memset(pinned, 0x55, BYTES);
    for (int i = 0; i < 2; i++) { /* for want of memory: not for good */
        set_faults(i == 0 ? "cuMemcpy2DAsync_v2:1:2" : "cuMemcpy2DAsync_v2:2:2");
        part_download(lane, &matrix, device, ORDER, 8, true, &touched[i]);
    }
    lane_synchronise(lane, "waiting");
    tap_ok(!touched[0] && touched[1], "pinned memory is as it was where the first copy cannot be queued");
    clear_device(BYTES);
    memset(pinned, 0x55, BYTES);
    set_faults("cuMemcpy2DAsync_v2:2:1");
    const bool good = part_upload(lane, device, ORDER, &matrix, 8, true) == STATUS_OK &&
                      lane_synchronise(lane, "waiting") == STATUS_OK && device_peek(image, device, BYTES);
    set_faults(NULL);
    bool right = true;
    for (int64_t j = 0; j < ORDER; j++)
        right = right && all_are(image + (size_t)(j * ORDER + j) * 8, (size_t)(ORDER - j) * 8, 0x55);
    tap_ok(good && right, "what DMA is refused of goes by staging");
    driver()->pinned_free(pinned);
}

/* A download right behind uploads that have not landed. */
static void test_down_behind_up(size_t bytes)
{
    unsigned char *source = patterned(bytes), *result = calloc(1, bytes);
    clear_device(bytes);
    bool good = staging_upload(lane, device, bytes, source, bytes, bytes, 1) == STATUS_OK &&
                staging_download(lane, result, bytes, device, bytes, bytes, 1) == STATUS_OK;
    tap_ok(good && memcmp(result, source, bytes) == 0, "%zu bytes up and at once down", bytes);
    free(source);
    free(result);
}

/* More queued than staging holds, without a wait by the caller. */
static void test_many_uploads(size_t bytes, size_t pieces)
{
    unsigned char *source = patterned(bytes * pieces), *work = malloc(bytes);
    clear_device(bytes * pieces);
    bool good = true;
    for (size_t i = 0; i < pieces; i++) {
        memcpy(work, source + i * bytes, bytes);
        good = staging_upload(lane, device + i * bytes, bytes, work, bytes, bytes, 1) == STATUS_OK && good;
        memset(work, 0x55, bytes);
    }
    good = good && lane_synchronise(lane, "waiting") == STATUS_OK &&
           device_peek(image, device, bytes * pieces);
    tap_ok(good && memcmp(image, source, bytes * pieces) == 0, "%zu uploads of %zu bytes in a row", pieces,
           bytes);
    free(source);
    free(work);
}

/* Rows longer than one copy, of which only some bytes may be written. */
static void test_clipped_rows(void)
{
    enum { WIDTH = 5 << 20, ROWS = 3, LOW = 100, HIGH = 3 << 20, STEP = 1000 };
    unsigned char *source = patterned(WIDTH * ROWS), *result = calloc(1, WIDTH * ROWS);
    struct clip clip = {LOW, STEP, HIGH, STEP};
    struct transfer transfer = {
        .lane = lane, .device = device, .device_pitch = WIDTH, .host = result, .host_pitch = WIDTH,
        .width = WIDTH, .height = ROWS, .clip = &clip,
    };
    bool good = device_poke(device, source, WIDTH * ROWS) && transfer_download(&transfer) == STATUS_OK;
    for (size_t row = 0; row < ROWS; row++)
        for (size_t i = 0; i < WIDTH; i++) {
            bool inside = i >= LOW + row * STEP && i < HIGH + row * STEP;
            good = good && result[row * WIDTH + i] == (inside ? source[row * WIDTH + i] : 0);
        }
    tap_ok(good, "long rows are clipped");
    free(source);
    free(result);
}

/* A small call's cost: one copy each way and one wait. */
static void test_small_cost(void)
{
    unsigned char *memory = patterned(256 << 10);
    struct blas_vector vector = {memory, 32 << 10, 1};
    unsigned long up = call_count("cuMemcpyHtoDAsync_v2"), down = call_count("cuMemcpyDtoHAsync_v2"),
                  events = call_count("cuEventSynchronize") + call_count("cuEventRecord"),
                  waits = call_count("cuStreamSynchronize");
    bool good = staging_upload_vector(lane, device, &vector, 8) == STATUS_OK;
    good = good && staging_download_vector(lane, &vector, device, 8) == STATUS_OK;
    up = call_count("cuMemcpyHtoDAsync_v2") - up;
    down = call_count("cuMemcpyDtoHAsync_v2") - down;
    events = call_count("cuEventSynchronize") + call_count("cuEventRecord") - events;
    waits = call_count("cuStreamSynchronize") - waits;
    tap_ok(good && up == 1 && down == 1 && events == 0 && waits == 1,
           "256 KiB up and down: %lu + %lu copies, %lu event calls, %lu waits", up, down, events, waits);
    free(memory);
}

/* After a copy that failed, staging serves again and no late copy spoils it. */
static void test_after_failure(void)
{
    size_t bytes = 9 << 20;
    unsigned char *source = patterned(bytes), *other = calloc(1, bytes), *result = malloc(bytes);
    bool failed = true, good = true;
    static const char *const scripts[] = {"cuMemcpyDtoHAsync_v2:2:801", "cuEventRecord:2:801",
                                          "cuEventSynchronize:1:801"};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        good = staging_upload(lane, device, bytes, other, bytes, bytes, 1) == STATUS_OK && good;
        set_faults(scripts[i]);
        failed = staging_download(lane, result, bytes, device, bytes, bytes, 1) != STATUS_OK && failed;
        set_faults(NULL);
        good = staging_upload(lane, device + bytes, bytes, source, bytes, bytes, 1) == STATUS_OK && good;
        memset(result, 0, bytes);
        good = staging_download(lane, result, bytes, device + bytes, bytes, bytes, 1) == STATUS_OK &&
               memcmp(result, source, bytes) == 0 && good;
    }
    tap_ok(failed, "a failed copy is reported");
    tap_ok(good, "staging works again after a failed copy");
    free(source);
    free(other);
    free(result);
}

UNIT_TEST(test_staging)
{
    static const int64_t increments[] = {1, -1, 2, -2, 3, -7, 300};
    static const size_t widths[] = {4, 8, 16};
    lane = emulated_lane();
    image = malloc(DEVICE_BYTES);
    if (!image || device_allocate(emulated_device, DEVICE_BYTES, &device) != STATUS_OK)
        tap_skip_all("not enough memory");
    test_rectangle(1, 1, 1, 1);
    test_rectangle(4096, 1, 4096, 4096);
    test_rectangle(100, 37, 100, 100);
    test_rectangle(100, 37, 164, 100);
    test_rectangle(100, 37, 100, 128);
    test_rectangle(800, 5000, 1000, 808);
    test_rectangle(8, 600000, 24, 16);
    test_rectangle(5 << 20, 5, (5 << 20) + 8, (5 << 20) + 16);
    test_rectangle(70 << 20, 1, 70 << 20, 70 << 20);
    test_direct(1000, 1, 1000, 1000);
    test_direct(1000, 300, 1000, 1000);
    test_direct(1000, 300, 1500, 1016);
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < sizeof increments / sizeof *increments; j++)
            for (int64_t length = 0; length < 10000; length = length * 9 + 1)
                test_vector(length, increments[j], widths[i]);
    test_vector(3000000, 1, 8);
    test_vector(3000000, -3, 8);
    for (enum blas_part part = PART_FULL; part <= PART_UPPER; part++) {
        static const int64_t orders[] = {1, 2, 17, 300, 1100};
        for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
            test_part(part, orders[i], orders[i], orders[i] + 3, orders[i] + 1);
    }
    test_part(PART_FULL, 300, 40, 310, 302);
    test_part(PART_FULL, 40, 300, 40, 40);
    test_many_uploads(300 << 10, 250);
    test_many_uploads(1000, 3000);
    test_down_behind_up(1000);
    test_down_behind_up(50 << 20);
    test_clipped_rows();
    test_small_cost();
    test_refusal();
    test_after_failure();
    lane_release(lane);
    device_leave(emulated_device, &emulated_scope);
    return tap_done();
}
