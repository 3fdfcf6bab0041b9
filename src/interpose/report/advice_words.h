/* advice_words.h - the phrases of advice.c. */
#ifndef MUBLAS_ADVICE_WORDS_H
#define MUBLAS_ADVICE_WORDS_H

#include "interpose/report/advice.h"

/* What follows "because" of a routine's calls for this reason, and a remedy: static storage. The remedy may
 * be "". */
const char *advice_because(const struct advice_facts *facts, enum host_reason reason, bool is_lapack);
const char *advice_remedy(const struct advice_facts *facts, enum host_reason reason, bool is_lapack);

/* What to do about a device that cannot be used; `fault` may be NULL. */
const char *advice_device_remedy(const char *fault);

/* What to do about writes that cannot be tracked. */
const char *advice_tracking_remedy(const char *fault);

/* Behind a list of routines of which some make calls that are in the list themselves. */
extern const char advice_without_inside[];

/* Of processes that a program started. */
extern const char advice_silent_children[];

/* "900", "900 x 20", "900 x 20 x 7" */
void advice_print_size(char *text, size_t room, const struct advice_routine *routine);
/* "6.1 s on the host in 12 calls (2.3 s of that in calls that it makes)" */
void advice_print_spent(char *text, size_t room, const struct advice_routine *routine, int reason);

#endif
