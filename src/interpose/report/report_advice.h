/* report_advice.h - the facts that advice.h makes its sentences of, from this process. */
#ifndef MUBLAS_REPORT_ADVICE_H
#define MUBLAS_REPORT_ADVICE_H

#include "interpose/report/advice.h"
#include "interpose/report/report_data.h"

void report_advice_give(const struct report *report, advice_take *take, void *context);

#endif
