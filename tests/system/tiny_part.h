/* tiny_part.h - of how many calls callgrind counts the instructions: of those in the function that
 * is COUNTED_PART counted_part (instructions.sh says --toggle-collect=counted_part). The first
 * calls, of eleven one, are not counted: they find the host BLAS; of fewer than eleven none is. */
#ifndef MUBLAS_TESTS_TINY_PART_H
#define MUBLAS_TESTS_TINY_PART_H

/* With COUNTED_PART_ENDS as its last statement, lest a jump to the function that it calls leave it. */
#define COUNTED_PART static __attribute__((noinline, noclone)) void
#define COUNTED_PART_ENDS __asm__ volatile("")

static inline long not_counted(long calls)
{
    return calls < 11 ? calls : calls / 11;
}

#endif
