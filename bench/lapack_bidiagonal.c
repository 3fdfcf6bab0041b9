/* lapack_bidiagonal.c - how long does the reduction to bidiagonal form take on the device, and is it right?
 *
 * bench/lapack_bidiagonal [s|d|c|z] [check] [N|MxN...]
 *
 * For each size (without any: a list, and of d 1024 to 8192) one line: type, m, n; the median and the least of
 * some turns in seconds, each after a copy of the matrix that is not part of the time (with `check`, and below
 * order 1000: dashes); the rate in TFLOP/s; errors, relative, in units of eps times the larger of m and n (of 16
 * where they are less): A X beside Q (B (P'X)), A'Y beside P (B'(Q'Y)), Q'Q Y and P'P X beside Y and X, of a
 * few random vectors; "same" where a second run leaves the same bits; and a digest of d and e, which devices of
 * 132 multiprocessors with one version of cuBLAS have in common. Matrices have random elements. A kernel that
 * does not end is ended after some seconds. Exit status 1: an error is larger than 10, or bits differ. */
#include "gpu/cooperative.h"
#include "gpu/lane.h"
#include "lapack/device_matrix.h"
#include "lapack/singular/own_singular.h"
#include "timing.h"

#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

enum { TURNS_MOST = 5, VECTORS = 4, UNITS_MOST = 10, TIMED_FROM = 1000 };

static struct device *device;
static struct solver_handle handle;
static struct stream_watch watch;
static bool checks_alone, all_right = true;

static void fail(const char *what)
{
    fprintf(stderr, "lapack_bidiagonal: %s\n", what);
    exit(1);
}

static void require(enum status status, const char *what)
{
    if (status != STATUS_OK)
        fail(what);
}

static void wait(void) { require(stream_watch_wait(&watch, "the bench program"), "the device failed"); }

static CUdeviceptr allocate(size_t bytes)
{
    CUdeviceptr address = 0;
    if (device_allocate(device, bytes > 0 ? bytes : 1, &address) != STATUS_OK)
        fail("no memory on the device");
    return address;
}

static void *allocate_host(size_t bytes)
{
    void *memory = malloc(bytes + 1);
    if (!memory)
        fail("no memory");
    return memory;
}

static void put(enum blas_type type, void *elements, size_t place, double complex value)
{
    switch (type) {
    case TYPE_S: ((float *)elements)[place] = (float)creal(value); break;
    case TYPE_D: ((double *)elements)[place] = creal(value); break;
    case TYPE_C: ((float complex *)elements)[place] = (float complex)value; break;
    default: ((double complex *)elements)[place] = value;
    }
}

static double complex get(enum blas_type type, const void *elements, size_t place)
{
    switch (type) {
    case TYPE_S: return (double)((const float *)elements)[place];
    case TYPE_D: return ((const double *)elements)[place];
    case TYPE_C: return (double complex)((const float complex *)elements)[place];
    default: return ((const double complex *)elements)[place];
    }
}

/* Column-major, random. */
static CUdeviceptr send_random(enum blas_type type, int64_t rows, int64_t columns, uint64_t seed)
{
    const size_t bytes = (size_t)(rows * columns) * blas_element_bytes(type);
    void *const elements = allocate_host(bytes);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++)
            put(type, elements, (size_t)(i + j * rows),
                CMPLX(entry(seed, (uint64_t)i, (uint64_t)j), entry(seed + 100, (uint64_t)i, (uint64_t)j)));
    const CUdeviceptr there = allocate(bytes);
    if (driver()->copy_to_device_async(there, elements, bytes, handle.stream) != CUDA_SUCCESS)
        fail("a copy failed");
    wait();
    free(elements);
    return there;
}

static void *fetch(CUdeviceptr from, size_t bytes)
{
    void *const memory = allocate_host(bytes);
    if (bytes > 0 && driver()->copy_to_host_async(memory, from, bytes, handle.stream) != CUDA_SUCCESS)
        fail("a copy failed");
    wait();
    return memory;
}

/* One size's operands on the device; `given` is what each turn begins with. */
struct operands {
    struct bidiagonalisation work;
    CUdeviceptr given, workspace;
    size_t bytes, element, real;
    int64_t k;
};

static void copy(const struct operands *operands, CUdeviceptr from, CUdeviceptr to, int64_t rows,
                 int64_t columns)
{
    const struct device_part part = {.address = from, .ld = rows, .rows = rows, .columns = columns,
                                     .part = PART_FULL};
    require(matrix_part_copy(device, handle.stream, &part, to, rows, operands->work.type), "a copy failed");
    wait();
}

