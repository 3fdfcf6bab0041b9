/* The bidiagonal solver: residuals, orthogonality and values of divide and conquer, for matrices that are hard for
 * it, of orders around leaves and merges; values by bisection, each to its own last digits; some of the vectors,
 * or one side's, have the bits of all; NaN ends with INFO, or NaN. LAPACK's values of the host stand beside them. */
#include "emulated_lane.h"
#include "lapack/singular/bidiagonal_solver.h"
#include "unit_test.h"

#include <float.h>
#include <math.h>
#include <string.h>

void dbdsqr_(const char *uplo, const int *n, const int *ncvt, const int *nru, const int *ncc, double *d,
             double *e, double *vt, const int *ldvt, double *u, const int *ldu, double *c, const int *ldc,
             double *work, int *info, size_t uplo_length);

enum { GAP = 3, ORDER_MOST = 640 };
static const double BOUND = 8; /* in units of n eps */

static struct solver_handle handle;

/* A matrix, in double precision whatever the type, and what came out. */
struct problem {
    enum blas_type type;
    int n;
    double d[ORDER_MOST], e[ORDER_MOST], s[ORDER_MOST];
    double *u, *v; /* n x vectors; NULL: not asked for */
    int first, vectors;
    int info;
    bool kept; /* rows between columns */
};

static uint64_t random_state = 7;

static double random_number(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(random_state >> 11) * 0x1p-52 - 1;
}

static void make_random(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = random_number(), e[i] = random_number();
}
static void make_wilkinson(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = fabs(i - 0.5 * (n - 1)), e[i] = 1;
}
static void make_glued(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = fabs(i % 21 - 10.0) + 0.1, e[i] = i % 21 == 20 ? 1e-11 : 1;
}
static void make_graded_down(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = pow(10, -16.0 * i / n), e[i] = 0.3 * pow(10, -16.0 * (i + 0.5) / n);
}
static void make_graded_up(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = pow(10, -16.0 * (n - 1 - i) / n), e[i] = -0.3 * pow(10, -16.0 * (n - 1.5 - i) / n);
}
static void make_clusters(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = i % 3 + 0x1p-52 * i, e[i] = 0x1p-53 * (1 + i % 5);
}
static void make_torn(int n, double *d, double *e)
{
    make_random(n, d, e);
    for (int i = 0; i < n; i++)
        e[i] = i % 7 == 3 || i % 32 == 31 || i % 64 == 20 ? 0 : e[i];
}
/* Zeros on the diagonal, at ends and at merges, too. */
static void make_singular(int n, double *d, double *e)
{
    make_random(n, d, e);
    for (int i = 0; i < n; i++) {
        d[i] = i % 5 == 4 || i == n - 1 || i % 16 == 15 || i == 0 ? 0 : d[i];
        e[i] = i % 11 == 3 ? 0 : e[i];
    }
}
/* The rank is half the order. */
static void make_deficient(int n, double *d, double *e)
{
    make_random(n, d, e);
    for (int i = 0; i < n; i++) {
        d[i] = i % 2 ? 0 : d[i];
        e[i] = i % 4 == 1 ? 0 : e[i];
    }
}
static void make_constant(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = -2, e[i] = 0;
}
static void make_equal(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = e[i] = 1;
}
static void make_nilpotent(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = 0, e[i] = 1 + i % 2;
}
/* Kahan's: the least value is tiny beside all elements. */
static void make_nearly_singular(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = 0.5, e[i] = 1;
}
static void make_zero(int n, double *d, double *e)
{
    memset(d, 0, (size_t)n * sizeof *d);
    memset(e, 0, (size_t)n * sizeof *e);
}
/* From 1 to 1e-300 or 1e-36. */
static void make_far_graded(int n, double *d, double *e)
{
    for (int i = 0; i < n; i++)
        d[i] = pow(10, -300.0 * i / n), e[i] = 0.5 * pow(10, -300.0 * (i + 0.5) / n);
}

