/* pinned.h - memory that the program pins itself, as programs with CUDA of their own do. */
#ifndef MUBLAS_BENCH_PINNED_H
#define MUBLAS_BENCH_PINNED_H

#include <stddef.h>

/* EXTRA of programs that can pin their matrices: by default they do not. */
enum { ORDINARY = 1 };

/* For all devices, until the process ends; ends it with a line where that fails. One thread. */
void pin(void *memory, size_t bytes);

#endif
