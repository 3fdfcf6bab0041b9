/* report_watch.h - says that a report is of an earlier run, where the program ended without writing one. */
#ifndef MUBLAS_REPORT_WATCH_H
#define MUBLAS_REPORT_WATCH_H

/* Where MUBLAS_REPORT's file is there: once this process, which by then is `program`, has ended, a line on
 * standard error says so if the file is still the same. A process without a parent waits for that, so the
 * program's children are its own. Not for the first process of a container, whose end is everybody's. */
void report_watch_begin(const char *program);

#endif
