/* log.h - one-line messages on standard error.
 *
 * A line is "mublas: TEXT\n", written by a single write(2) so that threads and
 * ranks do not mix within a line. Levels follow MUBLAS_VERBOSE: 0 errors that
 * the user must see (bad settings, a lost result), 1 also warnings (device
 * given up, tracker unavailable; the default), 2 also one line per decision
 * that changes state (device woken, mirror made), 3 also every call.
 * Keeps errno. Callable from any thread; not from a signal handler. */
#ifndef MUBLAS_LOG_H
#define MUBLAS_LOG_H

#include <stdbool.h>

enum log_level { LOG_ERROR = 0, LOG_WARNING = 1, LOG_INFO = 2, LOG_DEBUG = 3 };

void log_message(enum log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* True when a message of this level would be written: ask before costly formatting. */
bool log_wanted(enum log_level level);

#endif
