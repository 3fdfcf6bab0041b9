/* The exported BLAS symbols (routines.def). A forwarded one jumps to the host
 * through forward_slots. An offloaded one compares its size with offload_floors
 * as unsigned 64-bit: below, it jumps to the host as well; otherwise to the C
 * entry. Sizes are 32-bit and sign-extended, so a negative one looks huge and
 * comes to the entry, whose argument check hands it to the host. */
#include "interpose/assembly.inc"

    .text
    .hidden forward_slots
    .hidden offload_floors

#if defined __x86_64__

    .macro load_size position, into
    .if \position == 1
    movslq (%rdi), \into
    .elseif \position == 2
    movslq (%rsi), \into
    .elseif \position == 3
    movslq (%rdx), \into
    .elseif \position == 4
    movslq (%rcx), \into
    .elseif \position == 5
    movslq (%r8), \into
    .elseif \position == 6
    movslq (%r9), \into
    .else
    .error "a gate's size must be among the first six arguments"
    .endif
    .endm

    .macro size_gate position
    load_size \position, %r11
    .endm

    .macro product_gate first, second
    load_size \first, %r11
    load_size \second, %r10
    imulq %r10, %r11
    .endm

    .macro enter_unless_below_floor name, entry
    cmpq offload_floors+8*\entry(%rip), %r11
    jae entry_\name
    .endm

#elif defined __aarch64__

    .macro load_size position, into
    .if \position < 1 || \position > 6
    .error "a gate's size must be among the first six arguments"
    .elseif \position == 1
    ldrsw \into, [x0]
    .elseif \position == 2
    ldrsw \into, [x1]
    .elseif \position == 3
    ldrsw \into, [x2]
    .elseif \position == 4
    ldrsw \into, [x3]
    .elseif \position == 5
    ldrsw \into, [x4]
    .else
    ldrsw \into, [x5]
    .endif
    .endm

    .macro size_gate position
    load_size \position, x17
    .endm

    .macro product_gate first, second
    load_size \first, x17
    load_size \second, x16
    mul x17, x17, x16
    .endm

    .macro enter_unless_below_floor name, entry
    load_entry x16, offload_floors, \entry
    cmp x17, x16
    b.lo 1f
    b entry_\name
1:
    .endm

#endif

    .macro begin_routine name
    .globl \name\()_
    begin_function \name\()_
    .endm

    .macro end_routine name
    jump_through forward_slots, routine
    end_function \name\()_
    .set routine, routine + 1
    .endm

    .macro begin_offloaded name
    .hidden entry_\name
    begin_routine \name
    .endm

    .macro end_offloaded name
    enter_unless_below_floor \name, routine
    end_routine \name
    .endm

    .set routine, 0
#define SIZE(position) size_gate position
#define PRODUCT(first, second) product_gate first, second
#define FORWARDED(name) begin_routine name ; end_routine name ;
#define OFFLOADED(name, gate) begin_offloaded name ; gate ; end_offloaded name ;
#include "interpose/routines.def"
