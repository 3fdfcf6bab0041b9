/* registration.h - the tracker's registration of a mirror's memory, which the program can have back.
 *
 * A program that registers the same memory with a userfaultfd of its own is refused while ours holds it. Ours
 * is given up then, without the mirror's lock, which a call may hold for long: the next use finds the
 * registration gone, as with memory that was unmapped, and drops the mirror. What was given up is never
 * unregistered again: it may be the program's by then, and older kernels would take it from any owner. */
#ifndef MUBLAS_REGISTRATION_H
#define MUBLAS_REGISTRATION_H

#include "common/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct mirror;

enum registration_state { REGISTRATION_NONE, REGISTRATION_OURS, REGISTRATION_GIVEN_UP };

/* Register a part, or all. STATUS_NOT_TRACKABLE: refused, or given up. */
enum status registration_add(struct mirror *mirror, uintptr_t begin, uintptr_t end);

/* Unregister a part for a moment, and all for good: unless it was given up. */
void registration_pause(struct mirror *mirror, uintptr_t begin, uintptr_t end);
void registration_end(struct mirror *mirror);

/* Others' registration is no proof of anything. */
bool registration_is_given_up(const struct mirror *mirror);

/* `mirror`, which is in no table yet, has taken over what others had registered. Before it stands in the
 * place of `old`, and under the table's lock: one of them may have been given up just now. */
void registration_take_over(struct mirror *mirror);
void registration_inherit(struct mirror *mirror, const struct mirror *old);

/* Give it up. False: it is not ours. Any thread; it allocates nothing. */
bool registration_give_up(struct mirror *mirror);

#endif
