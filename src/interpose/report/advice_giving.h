/* advice_giving.h - the parts of advice.c: what is said, and of which routines. */
#ifndef MUBLAS_ADVICE_GIVING_H
#define MUBLAS_ADVICE_GIVING_H

#include "interpose/report/advice.h"

struct advice_giving {
    const struct advice_facts *facts;
    advice_take *take;
    void *context;
    int *said; /* sentences */
};

void advice_say(const struct advice_giving *giving, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

enum advice_kind { ADVICE_KIND_BLAS, ADVICE_KIND_LAPACK, ADVICE_KIND_ANY };

/* Over all routines of a kind, each second once. */
double advice_seconds_for(const struct advice_facts *facts, enum host_reason reason, enum advice_kind kind);
uint64_t advice_calls_for(const struct advice_facts *facts, enum host_reason reason, enum advice_kind kind);

/* One sentence for all routines of a kind, where calls have this reason. */
void advice_say_together(const struct advice_giving *giving, enum host_reason reason, enum advice_kind kind);

/* A sentence for each routine and reason that is not told together, the costliest first. */
void advice_say_routines(const struct advice_giving *giving);

/* Why parallel routines were not served. */
void advice_say_parallel(const struct advice_giving *giving);

#endif
