/* liblapack.so.3: the routes of lapack.def by their plain names, each a jump into mublas' libblas.so.3,
 * where the caller is still known by the return address. The rest of LAPACK is the library's that it
 * replaced (local.mk). PASSED_TO is the name of that for the loader. */
#include "host/assembly.inc"

    .text
#if defined __x86_64__
    .macro jump_to name
    jmp_notrack *\name@GOTPCREL(%rip)
    .endm
#else
    .macro jump_to name
    adrp x16, :got:\name
    ldr x16, [x16, :got_lo12:\name]
    br x16
    .endm
#endif

    .macro pass name, interface
    .ifc \interface, LAPACK_NAME_
    .globl \name
    begin_function \name
    jump_to mublas_route_\name
    end_function \name
    .endif
    .endm

#define FORWARDED_SYMBOL(...)
#define OFFLOADED_SYMBOL(...)
#define ROUTE_SYMBOL(symbol, interface, width, order, words) pass symbol, interface ;
#include "host/symbols.def"

    .section .rodata
    .globl mublas_passes_lapack_to /* HOST_LIBRARY_PASSING_MARKER */
    .type mublas_passes_lapack_to, %object
mublas_passes_lapack_to:
    .asciz PASSED_TO
    .size mublas_passes_lapack_to, . - mublas_passes_lapack_to
