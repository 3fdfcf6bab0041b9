/* Hidden stubs to which calls go whose host is not known by their symbol alone, one of each kind per symbol,
 * at equal distances (thunks.h), so that no table of their addresses is needed:
 *   resolve_thunks   stand for routines of which no host is known yet: they save every argument register, ask
 *                    host_blas_resolve, by number and return address, where to go, and jump there with the
 *                    call as it came
 *   dispatch_thunks  where callers have different libraries by the same names (callers.c): they find the
 *                    caller's host by the return address, or go on as resolve_thunks do. Entered by
 *                    jump_through and jump_as_told only. */
#include "host/assembly.inc"
#include "host/thunks.h"

    .text
    .hidden host_blas_resolve
    .hidden call_table
    .hidden caller_cache
    .hidden dispatch_tables

#if defined __x86_64__

    /* Calls are to take few instructions: whatever jumps here does so without the check that
     * an endbr64 is for. */
    .macro begin_dispatch_stub
    .endm

    /* Reads of memory stay in this order here: see struct call_table. No BLAS routine has a
     * variable number of arguments, for which rax would be needed. */
    .macro dispatch_call number
    movq (%rsp), %rax
    movzwl %ax, %r10d
    leaq call_table + 8 * CALL_SYMBOL(\number)(%rip), %r11
    cmpq (%r11, %r10, 8), %rax
    jne 1f
    jmp_notrack *CALL_TARGETS(%r11, %r10, 8)
1:  movl %eax, %r10d
    leaq caller_cache(%rip), %r11
    andl $CALLER_CACHE_MASK, %r10d
    xorq (%r11, %r10), %rax
    rolq $(64 - CALLER_ADDRESS_BITS), %rax
    cmpq $HOSTS_MAX, %rax
    jae 2f
    leaq dispatch_tables(%rip), %r11
    movq (%r11, %rax, 8), %r11
    movq (8 * \number)(%r11), %r11
    testq %r11, %r11
    jz 2f
    jmp_notrack *%r11
2:  jmp resolve_thunks + \number * RESOLVE_THUNK_BYTES
    .endm

#elif defined __aarch64__

    .macro begin_dispatch_stub
    begin_stub
    .endm

    /* A load may overtake the loads above it, but not an ldar. */
    .macro dispatch_call number
    adrp x17, call_table + 8 * CALL_SYMBOL(\number)
    add x17, x17, :lo12:call_table + 8 * CALL_SYMBOL(\number)
    ubfx x16, x30, #CALL_ADDRESS_SHIFT, #16
    add x17, x17, x16, lsl #3
    ldar x15, [x17]
    cmp x15, x30
    b.ne 1f
    add x17, x17, #CALL_TARGETS
    ldr x16, [x17]
    br x16
1:  adrp x16, caller_cache
    add x16, x16, :lo12:caller_cache
    and x17, x30, #CALLER_CACHE_MASK
    ldr x16, [x16, x17]
    eor x16, x16, x30
    ror x16, x16, #CALLER_ADDRESS_BITS
    cmp x16, #HOSTS_MAX
    b.hs resolve_thunks + \number * RESOLVE_THUNK_BYTES
    adrp x17, dispatch_tables
    add x17, x17, :lo12:dispatch_tables
    ldr x17, [x17, x16, lsl #3]
    ldr x16, [x17, #8 * \number]
    cbz x16, resolve_thunks + \number * RESOLVE_THUNK_BYTES
    br x16
    .endm

#endif

    .p2align 4
    .type resolve_common, %function
resolve_common:
    .cfi_startproc
    jump_as_told host_blas_resolve
    end_function resolve_common

    /* The number of symbols. */
    .set symbols, 0
#define FORWARDED_SYMBOL(...) .set symbols, symbols + 1 ;
#define OFFLOADED_SYMBOL(...) .set symbols, symbols + 1 ;
#include "host/symbols.def"

    begin_thunks resolve_thunks
    .rept symbols
    begin_stub
    pass_number number, resolve_common
    next_thunk resolve_thunks, RESOLVE_THUNK_BYTES
    .endr
    end_thunks resolve_thunks

    begin_thunks dispatch_thunks
    .rept symbols
    begin_dispatch_stub
    dispatch_call number
    next_thunk dispatch_thunks, DISPATCH_THUNK_BYTES
    .endr
    end_thunks dispatch_thunks
