/* split_move.h - mremap of memory that our registration has kept from being one mapping.
 *
 * What a program maps beside a mirror, or gives access to, does not merge with it, nor does it ever after. So
 * what would be one mapping without us is several, which mremap refuses to grow or to move (EFAULT; from
 * Linux 6.17 on half of them may have moved then). Here each goes for itself, and the tracker notices as it
 * does when one is moved. */
#ifndef MUBLAS_SPLIT_MOVE_H
#define MUBLAS_SPLIT_MOVE_H

#include <stdbool.h>
#include <stddef.h>

/* Would this mremap grow or move several adjoining mappings, all of the kind that mirrors cover? Needs
 * Linux 6.11. No lock, no allocation, errno stays. */
bool split_move_is_due(void *old, size_t old_bytes, size_t new_bytes, int flags, void *new_address);

/* Do what mremap would with one mapping: it has moved whole, or MAP_FAILED, errno says why, and it is
 * where it was. As with mremap nobody else may use the memory meanwhile. */
void *split_move(void *old, size_t old_bytes, size_t new_bytes, int flags, void *new_address);

#endif
