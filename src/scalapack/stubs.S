/* The exported symbols of parallel routines and of the BLACS. A routine's stub saves every argument register,
 * asks parallel_enter, by number, return address and frame, where to go, and jumps there with the call as it
 * came, or returns. The BLACS' go to contexts.c. In the shim all are found by reference only, as rare
 * names are in forward.S. */
#include "host/assembly.inc"

    .text
    .hidden parallel_enter

    .macro found_by_reference name
#ifndef WHOLE_LIBRARY
    .symver \name, \name@MUBLAS_BY_REFERENCE, remove
#endif
    .endm

    .p2align 4
    .type parallel_common, %function
parallel_common:
    .cfi_startproc
    jump_as_told parallel_enter, parallel_done
    end_function parallel_common

    .p2align 4
    .type parallel_done, %function
parallel_done:
    .cfi_startproc
    return_from_told
    end_function parallel_done

    .macro parallel_stub name
    .globl \name
    begin_function \name
    pass_number number, parallel_common
    end_function \name
    .set number, number + 1
    found_by_reference \name
    .endm

    .macro jump_to target
#if defined __x86_64__
    jmp \target
#else
    b \target
#endif
    .endm

    .macro blacs_stub name
    .hidden parallel_\name
    .globl \name
    begin_function \name
    jump_to parallel_\name
    end_function \name
    found_by_reference \name
    .endm

    .set number, 0
#define PARALLEL_SYMBOL(name, ...) parallel_stub name##_ ;
#include "scalapack/routines.def"

    blacs_stub blacs_gridinit_
    blacs_stub Cblacs_gridinit
    blacs_stub blacs_gridmap_
    blacs_stub Cblacs_gridmap
    blacs_stub blacs_gridexit_
    blacs_stub Cblacs_gridexit
    blacs_stub blacs_exit_
    blacs_stub Cblacs_exit
