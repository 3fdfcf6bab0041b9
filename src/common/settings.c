#include "common/settings.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static struct settings current;
static pthread_once_t read_once = PTHREAD_ONCE_INIT;
static bool constructed;

/* Settings are read before the log level is known, so their errors are always shown. */
static void complain(const char *name, const char *value, const char *wanted, const char *fallback)
{
    dprintf(STDERR_FILENO, "mublas: %s='%.200s' is not %s; using %s\n", name, value, wanted,
            *fallback ? fallback : "none");
}

static bool parse_choice(const char *text, enum offload_mode *mode)
{
    static const char *const names[] = {"auto", "always", "never"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0) {
            *mode = (enum offload_mode)i;
            return true;
        }
    return false;
}

static bool parse_number(const char *text, unsigned long long *number, const char **rest)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *number = strtoull(text, &end, 10);
    *rest = end;
    return errno == 0;
}

static bool parse_count(const char *text, long *count)
{
    unsigned long long number;
    const char *rest;
    if (!parse_number(text, &number, &rest) || *rest || number > 4096)
        return false;
    *count = (long)number;
    return true;
}

/* An ordinal; -1 for auto. */
static bool parse_device(const char *text, long *device)
{
    *device = -1;
    return strcmp(text, "auto") == 0 || parse_count(text, device);
}

static bool parse_flag(const char *text, bool *flag)
{
    if ((text[0] != '0' && text[0] != '1') || text[1])
        return false;
    *flag = text[0] == '1';
    return true;
}

static bool parse_bytes(const char *text, struct memory_amount *amount)
{
    static const char units[] = "KMGT";
    unsigned long long number;
    const char *rest;
    if (!parse_number(text, &number, &rest))
        return false;
    if (strcmp(rest, "%") == 0) {
        *amount = (struct memory_amount){true, (size_t)number};
        return number <= 100;
    }
    unsigned shift = 0;
    if (*rest) {
        const char *unit = strchr(units, *rest);
        if (!unit || rest[1])
            return false;
        shift = 10 * (unsigned)(unit - units + 1);
    }
    if (number > (~0ULL >> shift))
        return false;
    *amount = (struct memory_amount){false, (size_t)(number << shift)};
    return true;
}

static bool parse_path(const char *text, const char **path)
{
    *path = text;
    return true;
}

static bool parse_report(const char *text, const char **report)
{
    *report = strcmp(text, "0") == 0 || !*text ? NULL : text;
    return true;
}

static void complain_of_unknown_names(void)
{
    static const char *const known[] = {
#define SETTING(name, field, parser, fallback, values, meaning) #name,
#include "common/settings.def"
#undef SETTING
    };
    for (char **entry = environ; entry && *entry; entry++) {
        size_t length = strcspn(*entry, "=");
        /* MUBLAS_TEST_: of mublas' own tests. */
        bool found = strncmp(*entry, "MUBLAS_", 7) != 0 || strncmp(*entry, "MUBLAS_TEST_", 12) == 0;
        for (size_t i = 0; i < sizeof known / sizeof *known && !found; i++)
            found = strlen(known[i]) == length && strncmp(*entry, known[i], length) == 0;
        if (!found)
            dprintf(STDERR_FILENO, "mublas: %.*s is not a setting; `mublas info --settings` lists them\n",
                    (int)(length < 100 ? length : 100), *entry);
    }
}

/* Kept for the process's life: the program may change its environment later. */
static const char *environment_value(const char *name)
{
    const char *value = secure_getenv(name);
    return value ? strdup(value) : NULL;
}

static void read_settings(void)
{
    const char *value;
#define SETTING(name, field, parser, fallback, values, meaning)                                    \
    parse_##parser(fallback, &current.field);                                                      \
    value = environment_value(#name);                                                              \
    if (value && !parse_##parser(value, &current.field)) {                                         \
        complain(#name, value, values, fallback);                                                  \
        parse_##parser(fallback, &current.field);                                                  \
    }
#include "common/settings.def"
#undef SETTING
    if (current.verbose > 3) {
        dprintf(STDERR_FILENO, "mublas: MUBLAS_VERBOSE='%ld' is not 0..3; using 3\n", current.verbose);
        current.verbose = 3;
    }
    complain_of_unknown_names();
}

__attribute__((constructor)) static void note_construction(void)
{
    constructed = true;
}

/* Without an environment the C library's own constructor is still to come, or, later, the
 * program has cleared it. */
bool settings_are_readable(void)
{
    return environ || constructed;
}

const struct settings *settings(void)
{
    static struct settings defaults;
    if (settings_are_readable()) {
        pthread_once(&read_once, read_settings);
        return &current;
    }
#define SETTING(name, field, parser, fallback, values, meaning) parse_##parser(fallback, &defaults.field);
#include "common/settings.def"
#undef SETTING
    return &defaults;
}

bool settings_report_wanted(void)
{
    const char *value = secure_getenv("MUBLAS_REPORT");
    return value && *value && strcmp(value, "0") != 0;
}

size_t memory_amount_bytes(struct memory_amount amount, size_t total)
{
    return amount.is_percent ? total / 100 * amount.value : amount.value;
}

int settings_print_changed(FILE *stream)
{
    int changed = 0;
    settings();
#define SETTING(name, field, parser, fallback, values, meaning)                                    \
    {                                                                                              \
        const char *value = secure_getenv(#name);                                                  \
        if (value && strcmp(value, fallback) != 0) {                                               \
            fprintf(stream, "  %s=%s\n", #name, value);                                            \
            changed++;                                                                             \
        }                                                                                          \
    }
#include "common/settings.def"
#undef SETTING
    return changed;
}

void settings_print(FILE *stream)
{
    settings();
#define SETTING(name, field, parser, fallback, values, meaning)                                    \
    {                                                                                              \
        const char *value = secure_getenv(#name);                                                  \
        fprintf(stream, "  %s=%s%s\n      %s; %s\n", #name, value ? value : fallback,              \
                value ? "" : " (default)", values, meaning);                                       \
    }
#include "common/settings.def"
#undef SETTING
}
