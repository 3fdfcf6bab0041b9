/* tune_refit.h - mublas tune --refit=RECIPE: rules and choosers once more from RECIPE.csv, the
 * times that lie beside it; no device is needed. */
#ifndef MUBLAS_TUNE_REFIT_H
#define MUBLAS_TUNE_REFIT_H

#include "command/tune_options.h"

/* Writes options->output and prints a table. The exit status. */
int tune_refit(const struct tune_options *options);

#endif
