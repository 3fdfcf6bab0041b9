/* BLAS calls in a floating-point environment that the program has set: what they gave, what they raised, and
 * that they left the environment and errno alone. arithmetic ENVIRONMENT [forwarded] default; flush
 * (denormals in neither operands nor results, as start-up code of -Ofast sets it); start-up (what this
 * program was started with); upward, downward, towards-zero; invalid, overflow, underflow, inexact, division
 * (that traps). "forwarded": first a call that mublas never runs. A line a call: its name, the flags raised,
 * the results. 2: not on this machine. */
#include "common/program_state.h"

#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double ddot_(const int *, const double *, const int *, const double *, const int *);
void daxpy_(const int *, const double *, const double *, const int *, double *, const int *);
void dgemv_(const char *, const int *, const int *, const double *, const double *, const int *,
            const double *, const int *, const double *, double *, const int *, size_t);
void sgemv_(const char *, const int *, const int *, const float *, const float *, const int *, const float *,
            const int *, const float *, float *, const int *, size_t);
void dsymv_(const char *, const int *, const double *, const double *, const int *, const double *,
            const int *, const double *, double *, const int *, size_t);
void dtrmv_(const char *, const char *, const char *, const int *, const double *, const int *, double *,
            const int *, size_t, size_t, size_t);
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *, size_t, size_t);
void dtrsm_(const char *, const char *, const char *, const char *, const int *, const int *, const double *,
            const double *, const int *, double *, const int *, size_t, size_t, size_t, size_t);

enum { N = 40 };
static double matrix[N * N], other[N * N], x[N], y[N];
static float single_matrix[N * N], single_x[N], single_y[N];

/* The program's environment, and the one in which lines are written. */
static struct float_state wanted, usual;

static struct float_state read_state(void)
{
    struct float_state state;
    float_state_read(&state);
    return state;
}

static void set(struct float_state state)
{
#if defined __x86_64__
    __asm__ volatile("fnclex\n\tfldcw %1\n\tldmxcsr %0" : : "m"(state.mxcsr), "m"(state.x87_control));
#elif defined __aarch64__
    __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" : : "r"(state.control), "r"(state.status));
#endif
}

static bool same_control(struct float_state a, struct float_state b)
{
#if defined __x86_64__
    return (a.mxcsr | FLOAT_MXCSR_FLAGS) == (b.mxcsr | FLOAT_MXCSR_FLAGS) && a.x87_control == b.x87_control;
#elif defined __aarch64__
    return a.control == b.control;
#endif
}

static struct float_state flushing(struct float_state state)
{
#if defined __x86_64__
    state.mxcsr |= 0x8000 | FLOAT_MXCSR_DENORMALS_ARE_ZERO;
#elif defined __aarch64__
    state.control |= FLOAT_FLUSH;
#endif
    return state;
}

/* False where there is no such thing. */
static bool choose(const char *name)
{
    static const struct { const char *name; int rounding;
    } roundings[] = {{"default", FE_TONEAREST},
                     {"upward", FE_UPWARD},
                     {"downward", FE_DOWNWARD},
                     {"towards-zero", FE_TOWARDZERO}};
    static const struct { const char *name; int trap;
    } traps[] = {{"invalid", FE_INVALID},
                 {"overflow", FE_OVERFLOW},
                 {"underflow", FE_UNDERFLOW},
                 {"inexact", FE_INEXACT},
                 {"division", FE_DIVBYZERO}};
    const struct float_state at_start = read_state();
    bool known = true;
    fesetenv(FE_DFL_ENV);
    usual = wanted = read_state();
    if (strcmp(name, "start-up") == 0)
        wanted = at_start, known = float_state_ignores_denormals(&wanted);
    else if (strcmp(name, "flush") == 0)
        wanted = flushing(usual);
    for (int i = 0; i < 4; i++)
        if (strcmp(name, roundings[i].name) == 0)
            fesetround(roundings[i].rounding), wanted = read_state();
    for (int i = 0; i < 5; i++)
        if (strcmp(name, traps[i].name) == 0)
            known = feenableexcept(traps[i].trap) >= 0, wanted = read_state();
    set(usual);
    return known;
}

static void before_call(void)
{
    errno = 4711;
    set(wanted);
}

