/* emulated_switch(void **save, void *to): save the callee-saved registers on this
 * stack, its pointer in *save, and go on where `to` was saved.
 * emulated_fiber_start: first code of a fiber; calls function(argument), both put
 * where the switch restores callee-saved registers (fiber.c), and never returns. */
    .text
    .globl emulated_switch
    .hidden emulated_switch
    .type emulated_switch, %function
    .globl emulated_fiber_start
    .hidden emulated_fiber_start
    .type emulated_fiber_start, %function

#if defined(__x86_64__)
emulated_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    popq %rcx
    jmp *%rcx /* a ret would always be predicted wrong */
    .size emulated_switch, .-emulated_switch

emulated_fiber_start:
    .cfi_startproc
    .cfi_undefined rip
    movq %r12, %rdi
    call *%r13
    ud2
    .cfi_endproc
    .size emulated_fiber_start, .-emulated_fiber_start

#elif defined(__aarch64__)
emulated_switch:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
    .size emulated_switch, .-emulated_switch

emulated_fiber_start:
    .cfi_startproc
    .cfi_undefined x30
    mov x0, x19
    blr x20
    brk #1
    .cfi_endproc
    .size emulated_fiber_start, .-emulated_fiber_start
#else
#error "fibers are written for x86-64 and aarch64"
#endif
    .section .note.GNU-stack, "", %progbits