static struct operands operands_of(enum blas_type type, int64_t m, int64_t n)
{
    struct operands operands = {.work = {.type = type, .m = m, .n = n, .lda = m}, .k = m < n ? m : n,
                                .element = blas_element_bytes(type),
                                .real = blas_is_single(type) ? sizeof(float) : sizeof(double)};
    const size_t k = (size_t)operands.k;
    operands.given = send_random(type, m, n, 1);
    operands.work.a = allocate((size_t)(m * n) * operands.element);
    operands.work.d = allocate(k * operands.real);
    operands.work.e = allocate(k * operands.real);
    operands.work.tauq = allocate(k * operands.element);
    operands.work.taup = allocate(k * operands.element);
    require(bidiagonalisation_workspace(&handle, &operands.work, &operands.bytes), "the device cannot do it");
    operands.workspace = allocate(operands.bytes);
    return operands;
}

/* Seconds. */
static double reduce(const struct operands *operands)
{
    copy(operands, operands->given, operands->work.a, operands->work.m, operands->work.n);
    const double start = seconds_now();
    require(bidiagonalisation_queue(&handle, &operands->work, operands->workspace, operands->bytes),
            "it cannot be queued");
    wait();
    return seconds_now() - start;
}

/* C of some columns becomes Q C, Q'C, P C or P'C. */
static void multiply(const struct operands *operands, enum bidiagonal_side vectors, bool adjoint, CUdeviceptr c)
{
    const bool is_p = vectors == BIDIAGONAL_P;
    const int64_t order = is_p ? operands->work.n : operands->work.m;
    const struct bidiagonal_back back = {.type = operands->work.type, .vectors = vectors, .order = order,
                                         .k = is_p ? operands->work.m : operands->work.n,
                                         .a = operands->work.a, .lda = operands->work.lda,
                                         .tau = is_p ? operands->work.taup : operands->work.tauq,
                                         .side = {.adjoint = adjoint, .c = {c, order}, .others = VECTORS}};
    const CUdeviceptr workspace = allocate(bidiagonal_back_workspace(&back));
    require(bidiagonal_back_queue(&handle, &back, workspace), "a product cannot be queued");
    wait();
    device_free(device, workspace);
}

/* B times a few vectors, or B' times them: the vectors are replaced. */
static CUdeviceptr multiply_by_b(const struct operands *operands, bool adjoint, CUdeviceptr from)
{
    const enum blas_type type = operands->work.type, real = blas_is_single(type) ? TYPE_S : TYPE_D;
    const int64_t m = operands->work.m, n = operands->work.n, rows = adjoint ? m : n, to_rows = adjoint ? n : m;
    void *const d = fetch(operands->work.d, (size_t)operands->k * operands->real),
               *const e = fetch(operands->work.e, (size_t)(operands->k - 1) * operands->real),
               *const old = fetch(from, (size_t)(rows * VECTORS) * operands->element),
               *const new = calloc((size_t)(to_rows * VECTORS), operands->element);
    /* Element i has e[i] times the next one, or else e[i - 1] times the one before. */
    const bool upwards = (m >= n) != adjoint;
    if (!new)
        fail("no memory");
    for (int64_t j = 0; j < VECTORS; j++)
        for (int64_t i = 0; i < operands->k; i++) {
            double complex sum = get(real, d, (size_t)i) * get(type, old, (size_t)(i + j * rows));
            if (upwards && i + 1 < operands->k)
                sum += get(real, e, (size_t)i) * get(type, old, (size_t)(i + 1 + j * rows));
            if (!upwards && i > 0)
                sum += get(real, e, (size_t)i - 1) * get(type, old, (size_t)(i - 1 + j * rows));
            put(type, new, (size_t)(i + j * to_rows), sum);
        }
    const CUdeviceptr to = allocate((size_t)(to_rows * VECTORS) * operands->element);
    if (driver()->copy_to_device_async(to, new, (size_t)(to_rows * VECTORS) * operands->element,
                                       handle.stream) != CUDA_SUCCESS)
        fail("a copy failed");
    wait();
    free(d), free(e), free(old), free(new);
    device_free(device, from);
    return to;
}

