/* Fork is noticed, and a floating-point environment that a call must not leave. */
#include "interpose/process_state.h"
#include "tap.h"
#include "unit_test.h"

#include <fenv.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct blas_call gemv = {
    .family = FAMILY_GEMV, .type = TYPE_D, .alpha = {.d = 1}, .beta = {.d = 2}};
static const struct blas_call trsm = {.family = FAMILY_TRSM, .type = TYPE_D, .alpha = {.d = 1}};

static bool allowed(const struct blas_call *call)
{
    struct float_state now;
    float_state_read_control(&now);
    return process_state_arithmetic_allows(&now, call);
}

static void test_fork(void)
{
    tap_ok(!process_state_is_forked(), "the process itself is not a fork child");
    pid_t child = fork();
    if (child == 0)
        _exit(process_state_is_forked() ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a fork child knows it is one");
    tap_ok(!process_state_is_forked(), "the parent still is not");
}

static void test_rounding(void)
{
    static const int others[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    bool good = true;
    for (int i = 0; i < 3; i++) {
        fesetround(others[i]);
        good = good && !allowed(&gemv);
    }
    fesetround(FE_TONEAREST);
    tap_ok(good, "other rounding modes are the host's");
    tap_ok(allowed(&gemv) && allowed(&trsm), "the default environment is anybody's");
}

static void test_traps(void)
{
    static const int traps[] = {FE_INVALID, FE_OVERFLOW, FE_UNDERFLOW, FE_INEXACT};
    bool good = true;
    if (feenableexcept(FE_INVALID) < 0) {
        tap_skip("exceptions that trap", "this processor knows none");
        return;
    }
    fedisableexcept(FE_ALL_EXCEPT);
    for (int i = 0; i < 4; i++) {
        feenableexcept(traps[i]);
        good = good && !allowed(&gemv) && !allowed(&trsm);
        fedisableexcept(FE_ALL_EXCEPT);
    }
    tap_ok(good, "exceptions that trap are the host's");
    feenableexcept(FE_DIVBYZERO);
    good = allowed(&gemv) && !allowed(&trsm);
    fedisableexcept(FE_ALL_EXCEPT);
    tap_ok(good, "but for a division by zero where nothing is divided");
}

static void test_flags(void)
{
    feraiseexcept(FE_ALL_EXCEPT);
    tap_ok(allowed(&gemv), "raised flags do not matter");
    feclearexcept(FE_ALL_EXCEPT);
}

#if defined __x86_64__
static void set_control(unsigned bits)
{
    unsigned control = FLOAT_MXCSR_DEFAULT | bits;
    __asm__ volatile("ldmxcsr %0" : : "m"(control));
}
enum { FLUSH = 0x8000, DENORMALS_ARE_ZERO = 0x40 };

/* One unit alone, as <fenv.h> never sets them. */
static void test_x87(void)
{
    static const struct { unsigned short control; bool allowed;
    } cases[] = {{0x0b7f, false},
                 /* upward */ {0x037e, false},
                 /* invalid traps */ {0x0377, false}, /* overflow */
                 {0x037b, true},
                 /* division by zero */ {0x027f, true},
                 /* double precision, as QD wants it */ {0x037f, true}};
    bool good = true;
    for (int i = 0; i < 6; i++) {
        __asm__ volatile("fldcw %0" : : "m"(cases[i].control));
        good = good && allowed(&gemv) == cases[i].allowed;
    }
    tap_ok(good, "the x87 unit's rounding and traps count, its precision does not");
}
#elif defined __aarch64__
static void set_control(unsigned long bits)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(bits));
}
enum { FLUSH = 1 << 24, DENORMALS_ARE_ZERO = 1 << 24 };

static void test_x87(void)
{
    tap_skip("the x87 unit", "there is none");
}
#endif

static void test_denormals(void)
{
    struct blas_call small = gemv, single = gemv, complex = gemv;
    small.beta.d = -1e-310;
    single.type = TYPE_S;
    single.alpha.s = 1e-40f;
    single.beta.s = 0;
    complex.type = TYPE_Z;
    complex.alpha.z[0] = complex.beta.z[0] = complex.beta.z[1] = 1;
    complex.alpha.z[1] = 1e-310;
    tap_ok(allowed(&small) && allowed(&single) && allowed(&complex), "denormal scalars are numbers");
    set_control(FLUSH | DENORMALS_ARE_ZERO);
    const bool others = allowed(&gemv) && allowed(&trsm);
    const bool scalars = !allowed(&small) && !allowed(&single) && !allowed(&complex);
    set_control(0);
    tap_ok(others, "flush-to-zero and denormals-are-zero are no reason to stay on the host");
    tap_ok(scalars, "unless a scalar counts as zero");
}

/* Bits count: denormals-are-zero does not matter, and a signalling NaN raises nothing. */
static void test_scalars(void)
{
    volatile union blas_scalar kept[] = {/* not known to the compiler */
        {.d = 1e-310}, {.d = -0.0}, {.z = {1, -INFINITY}}, {.double_bits = {UINT64_C(0x7ff4000000000000)}}};
    const union blas_scalar tiny = kept[0], zero = kept[1], infinite = kept[2], signalling = kept[3];
    feclearexcept(FE_ALL_EXCEPT);
    set_control(FLUSH | DENORMALS_ARE_ZERO);
    const bool good = !blas_scalar_is_zero(TYPE_D, tiny) && blas_scalar_is_zero(TYPE_D, zero) &&
                      blas_scalar_is_infinite(TYPE_Z, infinite) &&
                      !blas_scalar_is_infinite(TYPE_D, infinite) &&
                      !blas_scalar_is_zero(TYPE_D, signalling) &&
                      !blas_scalar_is_infinite(TYPE_D, signalling);
    const int raised = fetestexcept(FE_ALL_EXCEPT);
    set_control(0);
    tap_ok(good && raised == 0, "zero and infinite scalars are told without computing");
}

UNIT_TEST(test_process_state)
{
    process_state_begin();
    test_fork();
    test_rounding();
    test_traps();
    test_flags();
    test_x87();
    test_denormals();
    test_scalars();
    return tap_done();
}
