#include "command/tune/tune.h"
#include "command/routine_call.h"
#include "common/text.h"
#include "tuner/learn/shape_timer.h"
#include "tuner/online/recipe.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

/* A line on standard error; false. */
static bool complain(const char *path, const char *fault)
{
    fprintf(stderr, "mublas tune: %s: %s\n", path, fault);
    return false;
}

static void note_fault(const char *path, const char *fault, const char *consequence)
{
    fprintf(stderr, "mublas tune: %s: %s; %s\n", path, fault, consequence);
}

/* Is there a line that begins so at the head of the file, or is it empty or not there? */
static bool has_line(const char *path, const char *wanted, char fault[FILE_FAULT_BYTES])
{
    enum { HEAD_LINES = 4 };
    char line[256];
    int lines = 0;
    bool found = false;
    FILE *stream = regular_file_open(path);
    if (!stream) {
        snprintf(fault, FILE_FAULT_BYTES, "%s", regular_file_fault());
        return errno == ENOENT;
    }
    for (; lines < HEAD_LINES && !found && fgets(line, sizeof line, stream); lines++)
        found = strncmp(line, wanted, strlen(wanted)) == 0;
    fclose(stream);
    return found || lines == 0;
}

/* Could a file that has a line which begins so at its head be written there? Not over anything else: `what`
 * for people. */
static bool place_is_ours(const char *path, const char *line, const char *what)
{
    char fault[FILE_FAULT_BYTES];
    if (!file_is_replaceable(path, fault))
        return complain(path, fault);
    snprintf(fault, sizeof fault, "not %s, and not overwritten", what);
    return has_line(path, line, fault) || complain(path, fault);
}

/* Room for the recipe's path and the ending that another file adds: at most ".csv". */
enum { PATH_BYTES = sizeof ((struct tune_options *)0)->output + 8 };

static void path_of(const struct tune_files *files, const char *ending, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s%s", files->options->output, ending);
}

static void set_made(struct tune_files *files)
{
    char day[16] = "";
    const time_t now = time(NULL);
    struct tm parts;
    if (localtime_r(&now, &parts))
        strftime(day, sizeof day, "%Y-%m-%d", &parts);
    snprintf(files->recipe.made, sizeof files->recipe.made, "%s by mublas tune --%s", day,
             files->options->exhaustive ? "exhaustive" : "quick");
}

/* Before any time is spent. */
static bool can_be_written(const struct tune_files *files)
{
    static const struct {
        const char *ending, *line, *what;
    } kinds[] = {{"", "mublas recipe ", "a recipe"},
                 {".csv", TUNING_DATA_FIRST_LINE, "tuning data"}};
    char path[PATH_BYTES];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        path_of(files, kinds[i].ending, path);
        if (!place_is_ours(path, kinds[i].line, kinds[i].what))
            return false;
    }
    return true;
}

/* Reads the recipe of a file, if it fits; `fault` otherwise, "" where there is no file. */
static bool read_fitting(const char *path, const struct recipe_signature *signature, struct recipe *recipe,
                         char fault[RECIPE_FAULT_BYTES])
{
    *fault = '\0';
    if (access(path, F_OK) != 0 || !recipe_read(path, recipe, fault))
        return false;
    if (recipe_fits(recipe, signature, fault))
        return true;
    recipe_clear(recipe);
    return false;
}

void tune_files_choose(struct tune_options *options, const struct recipe_signature *signature)
{
    static struct recipe recipe;
    char fault[RECIPE_FAULT_BYTES], beside[sizeof options->output], consequence[sizeof beside + 32];
    if (access(options->output, F_OK) != 0 || !recipe_read(options->output, &recipe, fault))
        return;
    if (!recipe_is_of_kind(&recipe.signature, signature) && !recipe_fits(&recipe, signature, fault) &&
        recipe_path_of_kind(options->output, signature, beside)) {
        snprintf(consequence, sizeof consequence, "this one's is %s", beside);
        note_fault(options->output, fault, consequence);
        strcpy(options->output, beside);
    }
    recipe_clear(&recipe);
}

bool tune_files_begin(struct tune_files *files, const struct tune_options *options,
                      const struct recipe_signature *signature, const struct occupancy_figures *limits)
{
    char fault[RECIPE_FAULT_BYTES];
    memset(files, 0, sizeof *files);
    files->options = options;
    if (!can_be_written(files))
        return false;
    files->fits = read_fitting(options->output, signature, &files->recipe, fault);
    if (!files->fits && *fault)
        note_fault(options->output, fault, "it will be replaced");
    if (!files->fits) {
        files->recipe.signature = *signature;
        files->recipe.resident_warps = limits->warps;
        files->recipe.resident_blocks = limits->blocks;
    }
    set_made(files);
    files->data = open_memstream(&files->data_text, &files->data_bytes);
    if (!files->data)
        return complain(options->output, "out of memory");
    tuning_data_begin(files->data, signature, files->recipe.made);
    return true;
}

static bool write_recipe(const struct recipe *recipe, const char *path)
{
    char fault[FILE_FAULT_BYTES] = "out of memory";
    size_t bytes;
    char *text = recipe_text(recipe, &bytes);
    const bool good = text && file_replace(path, text, bytes, fault);
    free(text);
    return good || complain(path, fault);
}

static bool write_data(const struct tune_files *files, const char *path)
{
    char fault[FILE_FAULT_BYTES] = "out of memory";
    return (fflush(files->data) == 0 && file_replace(path, files->data_text, files->data_bytes, fault)) ||
           complain(path, fault);
}

static bool any_done(const struct tune_files *files)
{
    for (int class = 0; class < TUNING_CLASSES; class++)
        for (int form = 0; form < TUNING_FORMS; form++)
            if (files->done[class][form])
                return true;
    return false;
}

bool tune_files_have_nothing(const struct tune_files *files)
{
    return !files->calls_done && !any_done(files);
}

bool tune_files_finish(struct tune_files *files)
{
    char path[PATH_BYTES];
    path_of(files, ".csv", path);
    if (tune_files_have_nothing(files)) {
        note_fault(files->options->output, "nothing was learned", "it is as before");
        return true;
    }
    if (any_done(files) && !write_data(files, path))
        return false;
    if (!any_done(files) && !files->fits)
        unlink(path); /* the data of a recipe that is replaced */
    return write_recipe(&files->recipe, files->options->output);
}

void tune_files_free(struct tune_files *files)
{
    recipe_clear(&files->recipe);
    if (files->data)
        fclose(files->data);
    free(files->data_text);
}