static const struct kind {
    const char *name;
    void (*make)(int n, double *d, double *e);
} kinds[] = {{"random", make_random},
             {"Wilkinson", make_wilkinson},
             {"glued", make_glued},
             {"graded down", make_graded_down},
             {"graded up", make_graded_up},
             {"clusters", make_clusters},
             {"torn", make_torn},
             {"zeros on the diagonal", make_singular},
             {"half the rank", make_deficient},
             {"constant", make_constant},
             {"all equal", make_equal},
             {"nilpotent", make_nilpotent},
             {"nearly singular", make_nearly_singular},
             {"zero", make_zero},
             {"graded to 1e-300", make_far_graded}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static double as_type(enum blas_type type, double number)
{
    return type == TYPE_S ? (double)(float)number : number;
}

static void make(struct problem *problem, enum blas_type type, const struct kind *kind, int n, double scale)
{
    const size_t elements = (size_t)n * (size_t)n + 1;
    *problem = (struct problem){.type = type, .n = n, .vectors = n, .u = calloc(elements, sizeof(double)),
                                .v = calloc(elements, sizeof(double))};
    kind->make(n, problem->d, problem->e);
    for (int i = 0; i < n; i++) {
        problem->d[i] = as_type(type, problem->d[i] * scale);
        problem->e[i] = i + 1 < n ? as_type(type, problem->e[i] * scale) : 0;
    }
}

static void release(struct problem *problem)
{
    free(problem->u);
    free(problem->v);
}

static void put(enum blas_type type, CUdeviceptr to, const double *numbers, int count)
{
    float narrow[ORDER_MOST];
    for (int i = 0; i < count; i++)
        narrow[i] = (float)numbers[i];
    if (count > 0)
        device_poke(to, type == TYPE_S ? (const void *)narrow : numbers,
                    (size_t)count * blas_element_bytes(type));
}

static void get(enum blas_type type, double *numbers, CUdeviceptr from, int count)
{
    float narrow[ORDER_MOST];
    if (count > 0)
        device_peek(type == TYPE_S ? (void *)narrow : numbers, from,
                    (size_t)count * blas_element_bytes(type));
    for (int i = 0; i < count && type == TYPE_S; i++)
        numbers[i] = (double)narrow[i];
}

static CUdeviceptr allocate(size_t bytes)
{
    CUdeviceptr address = 0;
    if (device_allocate(emulated_device, bytes, &address) != STATUS_OK)
        exit(1);
    return address;
}

static bool is_untouched(CUdeviceptr address, size_t bytes)
{
    unsigned char found[GAP * sizeof(double)];
    bool good = device_peek(found, address, bytes);
    for (size_t i = 0; i < bytes; i++)
        good = good && found[i] == 0xff;
    return good;
}

static void get_vectors(struct problem *problem, const struct bidiagonal_vectors *from, double *vectors)
{
    const size_t element = blas_element_bytes(problem->type);
    for (int j = 0; j < problem->vectors && vectors; j++) {
        const CUdeviceptr column = from->address + (CUdeviceptr)(j * from->ld) * element;
        get(problem->type, vectors + (size_t)j * (size_t)problem->n, column, problem->n);
        problem->kept = problem->kept &&
                        is_untouched(column + (CUdeviceptr)problem->n * element, GAP * element);
    }
}

static bool solve(struct problem *problem)
{
    const size_t element = blas_element_bytes(problem->type), ld = (size_t)problem->n + GAP,
                 bytes = ld * (size_t)(problem->vectors + 1) * element;
    const struct bidiagonal_division call = {
        .type = problem->type, .n = problem->n, .d = allocate(sizeof problem->d),
        .e = allocate(sizeof problem->e), .u = {problem->u ? allocate(bytes) : 0, (int64_t)ld},
        .v = {problem->v ? allocate(bytes) : 0, (int64_t)ld}, .first_vector = problem->first,
        .vectors = problem->vectors, .info = allocate(sizeof(int))};
    const CUdeviceptr workspace = allocate(bidiagonal_division_workspace(&call) + 1);
    put(problem->type, call.d, problem->d, problem->n);
    put(problem->type, call.e, problem->e, problem->n - 1);
    const unsigned long waits = call_count("cuStreamSynchronize");
    bool good = bidiagonal_division_queue(&handle, &call, workspace) == STATUS_OK &&
                call_count("cuStreamSynchronize") == waits;
    good = driver()->stream_synchronise(handle.stream) == CUDA_SUCCESS && good;
    get(problem->type, problem->s, call.d, problem->n);
    device_peek(&problem->info, call.info, sizeof problem->info);
    problem->kept = true;
    get_vectors(problem, &call.u, problem->u);
    get_vectors(problem, &call.v, problem->v);
    const CUdeviceptr all[] = {call.d, call.e, call.u.address, call.v.address, call.info, workspace};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i])
            device_free(emulated_device, all[i]); /* which looks for writes beside them */
    return good;
}

