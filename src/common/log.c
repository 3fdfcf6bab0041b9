#include "common/log.h"
#include "common/settings.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool log_wanted(enum log_level level)
{
    return (long)level <= settings()->verbose;
}

void log_message(enum log_level level, const char *format, ...)
{
    static const char prefix[] = "mublas: ";
    char line[1024];
    size_t used = sizeof prefix - 1;
    int saved_errno = errno;

    if (!log_wanted(level))
        return;
    memcpy(line, prefix, used);
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line + used, sizeof line - used - 1, format, arguments);
    va_end(arguments);
    if (length > 0)
        used += (size_t)length < sizeof line - used - 1 ? (size_t)length : sizeof line - used - 2;
    line[used++] = '\n';
    ssize_t ignored = write(STDERR_FILENO, line, used);
    (void)ignored;
    errno = saved_errno;
}
