#include "lapack_problem.h"

#include "timing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *lapack_work_name(enum lapack_work work)
{
    static const char *const names[] = {
        [WORK_REDUCTION] = "-", [WORK_ALL] = "all", [WORK_TENTH] = "tenth", [WORK_NONE] = "none"};
    return names[work];
}

static int64_t parts_of(const struct lapack_problem *problem)
{
    return problem->what.is_complex ? 2 : 1;
}

static size_t element_of(const struct lapack_problem *problem)
{
    return (size_t)parts_of(problem) * sizeof(double);
}

/* Where column j begins in the random vector. */
static int64_t window(const struct lapack_problem *problem, int64_t column)
{
    const double random = entry(7, (uint64_t)column, (uint64_t)problem->n);
    return (int64_t)((random + 1) * (double)problem->n);
}

static void *allocate(const struct lapack_problem *problem, size_t bytes)
{
    void *memory;
    return mublas_device_allocate(problem->device->handle, bytes, &memory) == MUBLAS_SUCCESS ? memory : NULL;
}

bool lapack_problem_make(struct lapack_problem *problem, const struct lapack_device *device,
                         const struct lapack_case *what, int64_t n)
{
    *problem = (struct lapack_problem){.device = device, .what = *what, .n = n};
    problem->vectors = what->work == WORK_ALL ? n : what->work == WORK_TENTH ? (n + 9) / 10 : 0;
    const size_t element = element_of(problem), count = 3 * (size_t)n * (size_t)parts_of(problem);
    void **const vectors[] = {&problem->w, &problem->e, &problem->tau, &problem->info, &problem->m};
    problem->a = allocate(problem, (size_t)n * (size_t)n * element);
    problem->source = allocate(problem, count * sizeof(double));
    problem->numbers = malloc(count * sizeof(double));
    bool good = problem->a && problem->source && problem->numbers;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors && good; i++)
        good = (*vectors[i] = allocate(problem, (size_t)n * element)) != NULL;
    for (size_t i = 0; i < count && good; i++)
        problem->numbers[i] = entry(1, i, 0);
    if (good)
        good = mublas_copy_to_device(device->handle, problem->source, problem->numbers,
                                     count * sizeof(double)) == MUBLAS_SUCCESS;
    if (!good)
        lapack_problem_free(problem);
    return good;
}

void lapack_problem_free(struct lapack_problem *problem)
{
    void *const all[] = {problem->a,    problem->w, problem->e,      problem->tau,
                         problem->info, problem->m, problem->source, problem->workspace};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mublas_device_free(problem->device->handle, all[i]);
    free(problem->numbers);
    memset(problem, 0, sizeof *problem);
}

bool lapack_problem_reserve(struct lapack_problem *problem, size_t bytes)
{
    if (bytes <= problem->workspace_bytes)
        return true;
    mublas_device_free(problem->device->handle, problem->workspace);
    problem->workspace = allocate(problem, bytes);
    problem->workspace_bytes = problem->workspace ? bytes : 0;
    return problem->workspace != NULL;
}

void lapack_problem_fill(const struct lapack_problem *problem, void *a)
{
    const size_t element = element_of(problem), column = (size_t)problem->n * element;
    for (int64_t j = 0; j < problem->n; j++) {
        const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                    .srcDevice =
                                        (uintptr_t)problem->source + (size_t)window(problem, j) * element,
                                    .srcPitch = column,
                                    .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                    .dstDevice = (uintptr_t)a + (size_t)j * column,
                                    .dstPitch = column,
                                    .WidthInBytes = column,
                                    .Height = 1};
        if (driver()->copy_2d_async(&copy, problem->device->stream) != CUDA_SUCCESS)
            lapack_fail("a copy failed");
    }
}

bool lapack_problem_ask(struct lapack_problem *problem)
{
    struct mublas_handle *const handle = problem->device->handle;
    const enum mublas_type type = problem->what.is_complex ? MUBLAS_DOUBLE_COMPLEX : MUBLAS_DOUBLE;
    const int64_t n = problem->n;
    size_t bytes = 0;
    enum mublas_status status = MUBLAS_SUCCESS;
    if (problem->what.work == WORK_REDUCTION)
        status = mublas_sytrd_workspace(handle, type, MUBLAS_LOWER, n, n, &bytes);
    else if (problem->what.work == WORK_TENTH)
        status = mublas_syevdx_workspace(handle, type, MUBLAS_VECTORS, MUBLAS_INDICES, MUBLAS_LOWER, n, n, 1,
                                         problem->vectors, &bytes);
    else
        status = mublas_syevd_workspace(handle, type, problem->vectors ? MUBLAS_VECTORS : MUBLAS_NO_VECTORS,
                                        MUBLAS_LOWER, n, n, &bytes);
    if (status == MUBLAS_SUCCESS)
        return lapack_problem_reserve(problem, bytes);
    printf("# %s\n", mublas_last_error(handle));
    return false;
}

