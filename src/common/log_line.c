/* One line on standard error, if that is still the file that it was: what the settings may use, by which
 * the level of messages is not known yet. */
#include "common/log.h"
#include "common/plain_locale.h"
#include "common/threads/once.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
