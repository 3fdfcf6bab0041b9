/* log.h - the one status type of mublas, one-line messages on standard error, and the progress of a long
 * call. */
#ifndef MUBLAS_LOG_H
#define MUBLAS_LOG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

/* The one status type of mublas.
 *
 * The function that first detects an error logs it, with the name of the thing that failed; its callers
 * only unwind. So a status carries no text. */
enum status {
    STATUS_OK = 0,
    STATUS_NO_DEVICE,     /* no driver, no device, or the device was given up: use the host */
    STATUS_OUT_OF_MEMORY, /* no device or pinned memory is left: the call runs on the host */
    STATUS_UNSUPPORTED,   /* this call cannot be done on the device (no kernel, no cuBLAS, size) */
    STATUS_BUSY,          /* waiting for other threads' calls would take longer than the host does */
    STATUS_NOT_TRACKABLE, /* host memory whose writes cannot be followed: copy it statelessly */
    STATUS_INACCESSIBLE,  /* the program has protected an operand's memory: its handler must see the host's
                             access */
    STATUS_VALUES,        /* a LAPACK routine's matrix is not finite, or needs scaling */
    STATUS_UNSUCCESSFUL,  /* a LAPACK routine ended with INFO > 0 or results that are not finite: the host
                             decides */
    STATUS_DEVICE_ERROR,  /* a driver call failed; the device may still work */
    STATUS_DEVICE_LOST,   /* fatal device error: mublas does not use the device again */
    STATUS_RESULT_LOST    /* copy-back failed half way and could not be repeated (invariant 3) */
};

/* A short English phrase for `status`, never NULL. Static storage. */
const char *status_text(enum status status);

/* A line is "mublas: TEXT\n", written by a single write(2) so that threads and ranks do not mix within a
 * line. Levels follow MUBLAS_VERBOSE: 0 errors that the user must see (bad settings, a lost result), 1 also
 * warnings (device given up, tracker unavailable; the default), 2 also one line per decision that changes
 * state (device woken, mirror made), 3 also every call. Nothing is written once descriptor 2 is not the
 * file that it was when the library was loaded: it may be the program's own by then. Messages keep errno.
 * Any thread may log, but no signal handler. */
enum log_level { LOG_ERROR = 0, LOG_WARNING = 1, LOG_INFO = 2, LOG_DEBUG = 3 };

void log_message(enum log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same whatever the level: for complaints about settings, by which the level is not known yet. */
void log_complaint(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_line(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

/* Descriptor 2 is still the file that it was at the start. Keeps errno. */
bool log_has_standard_error(void);

/* The present file of descriptor 2 counts as that of the start from now on. The library's
 * constructor does that; tests do it again. */
void log_note_standard_error(void);

/* True when a message of this level would be written: ask before costly formatting. */
bool log_wanted(enum log_level level);

/* Progress is told where the user asks for it (MUBLAS_PROGRESS, or MUBLAS_VERBOSE from 2 on): once a call
 * has run on the device for two seconds, its name, its order and the expected seconds; then, on a terminal
 * alone, a line that is renewed. The thread that makes the call tells it between its waits. Errors of
 * writing are ignored. Each function costs a load and a branch where nobody asks. */
bool progress_is_wanted(void);

/* This thread's call begins, and ends; calls inside are part of it. `name`, a symbol's, lives as long;
 * `expected` is in seconds for all of the call. */
void progress_begin(const char *name, int64_t order, double expected);
void progress_end(void);
void progress_leave(void); /* by a jump, which a handler makes: says nothing */

/* While it waits, as often as it likes. Outside a call: nothing. */
void progress_tell(void);

#endif
