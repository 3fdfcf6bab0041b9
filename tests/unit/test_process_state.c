/* Fork and floating-point environment are noticed. */
#include "interpose/process_state.h"
#include "tap.h"

#include <fenv.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

int main(void)
{
    process_state_begin();
    tap_ok(!process_state_is_forked(), "the process itself is not a fork child");
    pid_t child = fork();
    if (child == 0)
        _exit(process_state_is_forked() ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a fork child knows it is one");
    tap_ok(!process_state_is_forked(), "the parent still is not");

    tap_ok(process_state_default_arithmetic(), "the default environment is recognised");
    fesetround(FE_UPWARD);
    tap_ok(!process_state_default_arithmetic(), "rounding upward is noticed");
    fesetround(FE_TONEAREST);
    feenableexcept(FE_INVALID);
    tap_ok(!process_state_default_arithmetic(), "an unmasked trap is noticed");
    fedisableexcept(FE_INVALID);
#ifdef __x86_64__
    unsigned saved = _mm_getcsr();
    _mm_setcsr(saved | 0x8000);
    tap_ok(!process_state_default_arithmetic(), "flush to zero is noticed");
    _mm_setcsr(saved);
#endif
    volatile double inexact = 1.0;
    inexact /= 3.0;
    tap_ok(process_state_default_arithmetic(), "raised exception flags do not matter");
    return tap_done();
}
