/* The exported BLAS symbols (symbols.def). A forwarded one jumps to the host through
 * forward_slots. An offloaded one compares its size with offload_floors as unsigned
 * 64-bit: below, it jumps to the host as well; otherwise to the C entry of its integer
 * width, through entry_slots where that has to be detected. The gate reads a size's low 32
 * bits and sign-extends them, whatever its width: a negative one looks huge and comes
 * to the entry, whose argument check hands it to the host. A routine of LAPACK at or above its floor goes
 * to lapack_common (thunks.S) with its number, for all widths and signatures alike.
 *
 * In the shim, names that the host may well lack are found by reference only: they
 * carry a version and are not its default, which the loader lets an unversioned
 * reference bind to (it is the first version there is) and does not show to dlsym. So a
 * program that probes for dgemm_64_ sees its own libraries only. In libmublas.so, which
 * the linker must find them in (WHOLE_LIBRARY), all names are plain. */
#include "host/assembly.inc"

    .text
    .hidden forward_slots
    .hidden offload_floors
    .hidden entry_slots
    .hidden lapack_common

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

    .macro load_value position, into
    .if \position == 1
    movslq %edi, \into
    .elseif \position == 2
    movslq %esi, \into
    .elseif \position == 3
    movslq %edx, \into
    .elseif \position == 4
    movslq %ecx, \into
    .elseif \position == 5
    movslq %r8d, \into
    .elseif \position == 6
    movslq %r9d, \into
    .elseif \position == 7
    movslq 8(%rsp), \into /* behind the return address */
    .else
    .error "a gate's value must be among the first seven arguments"
    .endif
    .endm

    .macro size_gate load, position
    \load \position, %r11
    .endm

    .macro product_gate load, first, second
    \load \first, %r11
    \load \second, %r10
    imulq %r10, %r11
    .endm

    .macro cube_gate load, first, second, third
    product_gate \load, \first, \second
    \load \third, %r10
    imulq %r10, %r11
    .endm

    .macro jump_unless_below_floor number, target
    cmpq offload_floors+8*\number(%rip), %r11
    jae \target
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

    .macro load_value position, into
    .if \position < 1 || \position > 7
    .error "a gate's value must be among the first seven arguments"
    .elseif \position == 1
    sxtw \into, w0
    .elseif \position == 2
    sxtw \into, w1
    .elseif \position == 3
    sxtw \into, w2
    .elseif \position == 4
    sxtw \into, w3
    .elseif \position == 5
    sxtw \into, w4
    .elseif \position == 6
    sxtw \into, w5
    .else
    sxtw \into, w6
    .endif
    .endm

    .macro size_gate load, position
    \load \position, x17
    .endm

    .macro product_gate load, first, second
    \load \first, x17
    \load \second, x16
    mul x17, x17, x16
    .endm

    .macro cube_gate load, first, second, third
    product_gate \load, \first, \second
    \load \third, x16
    mul x17, x17, x16
    .endm

    .macro jump_unless_below_floor number, target
    load_entry x16, offload_floors, \number
    cmp x17, x16
    b.lo 1f
    b \target
1:
    .endm

#endif

    .macro begin_symbol name
    .globl \name
    begin_function \name
    .endm

    .macro end_symbol name
    end_function \name
    .set number, number + 1
    .endm

    .macro forwarded name
    begin_symbol \name
    jump_through forward_slots, number
    end_symbol \name
    .endm

    /* Past its gate: to the entry of the one width. */
    .macro end_offloaded name, entry
    .hidden \entry
    jump_unless_below_floor number, \entry
    jump_through forward_slots, number
    end_symbol \name
    .endm

    /* To the entry of the host's width. */
    .macro end_detected name
    jump_unless_below_floor number, 2f
    jump_through forward_slots, number
2:  jump_through entry_slots, slot
    end_symbol \name
    .set slot, slot + 1
    .endm

    /* To the one entry of all routines of LAPACK. */
    .macro route name, order
    begin_symbol \name
    size_gate load_size, \order
    jump_unless_below_floor number, 2f
    jump_through forward_slots, number
2:  pass_number number, lapack_common
    end_symbol \name
    .endm

    /* For liblapack.so.3 (lapack_passing.S), by whatever name this library goes. */
    .macro passed_route name, interface
#ifdef WHOLE_LIBRARY
    .ifc \interface, LAPACK_NAME_
    .globl mublas_route_\name
    .set mublas_route_\name, \name
    .endif
#endif
    .endm

    .macro found_by_name name
    .endm

    .macro found_by_reference name
#ifndef WHOLE_LIBRARY
    .symver \name, \name@MUBLAS_BY_REFERENCE, remove
#endif
    .endm

    .set number, 0
    .set slot, 0
#define SIZE(position) size_gate load_size position
#define PRODUCT(first, second) product_gate load_size first second
#define CUBE(first, second, third) cube_gate load_size first second third
#define VALUE(position) size_gate load_value position
#define VALUE_PRODUCT(first, second) product_gate load_value first second
#define VALUE_CUBE(first, second, third) cube_gate load_value first second third
#define END_32(symbol) end_offloaded symbol entry32_##symbol
#define END_64(symbol) end_offloaded symbol entry64_##symbol
#define END_DETECTED(symbol) end_detected symbol
#define FOUND_DETECTED found_by_name
#define FOUND_32 found_by_reference
#define FOUND_64 found_by_reference
#define FORWARDED_SYMBOL(symbol, interface, width) forwarded symbol ; FOUND_##width symbol ;
#define RARE_SYMBOL(symbol, interface, width) forwarded symbol ; found_by_reference symbol ;
#define OFFLOADED_SYMBOL(symbol, interface, width, name, gate) \
    begin_symbol symbol ; gate ; END_##width(symbol) ; FOUND_##width symbol ;
#define ROUTE_SYMBOL(symbol, interface, width, order, words) \
    route symbol, order ; found_by_reference symbol ; passed_route symbol, interface ;
#include "host/symbols.def"

#ifdef WIDE_LIBRARY /* what sets libblas64.so.3 apart from libblas.so.3 (host_search.h) */
    .data
    .globl host_search_wide
    .hidden host_search_wide
    .type host_search_wide, %object
    .size host_search_wide, 1
host_search_wide:
    .byte 1

    .section .rodata
    .globl mublas_takes_64_bits_by_plain_names /* HOST_LIBRARY_WIDE_MARKER */
    .type mublas_takes_64_bits_by_plain_names, %object
    .size mublas_takes_64_bits_by_plain_names, 1
mublas_takes_64_bits_by_plain_names:
    .byte 1
#endif
