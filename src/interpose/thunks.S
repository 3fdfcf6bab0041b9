/* Two hidden functions per routine that host_blas.c puts in its tables:
 * count_NAME adds one to forwarded_calls[i] and jumps through host_functions[i];
 * resolve_NAME stands in host_functions until a host BLAS
 * is bound: it saves every argument register, asks host_blas_resolve(i) for the
 * routine, and jumps there with the call as it came. */
#include "interpose/assembly.inc"

    .text
    .hidden host_functions
    .hidden forwarded_calls
    .hidden host_blas_resolve

#if defined __x86_64__

    .macro count_call entry
    lock incq forwarded_calls+8*\entry(%rip)
    .endm

    .macro resolve_call entry
    pushq $\entry
    .cfi_adjust_cfa_offset 8
    jmp resolve_common
    .endm

    /* rsp is a multiple of 16 here: the return address and the number were pushed. */
    .macro resolve_body
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
    call host_blas_resolve
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
    jmp *%r11
    .endm

#elif defined __aarch64__

    .macro count_call entry
    adrp x16, forwarded_calls+8*\entry
    add x16, x16, :lo12:forwarded_calls+8*\entry
1:  ldxr x17, [x16]
    add x17, x17, #1
    stxr w15, x17, [x16]
    cbnz w15, 1b
    .endm

    .macro resolve_call entry
    mov w16, #\entry
    b resolve_common
    .endm

    .macro resolve_body
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
    bl host_blas_resolve
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
    resolve_body
    end_function resolve_common

    .macro begin_thunk name
    .globl \name
    .hidden \name
    begin_function \name
    .endm

    .macro thunks name
    begin_thunk count_\name
    count_call routine
    jump_through host_functions, routine
    end_function count_\name
    begin_thunk resolve_\name
    resolve_call routine
    end_function resolve_\name
    .set routine, routine + 1
    .endm

    .set routine, 0
#define FORWARDED(name) thunks name ;
#define OFFLOADED(name, gate) thunks name ;
#include "interpose/routines.def"
