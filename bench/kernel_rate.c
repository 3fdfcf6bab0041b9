/* kernel_rate.c - device bandwidth of mublas' own kernels, without the host around
 * them: kernel_rate [N ...] times ROUNDS back-to-back launches of each routine on
 * device operands and prints microseconds and GB/s (matrix bytes read once over
 * time). Two matrices alternate when they fit in 4 GiB, so that the second-level
 * cache does not serve the next launch. */
#include "gpu/device.h"
#include "gpu/lane.h"
#include "gpu/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 40, REPEATS = 7, MATRICES = 2 };

static struct lane *lane;
static CUdeviceptr matrices[MATRICES], x, y;

static void die(const char *what)
{
    fprintf(stderr, "kernel_rate: %s failed\n", what);
    exit(1);
}

static void fill_random(CUdeviceptr target, size_t bytes)
{
    size_t chunk = LANE_STAGING_BYTES;
    double *values = (double *)lane->staging;
    for (size_t i = 0; i < chunk / sizeof *values; i++)
        values[i] = (double)rand() / RAND_MAX - 0.5;
    for (size_t done = 0; done < bytes; done += chunk)
        if (driver()->copy_to_device_async(target + done, lane->staging, bytes - done < chunk ? bytes - done : chunk,
                                           lane->stream) ||
            driver()->stream_synchronise(lane->stream))
            die("filling operands");
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double time_rounds(struct blas_call *call, size_t offset)
{
    double start = seconds();
    for (int round = 0; round < ROUNDS; round++) {
        call->a.pointer = (void *)(uintptr_t)(matrices[round % MATRICES] + offset);
        if (launch(lane, call) != STATUS_OK)
            die("launching");
    }
    if (lane_synchronise(lane, "timing kernels") != STATUS_OK)
        die("running");
    return (seconds() - start) / ROUNDS;
}

static int compare(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static void measure(const char *name, struct blas_call call, size_t offset)
{
    double times[REPEATS], elements = (double)call.a.rows * (double)call.a.columns;
    if (call.a.part != PART_FULL)
        elements = (double)call.n * (double)(call.n + 1) / 2;
    time_rounds(&call, offset);
    for (int i = 0; i < REPEATS; i++)
        times[i] = time_rounds(&call, offset);
    qsort(times, REPEATS, sizeof *times, compare);
    double median = times[REPEATS / 2], bytes = elements * (double)blas_element_bytes(call.type);
    printf("%-22s n=%-6lld %9.1f us %7.0f GB/s\n", name, (long long)call.n, 1e6 * median, 1e-9 * bytes / median);
    fflush(stdout);
}

static struct blas_call base_call(enum blas_type type, int64_t n, int64_t ld)
{
    struct blas_call call = {.type = type, .m = n, .n = n};
    call.a = (struct blas_matrix){.rows = n, .columns = n, .ld = ld, .part = PART_FULL};
    call.x = (struct blas_vector){(void *)(uintptr_t)x, n, 1};
    call.y = (struct blas_vector){(void *)(uintptr_t)y, n, 1};
    if (type == TYPE_S)
        call.alpha.s = 1.5f, call.beta.s = 0.5f;
    else
        call.alpha.d = 1.5, call.beta.d = 0.5;
    return call;
}

static void measure_size(enum blas_type type, int64_t n)
{
    char name[64];
    size_t element = blas_element_bytes(type);
    for (int narrow = 0; narrow < 2; narrow++) {
        const char *suffix = narrow ? "odd lda" : "";
        struct blas_call call = base_call(type, n, narrow ? n + 1 : n);
        char prefix = type == TYPE_S ? 's' : 'd';
        for (int trans = 0; trans < 2; trans++) {
            call.family = FAMILY_GEMV, call.trans = (enum blas_trans)trans;
            snprintf(name, sizeof name, "%cgemv %c %s", prefix, "NT"[trans], suffix);
            measure(name, call, narrow * element);
        }
        for (int uplo = 0; uplo < 2; uplo++) {
            call.uplo = (enum blas_uplo)uplo, call.a.part = uplo ? PART_UPPER : PART_LOWER;
            call.family = FAMILY_SYMV, call.trans = TRANS_NONE;
            snprintf(name, sizeof name, "%csymv %c %s", prefix, "LU"[uplo], suffix);
            measure(name, call, narrow * element);
            call.family = FAMILY_TRMV;
            snprintf(name, sizeof name, "%ctrmv %cN %s", prefix, "LU"[uplo], suffix);
            measure(name, call, narrow * element);
        }
    }
}

int main(int count, char **arguments)
{
    static char *standard[] = {"", "1024", "2048", "4096", "8192", "16384", NULL};
    struct device *device;
    struct device_scope scope;
    char **sizes = count > 1 ? arguments : standard;
    int64_t largest = 0;
    for (int i = 1; sizes[i]; i++)
        largest = atoll(sizes[i]) > largest ? atoll(sizes[i]) : largest;
    if (largest < 1 || largest > 40000) {
        fprintf(stderr, "usage: kernel_rate [N ...], 1 <= N <= 40000\n");
        return 2;
    }
    if (device_wake(&device) != STATUS_OK || device_enter(device, &scope) != STATUS_OK)
        die("waking the device");
    if (lane_acquire(device, &lane) != STATUS_OK)
        die("making a lane");
    size_t bytes = (size_t)(largest + 2) * (size_t)(largest + 2) * 8;
    for (int i = 0; i < MATRICES; i++) {
        if (device_allocate(device, bytes, &matrices[i]) != STATUS_OK)
            die("allocating");
        fill_random(matrices[i], bytes);
    }
    if (device_allocate(device, (size_t)largest * 8, &x) || device_allocate(device, (size_t)largest * 8, &y))
        die("allocating");
    fill_random(x, (size_t)largest * 8);
    fill_random(y, (size_t)largest * 8);
    printf("# %s\n", device_properties(device)->name);
    for (int type = TYPE_S; type <= TYPE_D; type++)
        for (int i = 1; sizes[i]; i++)
            measure_size((enum blas_type)type, atoll(sizes[i]));
    return 0;
}