#define RUN(real, complex_name, ...)                                                                         \
    (problem->what.is_complex ? mublas_z##complex_name(problem->device->handle, __VA_ARGS__)                 \
                              : mublas_d##real(problem->device->handle, __VA_ARGS__))

bool lapack_problem_queue(void *context)
{
    const struct lapack_problem *const problem = context;
    const enum mublas_vectors vectors = problem->vectors ? MUBLAS_VECTORS : MUBLAS_NO_VECTORS;
    const int64_t n = problem->n;
    enum mublas_status status;
    if (problem->what.work == WORK_REDUCTION)
        status = RUN(sytrd, hetrd, MUBLAS_LOWER, n, problem->a, n, problem->w, problem->e, problem->tau,
                     problem->workspace, problem->workspace_bytes);
    else if (problem->what.work == WORK_TENTH)
        status = RUN(syevdx, heevdx, vectors, MUBLAS_INDICES, MUBLAS_LOWER, n, problem->a, n, 0, 0, 1,
                     problem->vectors, problem->m, problem->w, problem->workspace, problem->workspace_bytes,
                     problem->info);
    else
        status = RUN(syevd, heevd, vectors, MUBLAS_LOWER, n, problem->a, n, problem->w, problem->workspace,
                     problem->workspace_bytes, problem->info);
    if (status != MUBLAS_SUCCESS)
        printf("# %s\n", mublas_last_error(problem->device->handle));
    return status == MUBLAS_SUCCESS;
}

int lapack_problem_info(const struct lapack_problem *problem)
{
    int info = 0;
    if (problem->what.work != WORK_REDUCTION &&
        mublas_copy_to_host(problem->device->handle, &info, problem->info, sizeof info) != MUBLAS_SUCCESS)
        lapack_fail("%s", mublas_last_error(problem->device->handle));
    return info;
}

/* --- checks --- */

enum { COLUMNS_MOST = 8 };

static void need(const struct lapack_problem *problem, enum mublas_status status)
{
    if (status != MUBLAS_SUCCESS)
        lapack_fail("%s", mublas_last_error(problem->device->handle));
}

static double *fetch(const struct lapack_problem *problem, const void *device, int64_t count)
{
    double *const host = malloc((size_t)(count + 1) * sizeof *host);
    if (!host)
        lapack_fail("no memory");
    need(problem, mublas_copy_to_host(problem->device->handle, host, device, (size_t)count * sizeof *host));
    return host;
}

static double larger(double a, double b)
{
    return a >= b ? a : isnan(b) ? INFINITY : b;
}

/* Trace and squared norm of A: of the triangle by sums of the random vector's squares up to each place. */
static void sums_of_matrix(const struct lapack_problem *problem, double *trace, double *square)
{
    const int64_t n = problem->n, parts = parts_of(problem);
    double *const up_to = calloc((size_t)(3 * n + 1), sizeof *up_to);
    if (!up_to)
        lapack_fail("no memory");
    for (int64_t i = 0; i < 3 * n * parts; i++)
        up_to[i / parts + 1] =
            (i % parts ? up_to[i / parts + 1] : up_to[i / parts]) + problem->numbers[i] * problem->numbers[i];
    *trace = *square = 0;
    for (int64_t j = 0; j < n; j++) {
        const int64_t begin = window(problem, j), diagonal = begin + j;
        const double value = problem->numbers[parts * diagonal];
        *trace += value;
        *square += value * value + 2 * (up_to[begin + n] - up_to[diagonal + 1]);
    }
    free(up_to);
}

static double check_sums(const struct lapack_problem *problem, const double *w, const double *e, double unit)
{
    double trace, square, sum = 0, squares = 0;
    sums_of_matrix(problem, &trace, &square);
    for (int64_t i = 0; i < problem->n; i++) {
        sum += w[i];
        squares += w[i] * w[i] + (e && i + 1 < problem->n ? 2 * e[i] * e[i] : 0);
    }
    return larger(fabs(sum - trace) / sqrt(square), fabs(squares - square) / square) / unit;
}

/* |A x - y| of vectors on the device; y is on the host, and x comes there, too. */
static double distance(const struct lapack_problem *problem, const void *a, const void *x, const double *y)
{
    static const double one[2] = {1, 0}, zero[2] = {0, 0};
    const int64_t n = problem->n, numbers = n * parts_of(problem);
    double sum = 0;
    need(problem, RUN(symv, hemv, MUBLAS_LOWER, n, one, a, n, x, 1, zero, problem->tau, 1));
    double *const product = fetch(problem, problem->tau, numbers);
    for (int64_t i = 0; i < numbers; i++)
        sum += (product[i] - y[i]) * (product[i] - y[i]);
    free(product);
    return sqrt(sum);
}

/* Of v'V, against that of the identity. */
static double skew(const struct lapack_problem *problem, const void *v, int64_t column)
{
    static const double one[2] = {1, 0}, zero[2] = {0, 0};
    const int64_t n = problem->n, parts = parts_of(problem);
    const char *const x = (const char *)v + (size_t)(column * n) * element_of(problem);
    double most = 0;
    need(problem, RUN(gemv, gemv, MUBLAS_CONJ_TRANS, n, problem->vectors, one, v, n, (const void *)x, 1, zero,
                      problem->tau, 1));
    double *const products = fetch(problem, problem->tau, problem->vectors * parts);
    for (int64_t i = 0; i < problem->vectors * parts; i++)
        most = larger(most, fabs(products[i] - (i == column * parts)));
    free(products);
    return most;
}

static void check_vectors(const struct lapack_problem *problem, const void *a, const double *w, double unit,
                          struct lapack_check *check)
{
    const int64_t n = problem->n, numbers = n * parts_of(problem), count = problem->vectors;
    const int64_t columns = count < COLUMNS_MOST ? count : COLUMNS_MOST;
    double trace, square;
    sums_of_matrix(problem, &trace, &square);
    for (int64_t c = 0; c < columns; c++) {
        const int64_t j = columns > 1 ? c * (count - 1) / (columns - 1) : 0;
        const char *const x = (const char *)problem->a + (size_t)(j * n) * element_of(problem);
        double *const scaled = fetch(problem, x, numbers);
        for (int64_t i = 0; i < numbers; i++)
            scaled[i] *= w[j];
        check->residual = larger(check->residual, distance(problem, a, x, scaled) / sqrt(square) / unit);
        check->orthogonality = larger(check->orthogonality, skew(problem, problem->a, j) / unit);
        free(scaled);
    }
}

/* Columns j - 1, j and j + 1 of Q, three of them by ormtr; their products with T's column j. */
static void check_reflectors(struct lapack_problem *problem, const void *a, const double *d, const double *e,
                             double unit, struct lapack_check *check)
{
    enum { THREE = 3 };
    const int64_t n = problem->n, parts = parts_of(problem), numbers = n * parts, j = n / 2;
    const enum mublas_type type = problem->what.is_complex ? MUBLAS_DOUBLE_COMPLEX : MUBLAS_DOUBLE;
    double *const host = calloc((size_t)(THREE * numbers), sizeof *host), trace, square;
    size_t bytes;
    void *const c = allocate(problem, (size_t)(THREE * numbers) * sizeof *host);
    need(problem, mublas_ormtr_workspace(problem->device->handle, type, MUBLAS_LEFT, MUBLAS_LOWER,
                                         MUBLAS_NO_TRANS, n, THREE, n, n, &bytes));
    if (!host || !c || !lapack_problem_reserve(problem, bytes))
        lapack_fail("no memory");
    for (int64_t i = 0; i < THREE; i++)
        host[i * numbers + (j - 1 + i) * parts] = 1;
    need(problem,
         mublas_copy_to_device(problem->device->handle, c, host, (size_t)(THREE * numbers) * sizeof *host));
    need(problem, RUN(ormtr, unmtr, MUBLAS_LEFT, MUBLAS_LOWER, MUBLAS_NO_TRANS, n, THREE, problem->a, n,
                      problem->tau, c, n, problem->workspace, problem->workspace_bytes));
    double *const q = fetch(problem, c, THREE * numbers), dots[2] = {0, 0};
    for (int64_t i = 0; i < numbers; i++) {
        host[i] = e[j - 1] * q[i] + d[j] * q[numbers + i] + e[j] * q[2 * numbers + i];
        dots[0] += q[numbers + i] * q[numbers + i];
        dots[1] += q[i] * q[numbers + i];
    }
    sums_of_matrix(problem, &trace, &square);
    check->residual =
        distance(problem, a, (const char *)c + (size_t)numbers * sizeof *q, host) / sqrt(square) / unit;
    check->orthogonality = larger(fabs(dots[0] - 1), fabs(dots[1])) / unit;
    mublas_device_free(problem->device->handle, c);
    free(host);
    free(q);
}

struct lapack_check lapack_problem_check(struct lapack_problem *problem)
{
    const int64_t n = problem->n;
    const double unit = (double)n * 0x1p-52;
    const bool reduces = problem->what.work == WORK_REDUCTION, tenth = problem->what.work == WORK_TENTH;
    struct lapack_check check = {-1, -1, -1};
    double *const w = fetch(problem, problem->w, n), *const e =
                                                         reduces ? fetch(problem, problem->e, n - 1) : NULL;
    if (!tenth)
        check.sums = check_sums(problem, w, e, unit);
    if (!reduces || n < 3) {
        mublas_device_free(problem->device->handle, problem->workspace);
        problem->workspace = NULL, problem->workspace_bytes = 0;
    }
    void *const a =
        reduces || problem->vectors ? allocate(problem, (size_t)(n * n) * element_of(problem)) : NULL;
    if (a) {
        lapack_problem_fill(problem, a);
        if (reduces)
            check_reflectors(problem, a, w, e, unit, &check);
        else
            check_vectors(problem, a, w, unit, &check);
        mublas_device_free(problem->device->handle, a);
    }
    free(w);
    free(e);
    return check;
}
