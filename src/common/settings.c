#include "common/settings.h"
#include "common/interruption.h"
#include "common/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

extern char **environ;

static struct settings current;
static struct once read_once = ONCE_INIT, said_once = ONCE_INIT;
static bool constructed;

/* The variables of mublas as NAME=value, each with its NUL, one after the other. Kept as long as the process
 * lives, since the program may change or overwrite its environment. */
static const char *copies;
static size_t copied_bytes;

/* read_settings notes them for say_faults. */
enum {
#define SETTING(name, ...) SETTING_##name,
#include "common/settings.def"
#undef SETTING
    SETTING_COUNT
};
static bool is_bad[SETTING_COUNT], has_faults;
static long verbose_asked; /* the level asked for, if there is no such level; 0: there is */

enum { NAME_MOST = 100 };

static void tell_bad_value(const char *name, const char *value, const char *wanted, const char *fallback,
                           settings_take_fault *take, void *context)
{
    char text[512];
    snprintf(text, sizeof text, "%s='%.200s' is not %s; using %s", name, value, wanted,
             *fallback ? fallback : "none");
    take(context, name, text);
}

/* The number of the name that the text is; -1: of none. */
static int find_name(const char *text, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(text, names[i]) == 0)
            return i;
    return -1;
}

static bool parse_choice(const char *text, enum offload_mode *mode)
{
    static const char *const names[] = {"auto", "always", "never"};
    const int found = find_name(text, names, 3);
    if (found >= 0)
        *mode = (enum offload_mode)found;
    return found >= 0;
}

static bool parse_solver(const char *text, enum eigensolver *solver)
{
    static const char *const names[] = {"auto", "own", "cusolver"};
    const int found = find_name(text, names, 3);
    if (found >= 0)
        *solver = (enum eigensolver)found;
    return found >= 0;
}