/* `values`: results, of which every third is printed. */
static void after_call(const char *name, const char *kind, const double *values)
{
    const struct float_state state = read_state();
    const int raised = fetestexcept(FE_ALL_EXCEPT), error_number = errno;
    set(usual);
    printf("%s-%s %s %#x", name, kind,
           same_control(state, wanted) && error_number == 4711 ? "kept" : "CHANGED", raised);
    for (int i = 0; i < N; i += 3)
        printf(" %.17g", values[i]);
    putchar('\n');
}

/* Integers of which all that is computed is exact, times scales. Triangles have powers of 2 on their
 * diagonals. */
static void fill(double matrix_scale, double vector_scale)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            matrix[i + j * N] = matrix_scale * ((i * 5 + j * 3) % 7 - 3);
        for (int j = 0; j < N; j++)
            other[i + j * N] = vector_scale * ((i + j * 2) % 5 - 2);
        x[i] = vector_scale * (i % 4 - 1);
        y[i] = vector_scale * (i % 3);
    }
    for (int i = 0; i < N * N; i++)
        single_matrix[i] = (float)((i % 7 - 3) * (matrix_scale == 1 ? 1 : 0x1p-140));
    for (int i = 0; i < N; i++) {
        single_x[i] = (float)(i % 4 - 1);
        single_y[i] = (float)(i % 3);
    }
}

static void call_forwarded(void)
{
    static const int n = N, step = 1;
    before_call();
    x[0] = ddot_(&n, x, &step, y, &step);
    after_call("ddot", "exact", x);
}

static void call_vectors(const char *kind)
{
    static const double two = 2, one = 1;
    static const float single_two = 2, single_zero = 0;
    static const int n = N, step = 1;
    double singles[N];
    before_call();
    daxpy_(&n, &two, x, &step, y, &step);
    after_call("daxpy", kind, y);
    before_call();
    dgemv_("N", &n, &n, &two, matrix, &n, x, &step, &one, y, &step, 1);
    after_call("dgemv", kind, y);
    before_call();
    dsymv_("L", &n, &two, matrix, &n, x, &step, &one, y, &step, 1);
    after_call("dsymv", kind, y);
    before_call();
    dtrmv_("U", "T", "N", &n, matrix, &n, x, &step, 1, 1, 1);
    after_call("dtrmv", kind, x);
    before_call();
    sgemv_("T", &n, &n, &single_two, single_matrix, &n, single_x, &step, &single_zero, single_y, &step, 1);
    const struct float_state state = read_state();
    set(usual);
    for (int i = 0; i < N; i++)
        singles[i] = single_y[i];
    set(state);
    after_call("sgemv", kind, singles);
}

static void call_matrices(const char *kind)
{
    static const double two = 2, zero = 0;
    static const int n = N;
    static double product[N * N];
    before_call();
    dgemm_("N", "T", &n, &n, &n, &two, matrix, &n, other, &n, &zero, product, &n, 1, 1);
    after_call("dgemm", kind, product);
    for (int i = 0; i < N; i++) /* bidiagonal, so that a solution stays exact and small */
        for (int j = 0; j < N; j++)
            matrix[i + j * N] = i == j ? 2 : i == j + 1 ? 1 : 0;
    before_call();
    dtrsm_("L", "L", "N", "N", &n, &n, &two, matrix, &n, other, &n, 1, 1, 1, 1);
    after_call("dtrsm", kind, other);
}

/* A scalar that counts as zero where denormals do: what it multiplies is not read then. */
static void call_with_scalar(void)
{
    static const double one = 1, tiny = 1e-310;
    static const int n = N, step = 1;
    fill(1, 1);
    y[3] = NAN;
    before_call();
    dgemv_("N", &n, &n, &one, matrix, &n, x, &step, &tiny, y, &step, 1);
    after_call("dgemv", "beta", y);
}

/* Exit handlers run in the program's environment, too. */
static int leave(void)
{
    const int failed = fflush(stdout) != 0;
    set(wanted);
    return failed;
}

int main(int count, char **arguments)
{
    if (count < 2)
        return 3;
    if (!choose(arguments[1]))
        return 2;
    fill(1, 1);
    if (count > 2)
        call_forwarded();
    call_vectors("exact");
    call_matrices("exact");
    if (float_state_traps(&wanted))
        return leave();
    fill(0x1p-1060, 1); /* denormal operands */
    call_vectors("denormal");
    call_matrices("denormal");
    fill(0x1p-530, 0x1p-530); /* denormal products */
    call_vectors("small");
    call_with_scalar();
    return leave();
}
