/* tune_evaluate.h - `mublas tune --evaluate`: how good are the shapes that a recipe chooses?
 *
 * At sizes drawn at random (always the same ones), for each class wanted, all shapes of the exhaustive space
 * race (shape_timer.h); then the few fastest, the recipe's choice and the built-in shape are timed afresh,
 * in turns, all as often. Efficiency is the least of their medians over the choice's, no more than 1. */
#ifndef MUBLAS_TUNE_EVALUATE_H
#define MUBLAS_TUNE_EVALUATE_H

#include "command/tune/tune_options.h"
#include "command/tune/tune_session.h"

/* Closes the session. The exit status; prints a table. */
int tune_evaluate(struct tune_session *session, const struct tune_options *options);

#endif
