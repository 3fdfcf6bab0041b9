#include "common/log.h"
#include "common/settings.h"

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
