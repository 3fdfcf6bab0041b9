/* memory_reach.h - may a thread of mublas' own touch a piece of the program's memory now?
 *
 * On the calling thread the program's handler of SIGSEGV or SIGBUS opens or fills what is touched, as it would on
 * the host. On a thread that the program does not know of it has no business. So memory is touched there only
 * if that raises no signal: each page is in the page tables of a mapping that allows the access, or comes
 * there when the kernel is told to fill it (MADV_POPULATE_READ and its like), which fails where the access
 * would: in mappings without that access, guard regions that no map shows, files that are shorter than their
 * mapping, pages that a userfaultfd answers with SIGBUS. Linux before 5.14 cannot be told, and none may.
 *
 * A program may forbid the access after the question: its handler sees that, on whatever thread. So the question
 * is asked for a megabyte at a time, just before. */
#ifndef MUBLAS_MEMORY_REACH_H
#define MUBLAS_MEMORY_REACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `rows` rows, `pitch` bytes apart, perhaps backwards. Row r has the bytes [low + r * low_step,
 * high + r * high_step), counted from its first, as far as they are within [begin, end). */
struct memory_rows {
    uintptr_t first;
    ptrdiff_t pitch;
    size_t rows, begin, end;
    size_t low, low_step, high, high_step;
};

/* Every byte, to be read or written. Nothing is written; pages that are not there yet come into being, as when
 * they are touched. 2 us for a megabyte that is there. Any thread, no lock, no allocation; errno may change. */
bool memory_reach_allows(const struct memory_rows *rows, bool writes);

#endif
