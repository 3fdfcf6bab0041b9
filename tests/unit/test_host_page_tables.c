/* A device that copies by the host's page tables needs neither staging nor pins, but for what is small, or narrow, or
 * cannot be reached without a signal. The emulated one reads and writes at the wait, and aborts at a fault. */
#include "mirror/transfer/transfer.h"
#include "operand_table.h"
#include "unit_test.h"

#include <signal.h>

enum { ROWS = 700, WIDTH = 4096, PITCH = 5000, BYTES = ROWS * PITCH, ORDER = 900 };

static CUdeviceptr device;
static unsigned char *host, *shadow;

static unsigned long copies(const char *kind)
{
    return call_count("cuMemcpy2DAsync_v2") +
           call_count(kind[0] == 'u' ? "cuMemcpyHtoDAsync_v2" : "cuMemcpyDtoHAsync_v2");
}

static void fill(void)
{
    for (size_t i = 0; i < BYTES; i++)
        shadow[i] = host[i] = (unsigned char)(i * 2654435761u >> 24);
}

static bool up(void)
{
    const bool good = staging_upload(lane, device, WIDTH, host, PITCH, WIDTH, ROWS) == STATUS_OK;
    memset(host, 0x11, BYTES); /* the source was read */
    return good && lane_synchronise(lane, "waiting") == STATUS_OK;
}

static enum status down(void)
{
    return staging_download(lane, host, PITCH, device, WIDTH, WIDTH, ROWS);
}

static bool rows_are_right(void)
{
    bool good = true;
    for (size_t row = 0; row < ROWS; row++) {
        good = good && memcmp(host + row * PITCH, shadow + row * PITCH, WIDTH) == 0;
        for (size_t i = WIDTH; i < PITCH; i++)
            good = good && host[row * PITCH + i] == 0x11;
    }
    return good;
}

static void test_rows(void)
{
    fill();
    const unsigned long before_up = copies("up");
    bool good = up();
    const unsigned long ups = copies("up") - before_up, before_down = copies("down");
    good = good && down() == STATUS_OK;
    const unsigned long downs = copies("down") - before_down;
    tap_ok(good && rows_are_right(), "rows go up and come home, and nothing between them");
    tap_ok(ups == 1 && downs == 1, "in one copy each (%lu, %lu)", ups, downs);
}

static void test_narrow(void)
{
    const size_t column = 24, elements = BYTES / 2 / column;
    struct blas_vector vector = {host, (int64_t)elements, -3};
    fill();
    bool good = staging_upload_vector(lane, device, &vector, 8) == STATUS_OK;
    good = good && staging_download_vector(lane, &vector, device, 8) == STATUS_OK;
    tap_ok(good && memcmp(host, shadow, BYTES) == 0, "what is strided backwards is packed");
}

static bool triangle_is_right(enum blas_part part, const double *got, const double *sent)
{
    bool good = true;
    for (int j = 0; j < ORDER; j++)
        for (int i = 0; i < ORDER; i++) {
            const bool inside = part == PART_LOWER ? i >= j : i <= j;
            good = good && got[i + j * ORDER] == (inside ? sent[i + j * ORDER] : -1);
        }
    return good;
}

static void test_triangle(enum blas_part part)
{
    const size_t bytes = (size_t)ORDER * ORDER * 8;
    double *const sent = malloc(bytes), *const got = malloc(bytes);
    const struct blas_matrix from = {sent, ORDER, ORDER, ORDER, part}, to = {got, ORDER, ORDER, ORDER, part};
    bool touched = false;
    for (int i = 0; i < ORDER * ORDER; i++)
        sent[i] = i, got[i] = -1;
    const unsigned long before = call_count("cuEventRecord");
    const bool good = staging_upload_part(lane, device, ORDER, &from, 8) == STATUS_OK &&
                      staging_download_part(lane, &to, device, ORDER, 8, &touched) == STATUS_OK;
    tap_ok(good && touched && triangle_is_right(part, got, sent) && call_count("cuEventRecord") == before,
           "a triangle (%d) is moved to the element, without staging's events", part);
    free(sent);
    free(got);
}

