/* Products of the same matrices that are queued in many streams, all before any is waited for: every result has the bits of
 * the first, which was alone. By one handle of cuBLAS for all streams 2578 of 3200 had others (H200, order 300, 4096 terms).
 *
 *   test_product_streams [ORDER [TERMS [ROUNDS [shared]]]]   C = A' B, C of ORDER, a sum of TERMS each, ROUNDS in a stream
 *
 * On a GPU: 300 4096 200, and the same with "shared" for the handles that a service shares. */
#include "common/blas_call.h"
#include "gpu/vendor/vendor_library.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STREAMS = 16 };

static struct device *device;
static CUstream streams[STREAMS];
static int order = 20, terms = 50, rounds = 4;

static CUdeviceptr take(size_t bytes)
{
    CUdeviceptr address;
    if (device_allocate(device, bytes, &address) != STATUS_OK)
        exit(1);
    return address;
}

static CUdeviceptr random_matrix(size_t elements, enum blas_type type)
{
    const size_t bytes = elements * blas_element_bytes(type);
    const CUdeviceptr address = take(bytes);
    void *const host = malloc(bytes);
    for (size_t i = 0; host && i < elements; i++) {
        const double value = (double)rand() / RAND_MAX - 0.5;
        if (type == TYPE_D)
            ((double *)host)[i] = value;
        else
            ((float *)host)[i] = (float)value;
    }
    if (!host || driver()->copy_to_device_async(address, host, bytes, streams[0]) != CUDA_SUCCESS ||
        driver()->stream_synchronise(streams[0]) != CUDA_SUCCESS)
        exit(1);
    free(host);
    return address;
}

static struct blas_matrix matrix_at(CUdeviceptr address, int rows, int columns)
{
    return (struct blas_matrix){(void *)(uintptr_t)address, rows, columns, rows, PART_FULL};
}

static bool fetch(void *host, CUdeviceptr address, size_t bytes)
{
    return driver()->copy_to_host_async(host, address, bytes, streams[0]) == CUDA_SUCCESS &&
           driver()->stream_synchronise(streams[0]) == CUDA_SUCCESS;
}

static int count_others(CUdeviceptr results, size_t bytes, int count)
{
    unsigned char *const first = malloc(bytes), *const other = malloc(bytes);
    int others = 0;
    if (!first || !other || !fetch(first, results, bytes))
        exit(1);
    for (int i = 1; i < count; i++)
        others += !fetch(other, results + (CUdeviceptr)i * bytes, bytes) || memcmp(first, other, bytes) != 0;
    free(first);
    free(other);
    return others;
}

/* The first alone, the others one behind the other in all streams. */
static void try_type(enum blas_type type, const char *name)
{
    const size_t bytes = (size_t)order * (size_t)order * blas_element_bytes(type);
    const int count = 1 + rounds * STREAMS;
    const CUdeviceptr results = take((size_t)count * bytes);
    struct blas_call call = {.family = FAMILY_GEMM, .type = type, .m = order, .n = order, .k = terms,
                             .trans = TRANS_TRANSPOSE, .alpha = blas_scalar_of(type, 1)};
    call.a = matrix_at(random_matrix((size_t)terms * (size_t)order, type), terms, order);
    call.b = matrix_at(random_matrix((size_t)terms * (size_t)order, type), terms, order);
    bool is_queued = level3_supported(device, &call);
    for (int i = 0; i < count && is_queued; i++) {
        call.c = matrix_at(results + (CUdeviceptr)i * bytes, order, order);
        is_queued = level3_queue(device, streams[i % STREAMS], &call) == STATUS_OK;
        if (i == 0)
            is_queued = is_queued && driver()->stream_synchronise(streams[0]) == CUDA_SUCCESS;
    }
    for (int i = 0; i < STREAMS; i++)
        is_queued = driver()->stream_synchronise(streams[i]) == CUDA_SUCCESS && is_queued;
    const int others = is_queued ? count_others(results, bytes, count) : -1;
    tap_ok(others == 0, "%s: %d of %d results in %d streams have other bits", name, others, count - 1, STREAMS);
}

static int argument(int count, char **arguments, int number, int otherwise)
{
    const int value = count > number ? atoi(arguments[number]) : otherwise;
    if (value < 1)
        exit(2);
    return value;
}

static int try_types(bool shared)
{
    struct device_scope scope;
    if (shared)
        cublas_handles_share();
    if (device_wake(&device) != STATUS_OK || device_enter(device, &scope) != STATUS_OK)
        tap_skip_all("no device");
    for (int i = 0; i < STREAMS; i++)
        if (driver()->stream_create(&streams[i], CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
            return 1;
    try_type(TYPE_D, "dgemm");
    try_type(TYPE_S, "sgemm");
    device_leave(device, &scope);
    return 0;
}

int main(int count, char **arguments)
{
    int status = 1;
    order = argument(count, arguments, 1, order);
    terms = argument(count, arguments, 2, terms);
    rounds = argument(count, arguments, 3, rounds);
    if (count > 1)
        return try_types(count > 4 && strcmp(arguments[4], "shared") == 0) || tap_done();
    fflush(stdout);
    const pid_t child = fork(); /* a process has its handles one way */
    if (child == 0) {
        stdout = freopen("/dev/null", "w", stdout);
        _exit(!stdout || try_types(true) || tap_done());
    }
    waitpid(child, &status, 0);
    tap_ok(status == 0, "the same with the handles that a service shares");
    return try_types(false) || tap_done();
}
