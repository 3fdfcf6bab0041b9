/* kernel_rate.c - device bandwidth of mublas' own kernels, without the host around them.
 *   kernel_rate [-t TYPES] [N ...]     TYPES: of the letters sdcz, default all
 * times ROUNDS back-to-back launches of each routine on device operands and prints
 * microseconds and GB/s (matrix bytes read once over time). Two matrices alternate,
 * so that the second-level cache does not serve the next launch. "unaligned" rows are
 * those of the narrow kernels: an odd leading dimension, and elements aligned like
 * their real part only. */
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
    switch (type) {
    case TYPE_S: call.alpha.s = 1.5f, call.beta.s = 0.5f; break;
    case TYPE_D: call.alpha.d = 1.5, call.beta.d = 0.5; break;
    case TYPE_C: call.alpha.c[0] = 1.5f, call.beta.c[0] = 0.5f; break;
    default: call.alpha.z[0] = 1.5, call.beta.z[0] = 0.5;
    }
    return call;
}

static void measure_operations(struct blas_call call, enum blas_family family, char prefix, const char *suffix,
                               size_t offset)
{
    const bool complex = call.type == TYPE_C || call.type == TYPE_Z;
    char name[64];
    call.family = family;
    for (int trans = TRANS_NONE; trans <= (complex ? TRANS_CONJUGATE : TRANS_TRANSPOSE); trans++) {
        call.trans = (enum blas_trans)trans;
        if (family == FAMILY_GEMV)
            snprintf(name, sizeof name, "%cgemv %c %s", prefix, "NTC"[trans], suffix);
        else
            snprintf(name, sizeof name, "%ctrmv %c%c %s", prefix, "LU"[call.uplo], "NTC"[trans], suffix);
        measure(name, call, offset);
    }
}

static void measure_size(enum blas_type type, int64_t n)
{
    const bool complex = type == TYPE_C || type == TYPE_Z;
    const char prefix = "sdcz"[type];
    char name[64];
    for (int narrow = 0; narrow < 2; narrow++) {
        const char *suffix = narrow ? "unaligned" : "";
        const size_t offset = narrow ? blas_element_bytes(type) / (complex ? 2 : 1) : 0;
        struct blas_call call = base_call(type, n, narrow ? n + 1 : n);
        measure_operations(call, FAMILY_GEMV, prefix, suffix, offset);
        for (int uplo = UPLO_LOWER; uplo <= UPLO_UPPER; uplo++) {
            call.uplo = (enum blas_uplo)uplo, call.a.part = uplo ? PART_UPPER : PART_LOWER;
            call.family = complex ? FAMILY_HEMV : FAMILY_SYMV;
            snprintf(name, sizeof name, "%c%s %c %s", prefix, complex ? "hemv" : "symv", "LU"[uplo], suffix);
            measure(name, call, offset);
            measure_operations(call, FAMILY_TRMV, prefix, suffix, offset);
        }
    }
}

static void usage(void)
{
    fprintf(stderr, "usage: kernel_rate [-t TYPES] [N ...], TYPES of the letters sdcz, 1 <= N <= 32000\n");
    exit(2);
}

static void make_operands(int64_t largest, size_t element)
{
    const size_t bytes = (size_t)(largest + 2) * (size_t)(largest + 2) * element;
    for (int i = 0; i < MATRICES; i++) {
        if (device_allocate(lane->device, bytes, &matrices[i]) != STATUS_OK)
            die("allocating");
        fill_random(matrices[i], bytes);
    }
    if (device_allocate(lane->device, (size_t)largest * element, &x) ||
        device_allocate(lane->device, (size_t)largest * element, &y))
        die("allocating");
    fill_random(x, (size_t)largest * element);
    fill_random(y, (size_t)largest * element);
}

int main(int count, char **arguments)
{
    static char *standard[] = {"1024", "2048", "4096", "8192", "16384", NULL};
    struct device *device;
    struct device_scope scope;
    const char *types = "sdcz";
    int first = 1;
    int64_t largest = 0;
    if (count > 1 && strcmp(arguments[1], "-t") == 0) {
        if (count < 3 || !*arguments[2] || arguments[2][strspn(arguments[2], "sdcz")])
            usage();
        types = arguments[2];
        first = 3;
    }
    char **sizes = count > first ? arguments + first : standard;
    for (int i = 0; sizes[i]; i++) {
        const int64_t n = atoll(sizes[i]);
        if (n < 1 || n > 32000)
            usage();
        largest = n > largest ? n : largest;
    }
    if (device_wake(&device) != STATUS_OK || device_enter(device, &scope) != STATUS_OK)
        die("waking the device");
    if (lane_acquire(device, &lane) != STATUS_OK)
        die("making a lane");
    make_operands(largest, strchr(types, 'z') ? 16 : 8);
    printf("# %s\n", device_properties(device)->name);
    for (; *types; types++)
        for (int i = 0; sizes[i]; i++)
            measure_size((enum blas_type)(strcspn("sdcz", (char[]){*types, 0})), atoll(sizes[i]));
    return 0;
}