static void test_failures(void)
{
    const struct blas_matrix matrix = {host, WIDTH / 8, ROWS, PITCH / 8, PART_FULL};
    bool touched = false;
    fill();
    bool good = up();
    set_faults("cuStreamSynchronize:1:801");
    good = good && staging_download_part(lane, &matrix, device, WIDTH / 8, 8, &touched) != STATUS_OK;
    set_faults(NULL);
    tap_ok(good && !touched && host[0] == 0x11, "nothing is written where what comes before fails");
    set_faults("COPY_BACK:1:801");
    good = staging_download_part(lane, &matrix, device, WIDTH / 8, 8, &touched) != STATUS_OK;
    tap_ok(good && touched, "a copy that fails on its way says that it has written");
}

static void test_refusals(void)
{
    bool good = true;
    for (int i = 0; i < 4; i++) {
        fill();
        set_faults("cuMemcpy2DAsync_v2:1:1");
        good = up() && down() == STATUS_OK && rows_are_right() && good;
    }
    set_faults(NULL);
    tap_ok(good, "what the driver refuses goes by staging");
    const unsigned long before = copies("up");
    fill();
    good = up() && down() == STATUS_OK && rows_are_right();
    tap_ok(good && copies("up") - before > 1, "and all does, once it has refused often enough");
}

static void test_pinned(void)
{
    static const size_t pages[][2] = {{0, BYTES / 4096}, {BYTES / 4096 / 2 - 10, 20}, {3, 7}};
    bool good = true;
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        fill();
        good = driver()->pin(host + pages[i][0] * page, pages[i][1] * page, CU_MEMHOSTREGISTER_PORTABLE) == 0 && good;
        const unsigned long before = copies("up");
        good = up() && copies("up") - before > 1 && down() == STATUS_OK && rows_are_right() && good;
        driver()->unpin(host + pages[i][0] * page);
    }
    tap_ok(good, "what the program has pinned, all or some, goes by staging");
}

static void open_page(int signal, siginfo_t *information, void *context)
{
    unsigned char *const at = (unsigned char *)((uintptr_t)information->si_addr & ~(uintptr_t)(page - 1));
    (void)signal, (void)context;
    if (mprotect(at, page, PROT_READ | PROT_WRITE) != 0)
        abort();
}

static void test_handler(void)
{
    struct sigaction handler = {.sa_sigaction = open_page, .sa_flags = SA_SIGINFO}, before;
    fill();
    sigaction(SIGSEGV, &handler, &before);
    mprotect(host + page * 100, page, PROT_NONE);
    bool good = up();
    mprotect(host + page * 200, page, PROT_READ);
    good = good && down() == STATUS_OK;
    sigaction(SIGSEGV, &before, NULL);
    tap_ok(good && rows_are_right(), "memory that a handler opens is the thread's to touch");
}

static void test_pins(void)
{
    unsigned char *const memory = map(24 * MIB), *const other = map(24 * MIB);
    open_table(64 * MIB, 64 * MIB);
    struct own_pin pin;
    bool good = call_read(memory, 24 * MIB) >= 0;
    memcpy(other, memory, 24 * MIB);
    for (int i = 0; i < 4; i++)
        good = call(whole(memory, 24 * MIB, OPERAND_UPDATE), other - memory) >= 0 &&
               memcmp(memory, other, 24 * MIB) == 0 && good;
    good = good && operands_pin_own(table, -1, memory, 24 * MIB, &pin) == STATUS_OK;
    operands_unpin_own(table, &pin);
    tap_ok(good && call_count("cuMemHostRegister_v2") == 0, "nothing is pinned, whatever comes and goes");
    if (mirror_table_tracks(table))
        tap_ok(call_read(memory, 24 * MIB) == 0, "and results stay on the device");
    else
        tap_skip("residency", "host writes cannot be tracked here");
    mirror_table_destroy(table);
    unmap(memory, 24 * MIB);
    unmap(other, 24 * MIB);
}

UNIT_TEST(test_host_page_tables)
{
    setenv("EMULATED_HOST_PAGE_TABLES", "1", 1);
    page = (size_t)1 << page_shift();
    lane = emulated_lane();
    host = map(BYTES + page);
    shadow = malloc(BYTES);
    if (!shadow || device_allocate(emulated_device, (size_t)ORDER * ORDER * 8, &device) != STATUS_OK)
        tap_skip_all("not enough memory");
    test_rows();
    test_narrow();
    test_triangle(PART_LOWER);
    test_triangle(PART_UPPER);
    test_handler();
    test_pins();
    test_pinned();
    test_failures();
    test_refusals();
    lane_release(lane);
    return tap_done();
}
