/* Hidden stubs of the tables of forwarding.c, as those of host/thunks.S. They ask a function of the number
 * and the return address where to go:
 *   count_thunks     stand in forward_slots while calls are counted: forwarding_count; but by themselves
 *                    where the thread has counters, the host is known and the caller is no host
 *   enter_thunks     in entry_slots until the integer width is known: width_entries_enter */
#include "host/assembly.inc"
#include "interpose/entries/entry.h"

    .text
    .hidden forwarding_count
    .hidden width_entries_enter
    .hidden counted_targets
    .hidden nested_hull
    .hidden thread_counters_here

#if defined __x86_64__

    /* Counted here, by the number in rax, which no BLAS routine needs; a signal's handler may count in
     * between. Else on at 1, with the number pushed. */
    .macro count_here
    movq (%rsp), %r10
    subq nested_hull(%rip), %r10
    cmpq nested_hull + 8(%rip), %r10
    jb 1f
    leaq counted_targets(%rip), %r11
    movq (%r11, %rax, 8), %r10
    testq %r10, %r10
    jz 1f
    movq thread_counters_here@gottpoff(%rip), %r11
    movq %fs:(%r11), %r11
    testq %r11, %r11
    jz 1f
    addq $1, (%r11, %rax, 8)
    jmp_notrack *%r10
1:  pushq %rax
    .endm

    .macro pass_number_to_count number
    movl $\number, %eax
    jmp count_common
    .endm

#elif defined __aarch64__

    /* The same; a handler's count between the load and the store makes the store fail. */
    .macro count_here
    adrp x15, nested_hull
    add x15, x15, :lo12:nested_hull
    ldp x14, x15, [x15]
    sub x14, x30, x14
    cmp x14, x15
    b.lo 1f
    adrp x15, counted_targets
    add x15, x15, :lo12:counted_targets
    ldr x14, [x15, x16, lsl #3]
    cbz x14, 1f
    mrs x15, tpidr_el0
    adrp x17, :gottprel:thread_counters_here
    ldr x17, [x17, :gottprel_lo12:thread_counters_here]
    ldr x15, [x15, x17]
    cbz x15, 1f
    add x15, x15, x16, lsl #3
2:  ldxr x17, [x15]
    add x17, x17, #1
    stxr w16, x17, [x15]
    cbnz w16, 2b
    mov x16, x14
    br x16
1:
    .endm

    .macro pass_number_to_count number
    pass_number \number, count_common
    .endm

#endif

    .p2align 4
    .type count_common, %function
count_common:
    .cfi_startproc
    count_here
    jump_as_told forwarding_count
    end_function count_common

    .p2align 4
    .type enter_common, %function
enter_common:
    .cfi_startproc
    jump_as_told width_entries_enter
    end_function enter_common

    /* From forward.S: a call of LAPACK past its gate. */
    .p2align 4
    .globl lapack_common
    .hidden lapack_common
    .hidden lapack_enter
    .type lapack_common, %function
lapack_common:
    .cfi_startproc
    jump_as_told lapack_enter, lapack_done
    end_function lapack_common

    .p2align 4
    .type lapack_done, %function
lapack_done:
    .cfi_startproc
    return_from_told
    end_function lapack_done

    /* The number of symbols, and of those with a slot in entry_slots. */
    .set symbols, 0
    .set slots, 0
#define FORWARDED_SYMBOL(...) .set symbols, symbols + 1 ;
#define OFFLOADED_SYMBOL(symbol, interface, width, ...) \
    .set symbols, symbols + 1 ; .ifc width, DETECTED ; .set slots, slots + 1 ; .endif ;
#include "host/symbols.def"

    begin_thunks count_thunks
    .rept symbols
    begin_stub
    pass_number_to_count number
    next_thunk count_thunks, COUNT_THUNK_BYTES
    .endr
    end_thunks count_thunks

    begin_thunks enter_thunks
    .rept slots
    begin_stub
    pass_number number, enter_common
    next_thunk enter_thunks, ENTER_THUNK_BYTES
    .endr
    end_thunks enter_thunks
