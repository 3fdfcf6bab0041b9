#include "common/progress.h"

#include "common/clock.h"
#include "common/log.h"
#include "common/plain_locale.h"
#include "common/settings.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

static void put(const char *text, int length)
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
    put(text,
        snprintf(text, sizeof text, "mublas: %.*s of order %lld is on the device, for about %s in all\n",
                 progress.length, progress.name, (long long)progress.order, expected_words(words)));
}

/* Over what the line was before. */
static void renew(const char *end)
{
    char text[160], words[WORDS];
    put(text, snprintf(text, sizeof text, "\rmublas: %.*s of order %lld: %.0f s of about %s%s",
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
