/* general_registers.h - functions that leave the vector registers alone, in which a call's arguments lie.
 *
 * Who calls such a function in the middle of another's call need not save them, which takes longer than all it
 * does. GENERAL_REGISTERS_ONLY stands before each of them and of what they call; where the compiler has nothing of
 * the kind, or a sanitizer adds calls of its own, HAS_GENERAL_REGISTERS_ONLY is 0 and none may be relied on. */
#ifndef MUBLAS_GENERAL_REGISTERS_H
#define MUBLAS_GENERAL_REGISTERS_H

#if defined __x86_64__ && defined __GNUC__ && !defined __clang__ && __GNUC__ >= 11 && \
    !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#define HAS_GENERAL_REGISTERS_ONLY 1
#define GENERAL_REGISTERS_ONLY __attribute__((target("general-regs-only")))
#else
#define HAS_GENERAL_REGISTERS_ONLY 0
#define GENERAL_REGISTERS_ONLY
#endif

#endif