static double norm_of(const struct problem *problem)
{
    double norm = 0;
    for (int i = 0; i < problem->n; i++)
        norm = fmax(norm, fmax(fabs(problem->d[i]), fabs(problem->e[i])));
    return norm;
}

static double larger_rest(double most, double rest)
{
    return rest <= most ? most : isnan(rest) ? INFINITY : rest;
}

/* Largest element of B V - U S and B' U - V S, over the largest of B; NaN counts as infinite. */
static double residual_of(const struct problem *problem)
{
    const int n = problem->n;
    const double scale = norm_of(problem) > 0 ? 1 / norm_of(problem) : 1;
    double most = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            const double *u = problem->u + (size_t)j * (size_t)n, *v = problem->v + (size_t)j * (size_t)n;
            const double d = problem->d[i] * scale, s = problem->s[j] * scale;
            const double right = i + 1 < n ? problem->e[i] * scale * v[i + 1] : 0;
            const double above = i > 0 ? problem->e[i - 1] * scale * u[i - 1] : 0;
            most = larger_rest(most, fabs(d * v[i] + right - s * u[i]));
            most = larger_rest(most, fabs(d * u[i] + above - s * v[i]));
        }
    return most;
}

/* Largest element of Q'Q - I. */
static double distance_from_orthogonal(const double *q, int n)
{
    double most = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i <= j; i++) {
            double sum = i == j ? -1 : 0;
            for (int k = 0; k < n; k++)
                sum += q[k + (size_t)i * (size_t)n] * q[k + (size_t)j * (size_t)n];
            most = larger_rest(most, fabs(sum));
        }
    return most;
}

/* LAPACK's, in double precision, of the scaled matrix, scaled back. */
static void solve_on_host(const struct problem *problem, double *s)
{
    static double e[ORDER_MOST], work[4 * ORDER_MOST];
    const int n = problem->n, none = 0, one = 1;
    const double scale = norm_of(problem) > 0 ? ldexp(1, -ilogb(norm_of(problem))) : 1;
    double unused;
    int info = 0;
    for (int i = 0; i < n; i++)
        s[i] = problem->d[i] * scale, e[i] = problem->e[i] * scale;
    dbdsqr_("U", &n, &none, &none, &none, s, e, &unused, &one, &unused, &one, &unused, &one, work, &info, 1);
    if (info != 0)
        exit(1);
    for (int i = 0; i < n; i++)
        s[i] /= scale;
}

static double distance_of_values(const struct problem *problem, const double *s)
{
    const double scale = norm_of(problem) > 0 ? 1 / norm_of(problem) : 1;
    double most = 0;
    for (int i = 0; i < problem->n; i++)
        most = larger_rest(most, fabs(problem->s[i] * scale - s[i] * scale));
    return most;
}

static bool is_descending(const struct problem *problem)
{
    for (int i = 0; i < problem->n; i++)
        if (!((i == 0 || problem->s[i - 1] >= problem->s[i]) && problem->s[i] >= 0))
            return false;
    return true;
}

/* In units of n eps. Twice, for the bits. */
static void test(enum blas_type type, const struct kind *kind, int n, double scale)
{
    static double s[ORDER_MOST];
    static struct problem problem, again;
    make(&problem, type, kind, n, scale);
    make(&again, type, &kinds[KINDS - 2], n, scale);
    memcpy(again.d, problem.d, sizeof again.d);
    memcpy(again.e, problem.e, sizeof again.e);
    solve_on_host(&problem, s);
    const bool good = solve(&problem) && problem.info == 0 && problem.kept && is_descending(&problem);
    const size_t bytes = (size_t)n * (size_t)n * sizeof *problem.u;
    const bool same = n > 33 || (solve(&again) && memcmp(again.s, problem.s, sizeof again.s) == 0 &&
                                 memcmp(again.u, problem.u, bytes) == 0 && memcmp(again.v, problem.v, bytes) == 0);
    const double unit = (n > 0 ? n : 1) * (type == TYPE_S ? 0x1p-24 : 0x1p-53);
    const double residual = residual_of(&problem) / unit, error = distance_of_values(&problem, s) / unit;
    const double left = distance_from_orthogonal(problem.u, n) / unit,
                 right = distance_from_orthogonal(problem.v, n) / unit;
    if (getenv("SHOW_RATIOS"))
        printf("# %c n=%d %s: residual %.3g, orthogonality %.3g %.3g, values %.3g\n", "sd"[type], n, kind->name,
               residual, left, right, error);
    tap_ok(good && same && residual < BOUND && left < BOUND && right < BOUND && error < BOUND,
           "%c, n = %d, %s times %g", "sd"[type], n, kind->name, scale);
    release(&problem);
    release(&again);
}

