#include "command/tune_files.h"

#include "command/tune_left.h"
#include "command/tune_place.h"
#include "command/tune_rows.h"
#include "tuner/file_replace.h"
#include "tuner/recipe_write.h"
#include "tuner/tuning_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PATH_BYTES = TUNE_PATH_BYTES };

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
             files->options->breadth_name);
}

/* Before any time is spent. */
static bool can_be_written(const struct tune_files *files)
{
    static const struct {
        const char *ending, *line, *what;
    } kinds[] = {{"", TUNE_RECIPE_LINE, "a recipe"},
                 {".csv", TUNING_DATA_FIRST_LINE, "tuning data"},
                 {".partial", TUNE_RECIPE_LINE, "a recipe"},
                 {".partial.csv", TUNING_DATA_FIRST_LINE, "tuning data"},
                 {".partial.calls", TUNE_LEFT_LINE, "times of calls"}};
    char path[PATH_BYTES];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        path_of(files, kinds[i].ending, path);
        if (!tune_place_is_ours(path, kinds[i].line, kinds[i].what))
            return false;
    }
    return true;
}

void tune_files_made_with(const struct tune_files *files, char made[RECIPE_MADE_BYTES])
{
    snprintf(made, RECIPE_MADE_BYTES, "%.60s, %u MiB", files->recipe.made,
             (unsigned)(files->options->memory >> 20));
}

bool tune_files_is_like(const struct tune_files *files, const char *made)
{
    char own[RECIPE_MADE_BYTES];
    tune_files_made_with(files, own);
    const char *how = strstr(own, " by "), *was = strstr(made, " by ");
    return how && was && strcmp(how, was) == 0;
}

void tune_files_left_path(const struct tune_files *files, char path[TUNE_PATH_BYTES])
{
    path_of(files, ".partial.calls", path);
}

/* What the text of a file holds, if it fits; `fault` otherwise, "" where there is none. */
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

/* In a partial recipe a class for which what is built in stays says so, lest it be tuned again. */
static const struct class_recipe nothing_better = {.interval_count = 1, .intervals = {{.upto = INT64_MAX}}};

static bool is_nothing_better(const struct class_recipe *rules)
{
    return rules->interval_count == 1 && rules->intervals[0].shape.edge == 0 && !rules->by_occupancy;
}

static int take_done(struct tune_files *files, const struct recipe *partial)
{
    int count = 0;
    for (int class = 0; class < TUNING_CLASSES; class++)
        for (int form = 0; form < TUNING_FORMS; form++)
            if (partial->classes[class][form].interval_count > 0) {
                struct class_recipe *rules = &files->recipe.classes[class][form];
                *rules = partial->classes[class][form];
                if (is_nothing_better(rules))
                    rules->interval_count = 0;
                files->done[class][form] = true;
                count++;
            }
    return count;
}

/* Lines of classes that are not done may be there: they are written before the recipe is. */
static void take_rows(struct tune_files *files, const char *rows)
{
    FILE *stream = open_memstream(&files->data, &files->data_bytes);
    if (!stream)
        return;
    tune_rows_write(stream, rows, files->done, true);
    fclose(stream);
}

/* Go on with what an interrupted run left. False: it is not to be gone on with, and cannot be kept. */
static bool resume(struct tune_files *files, const struct recipe_signature *signature)
{
    char path[PATH_BYTES], data_path[PATH_BYTES], fault[RECIPE_FAULT_BYTES], data_fault[TUNING_FAULT_BYTES];
    struct recipe partial;
    path_of(files, ".partial", path);
    path_of(files, ".partial.csv", data_path);
    if (!read_fitting(path, signature, &partial, fault)) {
        if (!*fault && access(data_path, F_OK) == 0)
            snprintf(fault, sizeof fault, "only its data are there");
        return !*fault || tune_place_keep_left(path, fault);
    }
    char *rows = tune_rows_read(data_path, signature->device, data_fault);
    const char *reason = !tune_files_is_like(files, partial.made) ? "of another command"
                         : rows                                   ? NULL
                         : *data_fault                            ? data_fault
                                                                  : "its data are missing";
    const bool good = !reason || tune_place_keep_left(path, reason);
    if (!reason) {
        const int count = take_done(files, &partial);
        take_rows(files, rows);
        fprintf(stderr, "mublas tune: going on with %s, which has %d classes\n", path, count);
    }
    free(rows);
    recipe_clear(&partial);
    return good;
}

/* A recipe that does not fit here, and data that are not its, are kept beside the new ones. */
static void find_outdated(struct tune_files *files, const struct recipe_signature *signature, bool fits,
                          const char *fault)
{
    char path[PATH_BYTES], data_fault[TUNING_FAULT_BYTES];
    const char *recipe = files->options->output;
    char kept[80];
    tune_place_find_old(recipe, files->old);
    snprintf(kept, sizeof kept, "it will be kept with the ending %s", files->old);
    files->is_outdated = !fits && *fault;
    if (files->is_outdated)
        tune_note(recipe, fault, kept);
    path_of(files, ".csv", path);
    files->before = tune_rows_read(path, signature->device, data_fault);
    if (fits && !*data_fault)
        return;
    free(files->before);
    files->before = NULL;
    files->has_outdated_data = access(path, F_OK) == 0;
    if (files->has_outdated_data && !files->is_outdated)
        fprintf(stderr, "mublas tune: %s; %s.csv\n", *data_fault ? data_fault : path, kept);
}

