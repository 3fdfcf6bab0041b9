#include "emulated_driver/internal.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct options values;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The part for `place` of a list, whose last part stands for all that follow. */
static const char *part_of(const char *text, int place)
{
    for (const char *comma; place > 0 && (comma = strchr(text, ',')); place--)
        text = comma + 1;
    return text;
}

long option_listed(const char *variable, int place, long fallback)
{
    const char *text = getenv(variable);
    char *end;
    if (!text || !*text)
        return fallback;
    long value = strtol(part_of(text, place), &end, 0);
    static const char units[] = "KMG";
    const char *unit = *end ? strchr(units, *end) : NULL;
    if (unit) {
        value <<= 10 * (unit - units + 1);
        end++;
    }
    if ((*end && *end != ',') || value < 0)
        emulated_abort("%s='%s' is not a number, or a list of them", variable, text);
    return value;
}

double option_listed_real(const char *variable, int place, double fallback)
{
    const char *text = getenv(variable);
    char *end;
    if (!text || !*text)
        return fallback;
    const double value = strtod(part_of(text, place), &end);
    if ((*end && *end != ',') || !(value > 0))
        emulated_abort("%s='%s' is not a positive number, or a list of them", variable, text);
    return value;
}

void option_listed_word(const char *variable, int place, const char *fallback, char *word, size_t room)
{
    const char *text = getenv(variable);
    text = text && *text ? part_of(text, place) : fallback;
    snprintf(word, room, "%.*s", (int)strcspn(text, ","), text);
}

static long number(const char *variable, long fallback)
{
    const char *text = getenv(variable);
    if (text && strchr(text, ','))
        emulated_abort("%s='%s' is not a number", variable, text);
    return option_listed(variable, 0, fallback);
}

static void read_options(void)
{
    values.seed = (uint64_t)number("EMULATED_SEED", 1);
    values.devices = number("EMULATED_DEVICES", 1);
    values.block_threads = number("EMULATED_BLOCK_THREADS", 0);
    values.peer = number("EMULATED_PEER", 1);
    values.patience = number("EMULATED_PATIENCE", 120);
    values.absent = number("EMULATED_ABSENT", 0);
    values.stuck = number("EMULATED_STUCK", 0);
    values.late = number("EMULATED_LATE", 0);
    values.delay = (double)number("EMULATED_DELAY", 0) / 1000;
    values.shuffle_blocks = number("EMULATED_SHUFFLE_BLOCKS", 1);
    values.guard = number("EMULATED_GUARD", 0);
    values.poison = number("EMULATED_POISON", 1);
    values.strict = number("EMULATED_STRICT", 1);
    values.dma = number("EMULATED_DMA", 1);
    values.deinitialise = number("EMULATED_DEINITIALISE", 1);
    values.child_aborts = number("EMULATED_CHILD_ABORTS", 0);
    values.lasting_threads = number("EMULATED_LASTING_THREADS", 0);
    values.arithmetic = number("EMULATED_ARITHMETIC", 0);
    values.faults = getenv("EMULATED_FAULTS");
    values.count_file = getenv("EMULATED_COUNT_FILE");
}

const struct options *options(void)
{
    pthread_once(&once, read_options);
    return &values;
}

static void print_line(const char *format, va_list arguments)
{
    char line[512] = "emulated driver: ";
    size_t used = strlen(line);
    int length = vsnprintf(line + used, sizeof line - used - 1, format, arguments);
    used += length < 0 ? 0 : (size_t)length;
    if (used > sizeof line - 2)
        used = sizeof line - 2;
    line[used++] = '\n';
    if (write(STDERR_FILENO, line, used) < 0)
        return;
}

void emulated_abort(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(format, arguments);
    va_end(arguments);
    abort();
}

CUresult misuse(const char *format, ...)
{
    va_list arguments;
    if (!options()->strict)
        return CUDA_ERROR_INVALID_VALUE;
    va_start(arguments, format);
    print_line(format, arguments);
    va_end(arguments);
    abort();
}
