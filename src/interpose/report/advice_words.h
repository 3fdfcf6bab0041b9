/* advice_words.h - the phrases of advice.c. */
#ifndef MUBLAS_ADVICE_WORDS_H
#define MUBLAS_ADVICE_WORDS_H

#include "interpose/report/advice.h"

/* What follows "because" of a routine's calls for this reason, and a remedy: static storage. The remedy may
 * be "". */
const char *advice_because(const struct advice_facts *facts, enum host_reason reason, bool is_lapack);
const char *advice_remedy(const struct advice_facts *facts, enum host_reason reason, bool is_lapack);

/* What to do about writes that cannot be tracked. */
const char *advice_tracking_remedy(const char *fault);

#endif