bool tune_files_begin(struct tune_files *files, const struct tune_options *options,
                      const struct recipe_signature *signature, int resident_warps, int resident_blocks)
{
    char fault[RECIPE_FAULT_BYTES];
    memset(files, 0, sizeof *files);
    files->options = options;
    if (!can_be_written(files))
        return false;
    const bool fits = read_fitting(options->output, signature, &files->recipe, fault);
    find_outdated(files, signature, fits, fault);
    if (!fits) {
        files->recipe.signature = *signature;
        files->recipe.resident_warps = resident_warps;
        files->recipe.resident_blocks = resident_blocks;
    }
    set_made(files);
    return !options->shapes || resume(files, signature);
}

static bool write_recipe(const struct recipe *recipe, const char *path)
{
    char fault[RECIPE_FAULT_BYTES];
    return recipe_replace(recipe, path, fault) || tune_complain(path, fault);
}

/* With the lines of what is not done, if `all`. */
static bool write_data(struct tune_files *files, const char *path, bool all)
{
    char fault[RECIPE_FAULT_BYTES] = "out of memory", *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return tune_complain(path, fault);
    tuning_data_begin(stream, &files->recipe.signature, files->recipe.made);
    if (all)
        tune_rows_write(stream, files->before, files->done, false);
    fwrite(files->data, 1, files->data_bytes, stream);
    const bool good = fclose(stream) == 0 && file_replace(path, text, bytes, fault);
    free(text);
    return good || tune_complain(path, fault);
}

static bool append(struct tune_files *files, const char *lines, size_t bytes)
{
    char *more = realloc(files->data, files->data_bytes + bytes + 1);
    if (!more)
        return tune_complain("data", "out of memory");
    memcpy(more + files->data_bytes, lines, bytes);
    files->data = more;
    files->data_bytes += bytes;
    return true;
}

/* Only what this run has learned, so that the next one knows what is left. */
static bool write_partial(struct tune_files *files)
{
    static struct recipe partial;
    char path[PATH_BYTES];
    partial = files->recipe;
    partial.crossover = NULL;
    for (int class = 0; class < TUNING_CLASSES; class++)
        for (int form = 0; form < TUNING_FORMS; form++)
            if (!files->done[class][form])
                partial.classes[class][form].interval_count = 0;
            else if (partial.classes[class][form].interval_count == 0)
                partial.classes[class][form] = nothing_better;
    tune_files_made_with(files, partial.made);
    path_of(files, ".partial.csv", path);
    if (!write_data(files, path, false))
        return false;
    path_of(files, ".partial", path);
    return write_recipe(&partial, path);
}

bool tune_files_keep(struct tune_files *files, int class, enum tuning_form form,
                     const struct class_recipe *rules, const char *lines, size_t bytes)
{
    files->recipe.classes[class][form] = *rules;
    files->done[class][form] = true;
    return append(files, lines, bytes) && write_partial(files);
}

void tune_files_keep_crossover(struct tune_files *files, char *crossover, const char *host)
{
    free(files->recipe.crossover);
    files->recipe.crossover = crossover;
    files->calls_done = true;
    snprintf(files->recipe.signature.host, sizeof files->recipe.signature.host, "%s", host);
}

bool tune_files_any_done(const struct tune_files *files)
{
    for (int class = 0; class < TUNING_CLASSES; class++)
        for (int form = 0; form < TUNING_FORMS; form++)
            if (files->done[class][form])
                return true;
    return false;
}

const char *tune_files_present(struct tune_files *files)
{
    path_of(files, ".partial", files->present);
    if (tune_files_any_done(files) && access(files->present, R_OK) == 0)
        return files->present;
    path_of(files, "", files->present);
    return access(files->present, R_OK) == 0 ? files->present : "none";
}

/* What another part of tuning has left is not this run's. */
static void forget_partial(const struct tune_files *files)
{
    char path[PATH_BYTES];
    for (int i = 0; i < 2 && tune_files_any_done(files); i++) {
        path_of(files, i ? ".partial.csv" : ".partial", path);
        unlink(path);
    }
    tune_files_left_path(files, path);
    if (files->calls_done)
        unlink(path);
}

bool tune_files_have_nothing(const struct tune_files *files)
{
    return !files->calls_done && !tune_files_any_done(files);
}

bool tune_files_finish(struct tune_files *files)
{
    char path[PATH_BYTES];
    path_of(files, ".csv", path);
    if (tune_files_have_nothing(files)) {
        tune_note(files->options->output, "nothing was learned", "it is as before");
        return true;
    }
    if ((files->has_outdated_data && !tune_place_set_aside(files->options->output, files->old, true)) ||
        (files->is_outdated && !tune_place_set_aside(files->options->output, files->old, false)))
        return false;
    if ((files->data_bytes > 0 || files->has_outdated_data) && !write_data(files, path, true))
        return false;
    if (!write_recipe(&files->recipe, files->options->output))
        return false;
    forget_partial(files);
    return true;
}

void tune_files_free(struct tune_files *files)
{
    recipe_clear(&files->recipe);
    free(files->data);
    free(files->before);
}
