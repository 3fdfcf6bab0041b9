/* tune_evaluate.h - `mublas tune --evaluate`: how good are the shapes that a recipe chooses?
 *
 * At sizes drawn at random, for each class wanted, the recipe's choice, the built-in one and
 * every shape of the exhaustive space are timed; then the choice and the few fastest anew,
 * side by side. Efficiency is the fastest's time over the choice's. */
#ifndef MUBLAS_TUNE_EVALUATE_H
#define MUBLAS_TUNE_EVALUATE_H

#include "command/tune_options.h"
#include "command/tune_session.h"

/* Closes the session. The exit status; prints a table, and lines of every size to FILE.evaluation.csv. */
int tune_evaluate(struct tune_session *session, const struct tune_options *options,
                  const volatile bool *stopped);

#endif
