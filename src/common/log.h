/* log.h - one-line messages on standard error.
 *
 * A line is "mublas: TEXT\n", written by a single write(2) so that threads and ranks do not mix within a
 * line. Levels follow MUBLAS_VERBOSE: 0 errors that the user must see (bad settings, a lost result), 1 also
 * warnings (device given up, tracker unavailable; the default), 2 also one line per decision that changes
 * state (device woken, mirror made), 3 also every call. Writes nothing once descriptor 2 is another file than
 * when the library was loaded: it may be the program's own. Keeps errno. For any thread; not for signal
 * handlers. */
#ifndef MUBLAS_LOG_H
#define MUBLAS_LOG_H

#include <stdbool.h>

enum log_level { LOG_ERROR = 0, LOG_WARNING = 1, LOG_INFO = 2, LOG_DEBUG = 3 };

void log_message(enum log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes at any level: for complaints about settings, which come before the level is known. */
void log_complaint(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* True when descriptor 2 is still the file that it was at the start. Keeps errno. */
bool log_has_standard_error(void);

/* Takes the present descriptor 2 as that of the start. The library's constructor does this; tests do it
 * again. */
void log_note_standard_error(void);

/* True when a message of this level is written: ask before costly formatting. */
bool log_wanted(enum log_level level);

#endif
