/* A host BLAS that leaves errno and the floating-point environment changed when it is opened, as a library
 * built with -Ofast and one that looks for files do. Its routines are those of the library that it links. */
#include <errno.h>
#include <fenv.h>

__attribute__((constructor)) static void leave_traces(void)
{
    volatile double third = 3;
    third = 1 / third;
    errno = ENOENT;
#if defined __x86_64__
    unsigned control;
    __asm__ volatile("stmxcsr %0" : "=m"(control));
    control |= 0x8040;
    __asm__ volatile("ldmxcsr %0" : : "m"(control));
#endif
    fesetround(FE_UPWARD);
}
