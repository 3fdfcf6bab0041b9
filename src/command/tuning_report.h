/* tuning_report.h - `mublas report --tuning FILE [--peer FILE] [--output FOLDER]`. */
#ifndef MUBLAS_TUNING_REPORT_H
#define MUBLAS_TUNING_REPORT_H

/* Plots (SVG) and a summary of what `mublas tune` measured. FILE is a recipe or the data file
 * beside it, RECIPE.csv; the other is used too where it is there. The summary goes to
 * standard output and, with the plots, into FOLDER (default: RECIPE-report), which is made.
 * Classes that were tuned get cuBLAS's curve from the peer file, a table of the same device by
 * bench/kernels/measure.
 * `arguments` are those after "report", ended by NULL. Exit status: 0; 1 for a file that
 * cannot be read or written, 2 for a bad command line, after one line that says what. */
int tuning_report(char **arguments);

#endif
