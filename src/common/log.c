#include "common/log.h"
#include "common/clock.h"
#include "common/interruption.h"
#include "common/settings.h"
#include "common/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *status_text(enum status status)
{
    switch (status) {
    case STATUS_OK: return "success";
    case STATUS_NO_DEVICE: return "no usable device";
    case STATUS_OUT_OF_MEMORY: return "out of device memory";
    case STATUS_UNSUPPORTED: return "not supported on the device";
    case STATUS_BUSY: return "busy with other threads' calls";
    case STATUS_NOT_TRACKABLE: return "host memory cannot be tracked";
    case STATUS_INACCESSIBLE: return "an operand cannot be accessed";
    case STATUS_VALUES: return "a matrix needs scaling or is not finite";
    case STATUS_UNSUCCESSFUL: return "not solved on the device";
    case STATUS_DEVICE_ERROR: return "device call failed";
    case STATUS_DEVICE_LOST: return "device lost";
    case STATUS_RESULT_LOST: return "result could not be copied back";
    }
    return "unknown status";
}

bool log_wanted(enum log_level level)
{
    return (long)level <= settings()->verbose;
}

void log_message(enum log_level level, const char *format, ...)
{
    va_list arguments;
    if (!log_wanted(level))
        return;
    va_start(arguments, format);
    log_line(format, arguments);
    va_end(arguments);
}

/* The file that was standard error when the library was loaded: the program may close it, and open files
 * of its own by the same descriptor. */
static struct stat at_start;
static bool was_open;

void log_note_standard_error(void)
{
    const int saved_errno = errno;
    was_open = fstat(STDERR_FILENO, &at_start) == 0;
    errno = saved_errno;
}

/* Another library's constructor may come before ours and have a call logged. */
__attribute__((constructor)) static void note_once(void)
{
    static struct once once = ONCE_INIT;
    once_run(&once, log_note_standard_error);
}

bool log_has_standard_error(void)
{
    const int saved_errno = errno;
    struct stat now;
    note_once();
    const bool same = was_open && fstat(STDERR_FILENO, &now) == 0 && now.st_dev == at_start.st_dev &&
                      now.st_ino == at_start.st_ino && now.st_rdev == at_start.st_rdev &&
                      (now.st_mode & S_IFMT) == (at_start.st_mode & S_IFMT);
    errno = saved_errno;
    return same;
}

void log_line(const char *format, va_list arguments)
{
    static const char prefix[] = "mublas: ";
    char line[1024];
    size_t used = sizeof prefix - 1;
    int saved_errno = errno;

    if (!log_has_standard_error())
        return;
    memcpy(line, prefix, used);
    const locale_t locale = plain_locale_begin();
    int length = vsnprintf(line + used, sizeof line - used - 1, format, arguments);
    plain_locale_end(locale);
    if (length > 0)
        used += (size_t)length < sizeof line - used - 1 ? (size_t)length : sizeof line - used - 2;
    line[used++] = '\n';
    ssize_t ignored = write(STDERR_FILENO, line, used);
    (void)ignored;
    errno = saved_errno;
}

void log_complaint(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    log_line(format, arguments);
    va_end(arguments);
}

static const uint64_t PATIENCE = UINT64_C(2000000000), STEP = UINT64_C(1000000000); /* nanoseconds */

struct progress {
    const char *name; /* NULL: no call is under way */
    int length;       /* of it, without Fortran's underscore */
    int64_t order;
    double expected;
    uint64_t started, next; /* when it is told next */
    bool has_line;          /* that is to be renewed */
};

static __thread struct progress progress __attribute__((tls_model("initial-exec")));

bool progress_is_wanted(void)
{
    return settings()->progress || log_wanted(LOG_INFO);
}

void progress_begin(const char *name, int64_t order, double expected)
{
    if (!progress_is_wanted())
        return;
    const int length = (int)strlen(name);
    progress = (struct progress){.name = name,
                                 .length = length > 0 && name[length - 1] == '_' ? length - 1 : length,
                                 .order = order, .expected = expected, .started = clock_nanoseconds()};
    progress.next = progress.started + PATIENCE;
}

static double seconds_since(uint64_t start)
{
    return 1e-9 * (double)(clock_nanoseconds() - start);
}

static void put_text(const char *text, int length)
{
    const ssize_t ignored = length > 0 ? write(STDERR_FILENO, text, (size_t)length) : 0;
    (void)ignored;
}

enum { WORDS = 24 };

static const char *expected_words(char words[WORDS])
{
    const bool is_long = progress.expected >= 100;
    snprintf(words, WORDS, is_long ? "%.0f s" : "%.3g s", progress.expected);
    return words;
}

static void tell_first(void)
{
    char text[160], words[WORDS];
    put_text(text,
             snprintf(text, sizeof text, "mublas: %.*s of order %lld is on the device, for about %s in all\n",
                      progress.length, progress.name, (long long)progress.order, expected_words(words)));
}

/* Over what the line was before. */
static void renew(const char *end)
{
    char text[160], words[WORDS];
    put_text(text, snprintf(text, sizeof text, "\rmublas: %.*s of order %lld: %.0f s of about %s%s",
                            progress.length, progress.name, (long long)progress.order,
                            seconds_since(progress.started), expected_words(words), end));
    progress.has_line = true;
}

void progress_tell(void)
{
    const int saved_errno = errno;
    if (!progress.name || clock_nanoseconds() < progress.next)
        return;
    const bool is_first = progress.next == progress.started + PATIENCE;
    progress.next += STEP;
    if (!log_has_standard_error())
        return;
    const locale_t locale = plain_locale_begin();
    if (is_first)
        tell_first();
    else if (isatty(STDERR_FILENO))
        renew(" ");
    plain_locale_end(locale);
    errno = saved_errno;
}

void progress_leave(void)
{
    progress.name = NULL;
    progress.has_line = false;
}

void progress_end(void)
{
    const int saved_errno = errno;
    if (progress.has_line && log_has_standard_error()) {
        const locale_t locale = plain_locale_begin();
        renew(", done\n");
        plain_locale_end(locale);
    }
    progress.name = NULL;
    progress.has_line = false;
    errno = saved_errno;
}
