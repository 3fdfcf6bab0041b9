/* learned_merge.h - what of new times counts, and what of earlier ones stays beside them. Pure functions but
 * for their first argument. */
#ifndef MUBLAS_LEARNED_MERGE_H
#define MUBLAS_LEARNED_MERGE_H

#include "command/tune/call_timer.h"
#include "tuner/online/learned_times.h"

/* Of how many classes there are times on the device. */
int learned_merge_device_curves(const struct learned_times *times);

/* Times of routines of which calls stayed on the host say nothing of the device. */
void learned_merge_forget_stayed(struct learned_times *times, const struct call_timer_end *end);

/* From one sample of a side nothing can be told of other sizes. */
void learned_merge_forget_single(struct learned_times *times);

/* From a crossover section, which may be wrong, in which case nothing stays: classes of routines that are not
 * listed (routine_is_listed; NULL: all are), and those for which there was no time now, unless their calls
 * stayed; the host's if they are of the same BLAS and threads; and of what belongs to no class that which is
 * not known now. */
void learned_merge_keep_others(struct learned_times *times, const char *text, const char *routines,
                              const struct call_timer_end *end);

/* Does a routine that is listed go by the classes of this family and type? */
bool learned_merge_is_wanted(enum blas_family family, enum blas_type type, const char *routines);

#endif
