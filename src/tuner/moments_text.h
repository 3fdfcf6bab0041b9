/* moments_text.h - the times of samples (sample_moments.h) as text, so that a run that was interrupted can go
 * on with them: for each sample a line, then one for each of its times.
 *
 *   sample host dsymv 3.1e5 312000 0 7
 *   29.125 3 0
 *
 * Side, class, amount, the amount that was asked for, whether its times are a scout's, how often it was timed;
 * microseconds, set of flags, columns of a narrow share. Pure. */
#ifndef MUBLAS_MOMENTS_TEXT_H
#define MUBLAS_MOMENTS_TEXT_H

#include "tuner/line_reader.h"
#include "tuner/sample_moments.h"

#include <stdio.h>

void moments_text_write(FILE *stream, const struct moments_table *table);

/* Lines up to the end of the text, into a table that is all zero. False: the reader has the fault. */
bool moments_text_read(struct line_reader *reader, struct moments_table *table);

/* How many times there are. */
int moments_text_times(const struct moments_table *table);

#endif
