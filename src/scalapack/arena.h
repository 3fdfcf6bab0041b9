/* arena.h - memory that the processes of a grid share: whole matrices, and words to wait by.
 *
 * One process, the owner, makes it (a sealed memfd, no name in any file system) and hands it to the others
 * over their sockets (membership.h). Its pages lie on all memory nodes in turn and are made present by all
 * processes at once; the owner's device pins it once. It is made, and given up, only between calls. */
#ifndef MUBLAS_SCALAPACK_ARENA_H
#define MUBLAS_SCALAPACK_ARENA_H

#include "mirror/operands.h"
#include "scalapack/rendezvous.h"

#include <stdbool.h>

struct arena {
    unsigned char *memory; /* begins with struct rendezvous */
    size_t bytes;
    int file; /* until all processes have mapped it; -1 */
    uint32_t nonce;
    bool is_pinned;
    struct own_pin pin;
    struct mirror_table *mirrors; /* that pinned it */
};

/* The owner makes room for `bytes`, if the limits of this process, of its control group and the machine's
 * memory allow it. False: logged once with what forbids it. */
bool arena_create(struct arena *arena, size_t bytes, uint32_t nonce);

/* The owner, one of the `count` processes, hands it to the others; it waits some seconds for them. */
bool arena_offer(const struct arena *arena, const pid_t *processes, int count);

/* Another process takes it from the owner of that local rank. False: anything about it is not as agreed. */
bool arena_receive(struct arena *arena, int owner_rank, pid_t owner, size_t bytes, uint32_t nonce);

/* Each, once all have mapped it, makes its share of the pages present, `part` of `parts`. The descriptor
 * goes: what stays open in a program that does not know of it may become the program's own. */
bool arena_populate(struct arena *arena, int part, int parts);

/* The owner, whose device is awake, pins it for copies by DMA. Without that they go through staging. */
void arena_pin(struct arena *arena);

void arena_drop(struct arena *arena);

#endif
