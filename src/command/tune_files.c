#include "command/tune_files.h"

#include "tuner/recipe_write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PATH_BYTES = sizeof ((struct tune_options *)0)->output + 16 };

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

/* Was the partial recipe made by a command like this one? Its day may be another. */
static bool is_like(const struct tune_files *files, const struct recipe *partial)
{
    const char *how = strstr(files->recipe.made, " by "), *was = strstr(partial->made, " by ");
    return how && was && strcmp(how, was) == 0;
}

/* What the text of a file holds, if it fits. */
static bool read_fitting(const char *path, const struct recipe_signature *signature, struct recipe *recipe)
{
    char fault[RECIPE_FAULT_BYTES];
    if (!recipe_read(path, recipe, fault))
        return false;
    if (recipe_fits(recipe, signature, fault))
        return true;
    recipe_clear(recipe);
    return false;
}

static void read_data(struct tune_files *files, const char *path)
{
    FILE *stream = fopen(path, "re"), *copy = open_memstream(&files->data, &files->data_bytes);
    char line[512];
    while (stream && copy && fgets(line, sizeof line, stream))
        if (line[0] != '#' && strncmp(line, TUNING_DATA_COLUMNS, sizeof TUNING_DATA_COLUMNS - 1) != 0)
            fputs(line, copy);
    if (stream)
        fclose(stream);
    if (copy)
        fclose(copy);
}

/* Go on with what an interrupted run left. */
static void resume(struct tune_files *files, const struct recipe_signature *signature)
{
    char path[PATH_BYTES], data_path[PATH_BYTES];
    struct recipe partial;
    path_of(files, ".partial", path);
    path_of(files, ".partial.csv", data_path);
    if (!read_fitting(path, signature, &partial))
        return;
    if (is_like(files, &partial)) {
        int count = 0;
        for (int class = 0; class < TUNING_CLASSES; class++)
            for (int form = 0; form < TUNING_FORMS; form++)
                if (partial.classes[class][form].interval_count > 0) {
                    files->recipe.classes[class][form] = partial.classes[class][form];
                    files->done[class][form] = true;
                    count++;
                }
        read_data(files, data_path);
        fprintf(stderr, "mublas tune: going on with %s, which has %d classes\n", path, count);
    }
    recipe_clear(&partial);
}

bool tune_files_begin(struct tune_files *files, const struct tune_options *options,
                      const struct recipe_signature *signature, int resident_warps, int resident_blocks)
{
    memset(files, 0, sizeof *files);
    files->options = options;
    if (!read_fitting(options->output, signature, &files->recipe)) {
        files->recipe.signature = *signature;
        files->recipe.resident_warps = resident_warps;
        files->recipe.resident_blocks = resident_blocks;
    }
    set_made(files);
    resume(files, signature);
    return true;
}

static bool complain(const char *path, const char *fault)
{
    fprintf(stderr, "mublas tune: %s: %s\n", path, fault);
    return false;
}

static bool write_recipe(const struct recipe *recipe, const char *path)
{
    char fault[RECIPE_FAULT_BYTES];
    return recipe_replace(recipe, path, fault) || complain(path, fault);
}

static bool write_data(const struct tune_files *files, const char *path)
{
    char fault[RECIPE_FAULT_BYTES] = "out of memory", *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return complain(path, fault);
    tuning_data_begin(stream, &files->recipe.signature, files->recipe.made);
    fwrite(files->data, 1, files->data_bytes, stream);
    const bool good = fclose(stream) == 0 && file_replace(path, text, bytes, fault);
    free(text);
    return good || complain(path, fault);
}

static bool append(struct tune_files *files, const char *lines, size_t bytes)
{
    char *more = realloc(files->data, files->data_bytes + bytes + 1);
    if (!more)
        return complain("data", "out of memory");
    memcpy(more + files->data_bytes, lines, bytes);
    files->data = more;
    files->data_bytes += bytes;
    return true;
}

/* Only what this run has learned, so that the next one knows what is left. */
static bool write_partial(const struct tune_files *files)
{
    static struct recipe partial;
    char path[PATH_BYTES];
    partial = files->recipe;
    partial.crossover = NULL;
    for (int class = 0; class < TUNING_CLASSES; class++)
        for (int form = 0; form < TUNING_FORMS; form++)
            if (!files->done[class][form])
                partial.classes[class][form].interval_count = 0;
    path_of(files, ".partial.csv", path);
    if (!write_data(files, path))
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
    snprintf(files->recipe.signature.host, sizeof files->recipe.signature.host, "%s", host);
}

const char *tune_files_present(struct tune_files *files)
{
    path_of(files, ".partial", files->present);
    if (access(files->present, R_OK) == 0)
        return files->present;
    path_of(files, "", files->present);
    return access(files->present, R_OK) == 0 ? files->present : "none";
}

bool tune_files_finish(struct tune_files *files)
{
    char path[PATH_BYTES];
    path_of(files, ".csv", path);
    if (files->data_bytes > 0 && !write_data(files, path))
        return false;
    if (!write_recipe(&files->recipe, files->options->output))
        return false;
    path_of(files, ".partial", path);
    unlink(path);
    path_of(files, ".partial.csv", path);
    unlink(path);
    return true;
}

void tune_files_free(struct tune_files *files)
{
    recipe_clear(&files->recipe);
    free(files->data);
}
