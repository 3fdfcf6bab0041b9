#include "command/tune/tune.h"

#include "command/routine_call.h"
#include "tuner/online/recipe_search.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: mublas tune [OPTION ...]   learn launch shapes and crossovers of this machine\n"
    "  --quick, --exhaustive   how much is tried; quick (the default) takes under a minute\n"
    "  --routines=NAME,...   only these: symv, dsymv, dgemv_none, ...; sytrd or syevd: all eigensolvers;\n"
    "                        what is known of others stays\n"
    "  --output=FILE         the recipe; default: the user's (mublas info names it); data go to FILE.csv\n"
    "  --time-limit=SECONDS  for all; default 59.5 for quick, else none\n"
    "  --memory=MIB          device memory for matrices; default 1024 for quick, else 4096\n"
    "  --shapes-only, --crossovers-only\n"
    "  --evaluate[=SIZES]    judge the recipe: its choice against the best of all shapes at held-out sizes\n"
    "Interrupted, it learns nothing and leaves the recipe as it was.\n"
    "Each kind of device that MUBLAS_DEVICE names is learned, in a time of its own.\n"
    "\nExamples:\n"
    "  mublas tune\n"
    "  mublas tune --routines=symv,dgemm --time-limit=20\n"
    "  mublas tune --exhaustive --output=recipe && MUBLAS_RECIPE=recipe mublas run -- ./legacy_app\n"
    "  mublas tune --evaluate\n"
    "  MUBLAS_DEVICE=all mublas tune\n";

/* With what is begun at the end: less than a minute. */
static const double QUICK_SECONDS = 59.5;

static int refuse(const char *argument, const char *why)
{
    fprintf(stderr, "mublas tune: %s: %s\n", argument, why);
    return 2;
}

static int refuse_routines(const struct tune_options *options, const char *why)
{
    fprintf(stderr, "mublas tune: --routines=%s: %s\n", options->routines, why);
    return 2;
}

/* axpy stays on the host: nothing is gained by its launch shapes. */
static bool has_shapes(int class)
{
    return tuning_class_family(class) != FAMILY_AXPY;
}

static bool has_classes(const struct tune_options *options)
{
    bool has = false;
    for (int class = 0; class < TUNING_CLASSES; class++)
        has = has || options->classes[class];
    return has;
}

/* The value of --name=VALUE; NULL: another argument. */
static const char *value_of(const char *argument, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1 : NULL;
}

static bool read_number(const char *text, double least, double most, double *value)
{
    char *end;
    errno = 0;
    *value = strtod(text, &end);
    return end != text && !*end && *value >= least && *value <= most;
}

/* A word means what begins with it, or does so after the letter of its type. */
static bool means(const char *word, const char *name)
{
    return strncmp(name, word, strlen(word)) == 0 || strncmp(name + 1, word, strlen(word)) == 0;
}

/* The word dgemv_none means the routine dgemv. */
static bool means_routine(const char *word, const char *name)
{
    const size_t length = strlen(name);
    return means(word, name) || (strncmp(word, name, length) == 0 && word[length] == '_');
}

/* One of LAPACK's eigensolvers: they are learned together. */
static bool means_eigensolver(const char *word)
{
    static const char *const names[] = {"sytrd", "hetrd", "syevd", "heevd", "syevr", "heevr",
                                        "syevx", "heevx", "sygvd", "hegvd", "sygvx", "hegvx"};
    if (!*word)
        return false;
    const char *const untyped = strchr("sdcz", *word) ? word + 1 : word;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(names[i], word, strlen(word)) == 0 || strncmp(names[i], untyped, strlen(untyped)) == 0)
            return true;
    return false;
}