/* The sanitizers take their time. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
static const int order_limit = 66;
#else
static const int order_limit = ORDER_MOST;
#endif

static void test_orders(void)
{
    static const int orders[] = {0, 1, 2, 3, 14, 15, 16, 31, 32, 33, 63, 64, 65, 200};
    for (size_t i = 0; i < sizeof orders / sizeof *orders && orders[i] <= order_limit; i++)
        for (int kind = 0; kind < KINDS; kind++) {
            if (orders[i] < 63 || kind % 2 == (int)i % 2 || kind == KINDS - 1)
                test(TYPE_D, &kinds[kind], orders[i], 1);
            if (orders[i] <= 3 || orders[i] == 33 || orders[i] == 65)
                test(TYPE_S, &kinds[kind], orders[i], 1);
        }
}

/* Norms whose squares are no numbers. */
static void test_scales(void)
{
    for (int kind = 0; kind < KINDS; kind += 3)
        for (int sign = -1; sign <= 1; sign += 2) {
            test(TYPE_D, &kinds[kind], 40, pow(10, 300 * sign));
            test(TYPE_S, &kinds[kind], 40, pow(10, 30 * sign));
        }
}

/* So large that cuBLAS multiplies. */
static void test_large(void)
{
    if (order_limit < 545)
        return;
    test(TYPE_D, &kinds[0], 545, 1);
    test(TYPE_S, &kinds[7], 520, 1);
}

static bool has_bits_of(const double *some, const double *all, const struct problem *problem)
{
    return !some || memcmp(some, all + (size_t)(problem->first * problem->n),
                           (size_t)(problem->vectors * problem->n) * sizeof *some) == 0;
}

/* Some of the vectors, of these sides, beside all of them. */
static void test_part(const struct kind *kind, int n, int first, int vectors, bool left, bool right)
{
    static struct problem all, some;
    make(&all, TYPE_D, kind, n, 1);
    bool good = solve(&all);
    some = all;
    some.u = left ? calloc((size_t)n * (size_t)n, sizeof *some.u) : NULL;
    some.v = right ? calloc((size_t)n * (size_t)n, sizeof *some.v) : NULL;
    some.first = first, some.vectors = vectors;
    good = solve(&some) && good && some.info == 0 && some.kept && has_bits_of(some.u, all.u, &some) &&
           has_bits_of(some.v, all.v, &some);
    tap_ok(good && memcmp(some.s, all.s, sizeof all.s) == 0,
           "n = %d, %s,%s%s vectors %d to %d have the bits of all", n, kind->name, left ? " left" : "",
           right ? " right" : "", first, first + vectors - 1);
    release(&all);
    release(&some);
}

static void test_parts(void)
{
    const int orders[] = {1, 12, 20, 100};
    for (size_t i = 0; i < sizeof orders / sizeof *orders && orders[i] <= order_limit; i++) {
        const int n = orders[i];
        test_part(&kinds[0], n, 0, (n + 5) / 6, true, true);
        test_part(&kinds[2], n, n / 3, n - n / 3, true, true);
        test_part(&kinds[7], n, 0, n, true, false);
        test_part(&kinds[7], n, 0, n, false, true);
        test_part(&kinds[1], n, n, 0, false, false);
    }
}

