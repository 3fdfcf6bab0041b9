/* tuning_report.h - `mublas report --tuning FILE [--output FOLDER]`. */
#ifndef MUBLAS_TUNING_REPORT_H
#define MUBLAS_TUNING_REPORT_H

/* What `mublas tune` learned of calls, as a table on standard output and as curves, crossovers.csv, in
 * FOLDER (default: RECIPE-report), which is made; and how to draw these and the times of launch shapes. FILE
 * is a recipe, or its name with .csv behind it. `arguments` are those after "report", ended by NULL. Exit
 * status: 0; 1 for a file that cannot be read or written, 2 for a bad command line, after one line that says
 * what. */
int tuning_report(char **arguments);

#endif
