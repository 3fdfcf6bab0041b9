/* log.h - one-line messages on standard error.
 *
 * A line is "mublas: TEXT\n", written by a single write(2) so that threads and
 * ranks do not mix within a line. Levels follow MUBLAS_VERBOSE: 0 errors that
 * the user must see (bad settings, a lost result), 1 also warnings (device
 * given up, tracker unavailable; the default), 2 also one line per decision
 * that changes state (device woken, mirror made), 3 also every call.
 * Nothing is written once descriptor 2 is not the file that it was when the library was loaded: it
 * may be the program's own by then. Keeps errno. Callable from any thread; not from a signal handler. */
#ifndef MUBLAS_LOG_H
#define MUBLAS_LOG_H

#include <stdarg.h>
#include <stdbool.h>

enum log_level { LOG_ERROR = 0, LOG_WARNING = 1, LOG_INFO = 2, LOG_DEBUG = 3 };

void log_message(enum log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same whatever the level: for complaints about settings, by which the level is not known yet. */
void log_complaint(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_line(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

/* Descriptor 2 is still the file that it was at the start. Keeps errno. */
bool log_has_standard_error(void);

/* What descriptor 2 is now counts as the start from now on. The library's constructor does that; tests do
 * it again. */
void log_note_standard_error(void);

/* True when a message of this level would be written: ask before costly formatting. */
bool log_wanted(enum log_level level);

#endif
