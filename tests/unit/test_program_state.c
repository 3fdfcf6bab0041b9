/* errno and the floating-point environment are after mublas' own work as they were, and that work is done in
 * default arithmetic. */
#include "common/program_state.h"
#include "tap.h"
#include "unit_test.h"

#include <fenv.h>
#include <float.h>

#if defined __x86_64__

static void set(uint32_t mxcsr, uint16_t x87_control)
{
    __asm__ volatile("ldmxcsr %0\n\tfnclex\n\tfldcw %1" : : "m"(mxcsr), "m"(x87_control));
}

static bool same(struct float_state a, struct float_state b)
{
    return a.mxcsr == b.mxcsr && a.x87_control == b.x87_control &&
           (a.x87_status & FLOAT_X87_FLAGS) == (b.x87_status & FLOAT_X87_FLAGS);
}

static void clear(void)
{
    set(FLOAT_MXCSR_DEFAULT, FLOAT_X87_DEFAULT);
}

/* Both units' words; the last one rounds upward and traps, which a restored flag must not set off. */
static const struct { uint32_t mxcsr; uint16_t x87_control; } environments[] = {
    {FLOAT_MXCSR_DEFAULT, FLOAT_X87_DEFAULT}, {FLOAT_MXCSR_DEFAULT | 0x8040, FLOAT_X87_DEFAULT},
    {FLOAT_MXCSR_DEFAULT | 0x21, 0x027f}, {0x1f80 & ~0x80, 0x037e}, {0x4000, 0x0b40}};
enum { ENVIRONMENTS = sizeof environments / sizeof *environments };

static void set_environment(int number)
{
    set(environments[number].mxcsr, environments[number].x87_control);
}

#elif defined __aarch64__

static bool same(struct float_state a, struct float_state b)
{
    return a.control == b.control && a.status == b.status;
}

static const uint64_t environments[] = {0, 1 << 24, FLOAT_ROUNDING, 1 << 22};
enum { ENVIRONMENTS = sizeof environments / sizeof *environments };

static void set_environment(int number)
{
    __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1"
                     :
                     : "r"(environments[number]), "r"((uint64_t)(number & 1)));
}

static void clear(void)
{
    __asm__ volatile("msr fpcr, xzr\n\tmsr fpsr, xzr");
}

#endif

/* Raises all there is, in both units; true if denormals were numbers and 1/3 was rounded to nearest. */
static bool compute(void)
{
    volatile double tiny = DBL_MIN, half = 0.5, zero = 0, huge = DBL_MAX, three = 3, result;
    volatile long double long_three = 3, long_zero = 0, long_result;
    bool good = tiny * half != 0 && tiny * half * 2 == tiny;
    result = 1 / three;
    good = good && result == 0x1.5555555555555p-2;
    result = 1 / zero;
    result = huge * huge;
    result = zero / zero;
    long_result = 1 / long_three;
    long_result = long_zero / long_zero;
    long_result = 1 / long_zero;
    (void)result;
    (void)long_result;
    return good;
}

static void test_environment(int number)
{
    set_environment(number);
    errno = 1000 + number;
    struct float_state before, now, after;
    struct program_state program;
    float_state_read(&before);
    program_state_set_aside(&program);
    float_state_read(&now);
    const bool own = float_state_is_default(&now), good = compute();
    errno = 1;
    program_state_return(&program);
    float_state_read(&after);
    const int error_number = errno;
    clear();
    tap_ok(own && good, "environment %d: own work has the default one", number);
    tap_ok(same(before, after) && error_number == 1000 + number, "environment %d: as it was afterwards",
           number);
}

/* Flags raised before stay so, though the work between raised something else. */
static void test_flags(void)
{
    volatile double three = 3, result;
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(FE_OVERFLOW | FE_DIVBYZERO);
    const int before = fetestexcept(FE_ALL_EXCEPT);
    struct program_state program;
    program_state_set_aside(&program);
    result = 1 / three;
    (void)result;
    feclearexcept(FE_OVERFLOW);
    program_state_return(&program);
    tap_ok(fetestexcept(FE_ALL_EXCEPT) == before, "flags that were raised are, others are not");
    feclearexcept(FE_ALL_EXCEPT);
}

UNIT_TEST(test_program_state)
{
    for (int i = 0; i < ENVIRONMENTS; i++)
        test_environment(i);
    test_flags();
    return tap_done();
}