static bool parse_automatic(const char *text, bool *is_automatic)
{
    *is_automatic = strcmp(text, "auto") == 0;
    return *is_automatic || strcmp(text, "never") == 0;
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

static bool names(const struct device_list *list, int ordinal)
{
    for (int i = 0; i < list->count; i++)
        if (list->ordinals[i] == ordinal)
            return true;
    return false;
}

static bool parse_ordinals(const char *text, struct device_list *list)
{
    unsigned long long number;
    const char *rest;
    for (;; text = rest + 1) {
        if (!parse_number(text, &number, &rest) || number > 4096 || list->count == DEVICES_MAX ||
            names(list, (int)number))
            return false;
        list->ordinals[list->count++] = (int)number;
        if (*rest != ',')
            return !*rest;
    }
}

static bool parse_device(const char *text, struct device_list *list)
{
    *list = (struct device_list){.all = strcmp(text, "all") == 0};
    return list->all || strcmp(text, "auto") == 0 || parse_ordinals(text, list);
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

/* MUBLAS_TEST_ begins settings of mublas' own tests. */
static bool is_known(const char *entry)
{
    static const char *const known[] = {
#define SETTING(name, field, parser, fallback, values, meaning) #name,
#include "common/settings.def"
#undef SETTING
    };
    const size_t length = strcspn(entry, "=");
    bool found = strncmp(entry, "MUBLAS_TEST_", 12) == 0;
    for (size_t i = 0; i < sizeof known / sizeof *known && !found; i++)
        found = strlen(known[i]) == length && strncmp(entry, known[i], length) == 0;
    return found;
}

static const char *next_copy(const char *entry)
{
    const char *next = entry ? entry + strlen(entry) + 1 : copies;
    return next < copies + copied_bytes ? next : NULL;
}

static void tell_unknown_names(settings_take_fault *take, void *context)
{
    char name[NAME_MOST + 1], text[NAME_MOST + 64];
    for (const char *entry = next_copy(NULL); entry; entry = next_copy(entry)) {
        if (is_known(entry))
            continue;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(entry, "="), entry);
        snprintf(text, sizeof text, "%s is not a setting; `mublas info --settings` lists them", name);
        take(context, name, text);
    }
}

static bool is_ours(const char *entry)
{
    return strncmp(entry, "MUBLAS_", 7) == 0;
}

/* Not by malloc, which may be the program's and not ready yet. */
static char *room_for(size_t bytes)
{
    static char room[4096];
    if (bytes <= sizeof room)
        return room;
    void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return mapped == MAP_FAILED ? NULL : mapped;
}

/* A set-user-id program has none. */
static void copy_environment(void)
{
    size_t bytes = 0;
    if (!environ || getauxval(AT_SECURE) != 0)
        return;
    for (char **entry = environ; *entry; entry++)
        bytes += is_ours(*entry) ? strlen(*entry) + 1 : 0;
    char *to = room_for(bytes);
    copies = to;
    copied_bytes = to ? bytes : 0;
    for (char **entry = environ; *entry && to; entry++)
        if (is_ours(*entry))
            to = stpcpy(to, *entry) + 1;
}

static const char *copied_value(const char *name)
{
    const size_t length = strlen(name);
    for (const char *entry = next_copy(NULL); entry; entry = next_copy(entry))
        if (strncmp(entry, name, length) == 0 && entry[length] == '=')
            return entry + length + 1;
    return NULL;
}

static void read_settings(void)
{
    const int program_errno = errno;
    const char *value;
    copy_environment();
#define SETTING(name, field, parser, fallback, values, meaning)                                    \
    parse_##parser(fallback, &current.field);                                                      \
    value = copied_value(#name);                                                                   \
    is_bad[SETTING_##name] = value && !parse_##parser(value, &current.field);                      \
    if (is_bad[SETTING_##name])                                                                    \
        parse_##parser(fallback, &current.field);                                                  \
    has_faults = has_faults || is_bad[SETTING_##name];
#include "common/settings.def"
#undef SETTING
    if (current.verbose > 3) {
        verbose_asked = current.verbose;
        current.verbose = 3;
    }
    has_faults = has_faults || verbose_asked;
    if (*current.estimate) { /* it foretells what this would do, rank by rank */
        current.offload = OFFLOAD_AUTO;
        current.parallel = false;
    }
    for (const char *entry = next_copy(NULL); entry; entry = next_copy(entry))
        has_faults = has_faults || !is_known(entry);
    errno = program_errno;
}

/* Must not call settings(), which waits for this. */
void settings_each_fault(settings_take_fault *take, void *context)
{
    char text[64];
    once_run(&read_once, read_settings);
#define SETTING(name, field, parser, fallback, values, meaning)                                    \
    if (is_bad[SETTING_##name])                                                                    \
        tell_bad_value(#name, copied_value(#name), values, fallback, take, context);
#include "common/settings.def"
#undef SETTING
    if (verbose_asked) {
        snprintf(text, sizeof text, "MUBLAS_VERBOSE='%ld' is not 0..3; using 3", verbose_asked);
        take(context, "MUBLAS_VERBOSE", text);
    }
    tell_unknown_names(take, context);
}

/* The log level is of settings, too, so their faults are always shown. */
static void complain(void *unused, const char *name, const char *text)
{
    (void)unused;
    (void)name;
    log_complaint("%s", text);
}

static void say_faults(void)
{
    const int saved_errno = errno;
    settings_each_fault(complain, NULL);
    errno = saved_errno;
}

__attribute__((constructor)) static void note_construction(void)
{
    constructed = true;
}

/* Without an environment the C library's constructor has not run yet or, later, the program has cleared
 * it. */
bool settings_are_readable(void)
{
    return environ || constructed;
}

const struct settings *settings(void)
{
    static struct settings defaults;
    if (settings_are_readable()) {
        once_run(&read_once, read_settings);
        once_run(&said_once, say_faults);
        return &current;
    }
#define SETTING(name, field, parser, fallback, values, meaning) parse_##parser(fallback, &defaults.field);
#include "common/settings.def"
#undef SETTING
    return &defaults;
}

const struct settings *settings_copied(bool *are_faulty)
{
    once_run(&read_once, read_settings);
    *are_faulty = has_faults;
    return &current;
}

bool settings_report_wanted(void)
{
    bool are_faulty;
    const struct settings *const copied = settings_copied(&are_faulty);
    return copied->report || *copied->estimate;
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