static bool choose_word(const char *word, struct tune_options *options)
{
    bool found = means_eigensolver(word);
    options->eigensolvers = options->eigensolvers || found;
    for (int class = 0; class < TUNING_CLASSES && *word; class++)
        if (has_shapes(class) && means(word, tuning_class_name(class)))
            found = options->classes[class] = true;
    for (int routine = 0; routine < ROUTINES && *word; routine++) {
        char name[ROUTINE_NAME];
        const size_t used = strlen(options->call_routines);
        if (!means_routine(word, routine_name(routine, name)))
            continue;
        if (used + strlen(name) + 2 <= sizeof options->call_routines)
            sprintf(options->call_routines + used, "%s%s", used ? "," : "", name);
        found = true;
    }
    return found;
}

static bool choose_classes(struct tune_options *options)
{
    char *copy = strdup(options->routines), *rest = copy;
    bool good = copy != NULL;
    for (char *word; good && (word = strsep(&rest, ","));)
        good = choose_word(word, options);
    free(copy);
    return good;
}

static int read_option(const char *argument, struct tune_options *options)
{
    const char *value;
    double number;
    if (strcmp(argument, "--quick") == 0)
        return options->quick = true, -1;
    if (strcmp(argument, "--exhaustive") == 0)
        return options->exhaustive = true, -1;
    if (strcmp(argument, "--shapes-only") == 0)
        return options->calls = false, -1;
    if (strcmp(argument, "--crossovers-only") == 0)
        return options->shapes = false, -1;
    if (strcmp(argument, "--evaluate") == 0)
        return options->evaluate = 40, -1;
    if ((value = value_of(argument, "--evaluate"))) {
        if (!read_number(value, 1, 10000, &number) || number != floor(number))
            return refuse(argument, "not a whole number of sizes");
        return options->evaluate = (int)number, -1;
    }
    if ((value = value_of(argument, "--routines")))
        return options->routines = value, -1;
    if ((value = value_of(argument, "--output"))) {
        if (!*value || strlen(value) >= sizeof options->output)
            return refuse(argument, "not a file name that can be used");
        return strcpy(options->output, value), -1;
    }
    if ((value = value_of(argument, "--time-limit")))
        return read_number(value, 1, 1e7, &options->time_limit) ? -1
                                                                : refuse(argument, "not a number of seconds");
    if ((value = value_of(argument, "--memory"))) {
        if (!read_number(value, 1, 1 << 20, &number) || number != floor(number))
            return refuse(argument, "not a whole number of MiB");
        return options->memory = (size_t)number << 20, -1;
    }
    return refuse(argument, "not an option; mublas tune --help lists them");
}

int tune_options_read(char **arguments, struct tune_options *options)
{
    *options = (struct tune_options){.shapes = true, .calls = true};
    for (; *arguments; arguments++) {
        if (strcmp(*arguments, "--help") == 0 || strcmp(*arguments, "-h") == 0)
            return fputs(help, stdout), 0;
        const int outcome = read_option(*arguments, options);
        if (outcome >= 0)
            return outcome;
    }
    if (!options->shapes && !options->calls)
        return refuse("--shapes-only --crossovers-only", "only one of them makes sense");
    for (int class = 0; class < TUNING_CLASSES && !options->routines; class++)
        options->classes[class] = has_shapes(class);
    if (options->routines && !choose_classes(options))
        return refuse_routines(
            options, "no such routine (axpy, gemv, symv, hemv, trmv; dsymv, zgemv_transpose, ...; sytrd)");
    if (options->quick && options->exhaustive)
        return refuse("--exhaustive", "not with --quick");
    if ((options->evaluate || !options->calls) && !has_classes(options))
        return refuse_routines(options, "of these there are no launch shapes to be learned");
    if (options->time_limit == 0 && !options->exhaustive && !options->evaluate)
        options->time_limit = QUICK_SECONDS;
    if (options->memory == 0)
        options->memory = (size_t)(options->exhaustive ? 4 : 1) << 30;
    if (!*options->output && !recipe_user_path(options->output))
        return refuse("--output", "wanted where there is no home directory");
    return -1;
}
