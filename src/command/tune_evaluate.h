/* tune_evaluate.h - `mublas tune --evaluate`: how good are the shapes that a recipe chooses?
 *
 * At sizes drawn at random (always the same ones), for each class wanted, all shapes of the exhaustive space
 * race (shape_race.h); the few fastest and the recipe's choice are timed better; and then the fastest of
 * these, the choice and the built-in shape afresh, in turns. Efficiency is the fastest's time over the
 * choice's, no more than 1. */
#ifndef MUBLAS_TUNE_EVALUATE_H
#define MUBLAS_TUNE_EVALUATE_H

#include "command/tune_options.h"
#include "command/tune_session.h"

/* Closes the session. The exit status; prints a table, and lines of every size to FILE.evaluation.csv. */
int tune_evaluate(struct tune_session *session, const struct tune_options *options);

#endif
