/* Hidden stubs that host_blas.c puts in its tables, one of each kind per symbol, at equal
 * distances (thunks.h), so that no table of their addresses is needed. All but the last
 * save every argument register, ask a function of (number, return address) where to go,
 * and jump there with the call as it came:
 *   count_thunks     stand in forward_slots while calls are counted: host_blas_count; but by themselves
 *                    where the thread has counters, the host is known and the caller is no host
 *   resolve_thunks   stand for routines of which no host is known yet: host_blas_resolve
 *   enter_thunks     in entry_slots until the integer width is known: host_blas_enter
 *   dispatch_thunks  in forward_slots where callers have different libraries by the same
 *                    names (callers.h): they find the caller's host by the return address,
 *                    or go on as resolve_thunks do. Entered by jump_through and jump_as_told
 *                    only. */
#include "interpose/assembly.inc"
#include "interpose/thunks.h"

    .text
    .hidden host_blas_count
    .hidden host_functions
    .hidden nested_hull
    .hidden thread_counters_here
    .hidden host_blas_resolve
    .hidden host_blas_enter
    .hidden call_table
    .hidden caller_cache
    .hidden dispatch_tables

#if defined __x86_64__

    /* Calls are to take few instructions: whatever jumps here does so without the check that
     * an endbr64 is for. */
    .macro begin_dispatch_stub
    .endm

    /* Counted here, by the number in rax, which no BLAS routine needs; a signal's handler may count in between. Else on
     * at 1, with the number pushed. */
    .macro count_here
    movq (%rsp), %r10
    subq nested_hull(%rip), %r10
    cmpq nested_hull + 8(%rip), %r10
    jb 1f
    leaq host_functions(%rip), %r11
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
    jae resolve_thunks + \number * RESOLVE_THUNK_BYTES
    leaq dispatch_tables(%rip), %r11
    movq (%r11, %rax, 8), %r11
    jmp_notrack *(8 * \number)(%r11)
    .endm

    /* rsp is a multiple of 16 here: the return address and the number were pushed. What is saved is the third argument
     * (lapack/frame.h). With `done` the function may answer 0: the call is done, and returns. */
    .macro jump_as_told function, done
    .cfi_adjust_cfa_offset 8
    subq $208, %rsp
    .cfi_adjust_cfa_offset 208
    movq %rax, (%rsp)
    movq %rdi, 8(%rsp)
    movq %rsi, 16(%rsp)
    movq %rdx, 24(%rsp)
    movq %rcx, 32(%rsp)
    movq %r8, 40(%rsp)
    movq %r9, 48(%rsp)
    movq %r10, 56(%rsp)
    movaps %xmm0, 64(%rsp)
    movaps %xmm1, 80(%rsp)
    movaps %xmm2, 96(%rsp)
    movaps %xmm3, 112(%rsp)
    movaps %xmm4, 128(%rsp)
    movaps %xmm5, 144(%rsp)
    movaps %xmm6, 160(%rsp)
    movaps %xmm7, 176(%rsp)
    movl 208(%rsp), %edi
    movq 216(%rsp), %rsi
    movq %rsp, %rdx
    call \function
    .ifnb \done
    testq %rax, %rax
    jz \done
    .endif
    movq %rax, %r11
    movq (%rsp), %rax
    movq 8(%rsp), %rdi
    movq 16(%rsp), %rsi
    movq 24(%rsp), %rdx
    movq 32(%rsp), %rcx
    movq 40(%rsp), %r8
    movq 48(%rsp), %r9
    movq 56(%rsp), %r10
    movaps 64(%rsp), %xmm0
    movaps 80(%rsp), %xmm1
    movaps 96(%rsp), %xmm2
    movaps 112(%rsp), %xmm3
    movaps 128(%rsp), %xmm4
    movaps 144(%rsp), %xmm5
    movaps 160(%rsp), %xmm6
    movaps 176(%rsp), %xmm7
    addq $216, %rsp
    .cfi_adjust_cfa_offset -216
    jmp_notrack *%r11
    .endm

    .macro return_from_told
    .cfi_adjust_cfa_offset 216
    addq $216, %rsp
    .cfi_adjust_cfa_offset -216
    ret
    .endm