/* |a - b| / |b| in units; both are freed. */
static double error_of(const struct operands *operands, CUdeviceptr a, CUdeviceptr b, int64_t rows)
{
    const enum blas_type type = operands->work.type;
    const int64_t m = operands->work.m, n = operands->work.n, order = m > n ? m : n;
    const size_t count = (size_t)(rows * VECTORS);
    void *const one = fetch(a, count * operands->element), *const other = fetch(b, count * operands->element);
    double apart = 0, whole = 0;
    for (size_t i = 0; i < count; i++) {
        apart += pow(cabs(get(type, one, i) - get(type, other, i)), 2);
        whole += pow(cabs(get(type, other, i)), 2);
    }
    free(one), free(other);
    device_free(device, a), device_free(device, b);
    return sqrt(apart / whole) / ((blas_is_single(type) ? 0x1p-23 : 0x1p-52) * (double)(order < 16 ? 16 : order));
}

/* A X, or A'X. */
static CUdeviceptr multiply_by_a(const struct operands *operands, bool adjoint, CUdeviceptr x)
{
    const int64_t m = operands->work.m, n = operands->work.n, to_rows = adjoint ? n : m, rows = adjoint ? m : n;
    const CUdeviceptr to = allocate((size_t)(to_rows * VECTORS) * operands->element);
    const struct device_product product = {adjoint ? CUBLAS_OP_C : CUBLAS_OP_N, CUBLAS_OP_N, to_rows, VECTORS,
                                           rows, 1, 0, {operands->given, m}, {x, rows}, {to, to_rows}, true};
    require(device_product_queue(&handle, operands->work.type, &product), "a product failed");
    wait();
    return to;
}

/* A X beside Q (B (P'X)), or A'Y beside P (B'(Q'Y)). */
static double product_error(const struct operands *operands, bool adjoint)
{
    const int64_t m = operands->work.m, n = operands->work.n, rows = adjoint ? m : n, to_rows = adjoint ? n : m;
    CUdeviceptr x = send_random(operands->work.type, rows, VECTORS, 2);
    const CUdeviceptr expected = multiply_by_a(operands, adjoint, x);
    multiply(operands, adjoint ? BIDIAGONAL_Q : BIDIAGONAL_P, true, x);
    x = multiply_by_b(operands, adjoint, x);
    multiply(operands, adjoint ? BIDIAGONAL_P : BIDIAGONAL_Q, false, x);
    return error_of(operands, x, expected, to_rows);
}

static double orthogonality_error(const struct operands *operands, enum bidiagonal_side vectors)
{
    const int64_t rows = vectors == BIDIAGONAL_P ? operands->work.n : operands->work.m;
    const CUdeviceptr x = send_random(operands->work.type, rows, VECTORS, 3),
                      before = allocate((size_t)(rows * VECTORS) * operands->element);
    copy(operands, x, before, rows, VECTORS);
    multiply(operands, vectors, false, x);
    multiply(operands, vectors, true, x);
    return error_of(operands, x, before, rows);
}

static uint64_t digest(const struct operands *operands)
{
    const enum blas_type real = blas_is_single(operands->work.type) ? TYPE_S : TYPE_D;
    const size_t k = (size_t)operands->k;
    void *const d = fetch(operands->work.d, k * operands->real),
               *const e = fetch(operands->work.e, (k - 1) * operands->real);
    double *const both = allocate_host(2 * k * sizeof *both);
    for (size_t i = 0; i < k; i++)
        both[i] = creal(get(real, d, i));
    for (size_t i = 0; i + 1 < k; i++)
        both[k + i] = creal(get(real, e, i));
    const uint64_t digest = digest_of(both, 2 * k - 1);
    free(d), free(e), free(both);
    return digest;
}

static bool is_same(const struct operands *operands, const void *before, size_t bytes)
{
    void *const after = fetch(operands->work.a, bytes);
    const bool same = memcmp(before, after, bytes) == 0;
    free(after);
    return same;
}

