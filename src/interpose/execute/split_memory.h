/* split_memory.h - host memory for what a call over several devices brings home and adds up. It stays for the
 * next call, or is a call's own where another thread has it or where it is large: the first touch of fresh
 * memory would take as long as adding up. Any thread may call. */
#ifndef MUBLAS_SPLIT_MEMORY_H
#define MUBLAS_SPLIT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

struct split_memory {
    unsigned char *bytes; /* NULL: there was none */
    size_t used;
    bool is_kept;
};

/* Room for parts of `bytes` in all, each rounded up by split_memory_rounded. False: out of memory. */
bool split_memory_take(struct split_memory *memory, size_t bytes);
size_t split_memory_rounded(size_t bytes);

/* The next part of it, aligned for any type; what is in it is not known. */
void *split_memory_part(struct split_memory *memory, size_t bytes);

void split_memory_give_back(struct split_memory *memory);

#endif
