#include "command/tune/tune.h"

#include "command/file_replace.h"
#include "common/text.h"
#include "tuner/learn/recipe_write.h"
#include "tuner/online/recipe_search.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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
