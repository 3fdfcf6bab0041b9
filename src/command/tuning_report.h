/* tuning_report.h - says from where on calls gain on the device: `mublas report --tuning` by a recipe, and
 * `mublas info --crossovers` for LAPACK's routines by the model in force. */
#ifndef MUBLAS_TUNING_REPORT_H
#define MUBLAS_TUNING_REPORT_H

#include "tuner/online/crossover.h"

#include <stdio.h>

/* `mublas report --tuning FILE [--output FOLDER]`: print what `mublas tune` learned of calls, as a table on
 * standard output and as curves, crossovers.csv, in FOLDER (default: RECIPE-report), which is made; and how
 * to draw these and the times of launch shapes. FILE is a recipe, or its name with .csv behind it.
 * `arguments` are those after "report", ended by NULL. Exit status: 0; 1 for a file that cannot be read or
 * written, 2 for a bad command line, after one line that says what. */
int tuning_report(char **arguments);

/* Prints a row for each kind of routine, by the model and MUBLAS_OFFLOAD: the least order of a square matrix,
 * with all vectors or as many right-hand sides, from which a call pays, and where that is from. Prints, too,
 * from which orders on mublas' own eigensolver takes two stages, and up to which a cluster. */
void route_orders_print(FILE *stream, const struct machine_model *model);

#endif