#elif defined __aarch64__

    .macro return_from_told
    .cfi_adjust_cfa_offset 224
    .cfi_rel_offset x29, 0
    .cfi_rel_offset x30, 8
    ldp x29, x30, [sp], #224
    .cfi_adjust_cfa_offset -224
    .cfi_restore x29
    .cfi_restore x30
    ret
    .endm

    .macro begin_dispatch_stub
    begin_stub
    .endm

    .macro count_here
    .endm

    .macro pass_number_to_count number
    pass_number \number, count_common
    .endm

    /* What is not loaded by ldar may be loaded before what stands above it. */
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
    br x16
    .endm

    .macro jump_as_told function, done
    stp x29, x30, [sp, #-224]!
    .cfi_adjust_cfa_offset 224
    .cfi_rel_offset x29, 0
    .cfi_rel_offset x30, 8
    mov x29, sp
    stp x0, x1, [sp, #16]
    stp x2, x3, [sp, #32]
    stp x4, x5, [sp, #48]
    stp x6, x7, [sp, #64]
    str x8, [sp, #80]
    stp q0, q1, [sp, #96]
    stp q2, q3, [sp, #128]
    stp q4, q5, [sp, #160]
    stp q6, q7, [sp, #192]
    mov w0, w16
    mov x1, x30
    mov x2, sp
    bl \function
    .ifnb \done
    cbz x0, \done
    .endif
    mov x16, x0
    ldp x0, x1, [sp, #16]
    ldp x2, x3, [sp, #32]
    ldp x4, x5, [sp, #48]
    ldp x6, x7, [sp, #64]
    ldr x8, [sp, #80]
    ldp q0, q1, [sp, #96]
    ldp q2, q3, [sp, #128]
    ldp q4, q5, [sp, #160]
    ldp q6, q7, [sp, #192]
    ldp x29, x30, [sp], #224
    .cfi_restore x29
    .cfi_restore x30
    .cfi_adjust_cfa_offset -224
    br x16
    .endm

#endif


    .p2align 4
    .type resolve_common, %function
resolve_common:
    .cfi_startproc
    jump_as_told host_blas_resolve
    end_function resolve_common

    .p2align 4
    .type count_common, %function
count_common:
    .cfi_startproc
    count_here
    jump_as_told host_blas_count
    end_function count_common

    .p2align 4
    .type enter_common, %function
enter_common:
    .cfi_startproc
    jump_as_told host_blas_enter
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
#define OFFLOADED_SYMBOL(symbol, interface, width, gate) \
    .set symbols, symbols + 1 ; .ifc width, DETECTED ; .set slots, slots + 1 ; .endif ;
#include "interpose/symbols.def"

    .macro begin_thunks name
    .globl \name
    .hidden \name
    .p2align 6
    .type \name, %function
\name:
    .cfi_startproc
    .set number, 0
    .endm

    /* .org fails when a thunk is longer than the distance. */
    .macro next_thunk name, bytes
    .set number, number + 1
    .org \name + number * \bytes
    .endm

    .macro end_thunks name
    .cfi_endproc
    .size \name, . - \name
    .endm

    begin_thunks count_thunks
    .rept symbols
    begin_stub
    pass_number_to_count number
    next_thunk count_thunks, COUNT_THUNK_BYTES
    .endr
    end_thunks count_thunks

    begin_thunks resolve_thunks
    .rept symbols
    begin_stub
    pass_number number, resolve_common
    next_thunk resolve_thunks, RESOLVE_THUNK_BYTES
    .endr
    end_thunks resolve_thunks

    begin_thunks enter_thunks
    .rept slots
    begin_stub
    pass_number number, enter_common
    next_thunk enter_thunks, ENTER_THUNK_BYTES
    .endr
    end_thunks enter_thunks

    begin_thunks dispatch_thunks
    .rept symbols
    begin_dispatch_stub
    dispatch_call number
    next_thunk dispatch_thunks, DISPATCH_THUNK_BYTES
    .endr
    end_thunks dispatch_thunks