static bool bisect(struct problem *problem, bool in_place)
{
    const size_t element = blas_element_bytes(problem->type);
    const CUdeviceptr d = allocate((size_t)problem->n * element), e = allocate((size_t)problem->n * element),
                      beside = allocate((size_t)problem->n * element);
    const struct bidiagonal_bisection work = {problem->type, problem->n, d, e, in_place ? d : beside};
    const CUdeviceptr workspace = allocate(bidiagonal_bisection_workspace(&work));
    put(problem->type, d, problem->d, problem->n);
    put(problem->type, e, problem->e, problem->n - 1);
    const bool good = bidiagonal_bisection_queue(&handle, &work, workspace) == STATUS_OK &&
                      driver()->stream_synchronise(handle.stream) == CUDA_SUCCESS;
    get(problem->type, problem->s, work.s, problem->n);
    const CUdeviceptr all[] = {d, e, beside, workspace};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_free(emulated_device, all[i]);
    return good;
}

/* The largest difference relative to each value, in units of n eps; what LAPACK has below the least normal number
 * beside the largest value may be anything there. */
static double relative_distance(const struct problem *problem, const double *s)
{
    const bool single = problem->type == TYPE_S;
    const double least = (single ? (double)FLT_MIN : DBL_MIN) * 16 * fmax(1, norm_of(problem));
    double most = 0;
    for (int i = 0; i < problem->n; i++) {
        const double difference = fabs(problem->s[i] - s[i]);
        most = larger_rest(most, difference <= least ? 0 : difference / fmax(s[i], least));
    }
    return most / ((problem->n < 4 ? 4 : problem->n) * (single ? 0x1p-24 : 0x1p-53));
}

static void test_values(enum blas_type type, const struct kind *kind, int n, double scale)
{
    static struct problem problem;
    static double s[ORDER_MOST];
    make(&problem, type, kind, n, scale);
    solve_on_host(&problem, s);
    const bool good = bisect(&problem, n % 2) && is_descending(&problem);
    const double distance = relative_distance(&problem, s);
    if (getenv("SHOW_RATIOS"))
        printf("# %c n=%d %s: values %.3g\n", "sd"[type], n, kind->name, distance);
    tap_ok(good && distance < BOUND, "%c, n = %d, %s times %g: values by bisection", "sd"[type], n, kind->name,
           scale);
    release(&problem);
}

/* A count for each of the lanes: some orders have fewer of them. */
static void test_bisection(void)
{
    static const int orders[] = {1, 2, 3, 31, 33, 65};
    for (enum blas_type type = TYPE_S; type <= TYPE_D; type++) {
        for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
            test_values(type, &kinds[0], orders[i], 1);
        for (int kind = 1; kind < KINDS; kind++)
            test_values(type, &kinds[kind], 40 + kind, 1);
        test_values(type, &kinds[0], 30, type == TYPE_S ? 1e30 : 1e300);
        test_values(type, &kinds[3], 30, type == TYPE_S ? 1e-30 : 1e-300);
    }
    if (order_limit == ORDER_MOST)
        test_values(TYPE_D, &kinds[14], 300, 1);
}

/* The device's bits are of no use then, but nothing hangs and no other memory is written. */
static void test_nan(int n, int place, double value)
{
    static struct problem problem;
    make(&problem, TYPE_D, &kinds[0], n, 1);
    (place % 2 ? problem.e : problem.d)[place / 2] = value;
    bool good = solve(&problem) && problem.info == 1 && problem.kept && bisect(&problem, false);
    for (int i = 0; i < n; i++)
        good = good && isnan(problem.s[i]);
    tap_ok(good, "n = %d, %g among the elements: INFO, and no values", n, value);
    release(&problem);
}

static void test_nans(void)
{
    test_nan(1, 0, NAN);
    test_nan(20, 6, NAN);
    test_nan(20, 7, INFINITY);
    test_nan(60, 118, -INFINITY);
    for (int row = 0; row < 50; row += 9)
        test_nan(50, 2 * row + 1, NAN);
}

UNIT_TEST(test_bidiagonal)
{
    const struct solver_library *library;
    struct lane *const lane = emulated_lane();
    if (solver_library_open(emulated_device, &library) != STATUS_OK ||
        solver_handle_create(library, lane->stream, &handle) != STATUS_OK)
        tap_skip_all("no cuSOLVER");
    test_orders();
    test_scales();
    test_large();
    test_parts();
    test_bisection();
    test_nans();
    return tap_done();
}