static void measure(enum blas_type type, int64_t m, int64_t n)
{
    const struct operands operands = operands_of(type, m, n);
    const int64_t least = m < n ? m : n, most = m < n ? n : m;
    const size_t bytes = (size_t)(m * n) * operands.element;
    const int turns = least < 8192 ? TURNS_MOST : 2;
    double times[TURNS_MOST], worst = 0;
    reduce(&operands);
    void *const before = fetch(operands.work.a, bytes);
    const uint64_t digest_before = digest(&operands);
    const double errors[] = {product_error(&operands, false), product_error(&operands, true),
                             orthogonality_error(&operands, BIDIAGONAL_Q),
                             orthogonality_error(&operands, BIDIAGONAL_P)};
    reduce(&operands);
    const bool same = is_same(&operands, before, bytes) && digest(&operands) == digest_before;
    printf("%c %6lld %6lld", "sdcz"[type], (long long)m, (long long)n);
    if (checks_alone || least < TIMED_FROM) {
        printf("          -          -      -");
    } else {
        for (int turn = 0; turn < turns; turn++)
            times[turn] = reduce(&operands);
        const double middle = median(times, (size_t)turns), l = (double)least;
        const double operations =
            (blas_scalar_parts(type) == 2 ? 4 : 1) * (4 * l * l * (double)most - 4 * l * l * l / 3);
        printf("   %8.6f   %8.6f %6.2f", middle, times[0], 1e-12 * operations / middle);
    }
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        printf(" %7.4f", errors[i]);
        worst = errors[i] <= worst ? worst : isnan(errors[i]) ? INFINITY : errors[i];
    }
    const bool right = worst <= UNITS_MOST && same;
    printf("  %s %016llx%s\n", same ? "same" : "DIFFERENT", (unsigned long long)digest_before,
           right ? "" : "  WRONG");
    fflush(stdout);
    all_right = all_right && right;
    const CUdeviceptr all[] = {operands.given, operands.workspace, operands.work.a, operands.work.d,
                               operands.work.e, operands.work.tauq, operands.work.taup};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_free(device, all[i]);
    free(before);
}

static void measure_usual(void)
{
    static const int64_t sizes[][2] = {{1, 1},       {2, 2},      {3, 3},      {31, 31},   {33, 33},
                                       {65, 65},     {200, 200},  {257, 257},  {500, 333}, {333, 500},
                                       {1000, 777},  {777, 1001}, {2100, 1999}, {4097, 300}, {8191, 257},
                                       {16400, 130}, {300, 5003}, {40000, 40}};
    for (enum blas_type type = TYPE_S; type <= TYPE_Z; type++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            measure(type, sizes[i][0], sizes[i][1]);
    for (int64_t n = 1024; n <= 8192 && !checks_alone; n *= 2)
        measure(TYPE_D, n, n);
    for (enum blas_type type = TYPE_S; type <= TYPE_Z && !checks_alone; type++)
        for (int64_t n = 1024; n <= 4096 && type != TYPE_D; n *= 2)
            measure(type, n, n);
}

/* "N" or "MxN". */
static bool read_size(const char *text, int64_t *m, int64_t *n)
{
    char *end;
    *m = *n = strtoll(text, &end, 10);
    if (end != text && *end == 'x')
        *n = strtoll(end + 1, &end, 10);
    return *end == '\0' && *m > 0 && *n > 0 && *m < 1 << 20 && *n < 1 << 20;
}

int main(int count, char **arguments)
{
    const struct solver_library *library;
    struct device_scope scope;
    struct lane *lane;
    enum blas_type type = TYPE_D;
    int64_t m, n;
    bool any = false;
    for (int i = 1; i < count; i++)
        if (!read_size(arguments[i], &m, &n) && strcmp(arguments[i], "check") != 0 &&
            (strlen(arguments[i]) != 1 || !strchr("sdcz", arguments[i][0]))) {
            fprintf(stderr, "lapack_bidiagonal: '%s' is none of s, d, c, z, check, N and MxN\n", arguments[i]);
            return 2;
        }
    if (device_wake(&device) != STATUS_OK || device_enter(device, &scope) != STATUS_OK ||
        solver_library_open(device, &library) != STATUS_OK || lane_create_own(device, &lane) != STATUS_OK ||
        solver_handle_create(library, lane->stream, &handle) != STATUS_OK ||
        stream_watch_create(device, lane->stream, &watch) != STATUS_OK)
        fail("no device or no cuSOLVER");
    handle.watch = &watch;
    printf("# %s, %d multiprocessors\n", device_properties(device)->name,
           device_kernels(device)->multiprocessors);
    printf("#      m      n     median      least TFLOP/s    A X    A'Y     Q'Q     P'P  bits digest of d, e\n");
    for (int i = 1; i < count; i++)
        if (read_size(arguments[i], &m, &n))
            measure(type, m, n), any = true;
        else if (strcmp(arguments[i], "check") == 0)
            checks_alone = true;
        else
            type = (enum blas_type)(strchr("sdcz", arguments[i][0]) - "sdcz");
    if (!any)
        measure_usual();
    return all_right ? 0 : 1;
}
