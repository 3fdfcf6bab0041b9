#include "command/tune/tune_files.h"

#include "command/file_replace.h"
#include "command/tune/tune_place.h"
#include "tuner/learn/recipe_write.h"
#include "tuner/learn/timing/tuning_data.h"
#include "common/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PATH_BYTES = TUNE_PATH_BYTES, TUNING_FAULT_BYTES = PATH_BYTES + 64 };

/* False: of none. */
static bool read_class(const char *line, int *class, enum tuning_form *form)
{
    char name[32], form_name[16];
    if (sscanf(line, "%31[^,],%15[^,],", name, form_name) != 2)
        return false;
    *class = tuning_class_parse(name);
    return *class != TUNING_CLASS_NONE && tuning_form_parse(form_name, form);
}

/* A row goes to `copy`. NULL, or what is wrong with the line. */
static const char *take_line(const char *line, int number, const char *device, FILE *copy)
{
    static const char device_line[] = "# device ";
    int class;
    enum tuning_form form;
    if (number == 1 && strcmp(line, TUNING_DATA_FIRST_LINE "\n") != 0)
        return "not '" TUNING_DATA_FIRST_LINE "'";
    if (strncmp(line, device_line, sizeof device_line - 1) == 0) {
        const char *name = line + sizeof device_line - 1;
        return strncmp(name, device, strlen(device)) == 0 && name[strlen(device)] == '\n'
                   ? NULL
                   : "of another device";
    }
    if (line[0] == '#' || strcmp(line, TUNING_DATA_COLUMNS "\n") == 0 || !strchr(line, '\n'))
        return NULL;
    if (!read_class(line, &class, &form))
        return "a line of no class";
    return fputs(line, copy) < 0 ? "out of memory" : NULL;
}

/* The lines of a data file of that device, NUL-terminated, to be freed; a last one without an end is left
 * out. NULL: `fault` says why it cannot be used, "" where there is no such file. */
static char *read_rows(const char *path, const char *device, char fault[TUNING_FAULT_BYTES])
{
    char *rows = NULL, *line = NULL;
    const char *wrong = NULL;
    size_t bytes, room = 0;
    FILE *stream = regular_file_open(path), *copy = stream ? open_memstream(&rows, &bytes) : NULL;
    *fault = '\0';
    if (!stream) {
        if (errno != ENOENT)
            snprintf(fault, TUNING_FAULT_BYTES, "%s: %s", path, regular_file_fault());
        return NULL;
    }
    for (int number = 1; !wrong && copy && getline(&line, &room, stream) > 0; number++)
        wrong = take_line(line, number, device, copy);
    free(line);
    fclose(stream);
    if (!copy || fclose(copy) != 0)
        wrong = "out of memory";
    if (!wrong)
        return rows;
    snprintf(fault, TUNING_FAULT_BYTES, "%s: %s", path, wrong);
    free(rows);
    return NULL;
}

/* Those of classes and forms that this run has not learned. */
static void write_rows(FILE *stream, const char *rows, bool learned[TUNING_CLASSES][TUNING_FORMS])
{
    for (const char *line = rows, *end; line && (end = strchr(line, '\n')); line = end + 1) {
        int class;
        enum tuning_form form;
        if (read_class(line, &class, &form) && !learned[class][form])
            fwrite(line, 1, (size_t)(end + 1 - line), stream);
    }
}

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
                 {".csv", TUNING_DATA_FIRST_LINE, "tuning data"}};
    char path[PATH_BYTES];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        path_of(files, kinds[i].ending, path);
        if (!tune_place_is_ours(path, kinds[i].line, kinds[i].what))
            return false;
    }
    return true;
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

/* A line says what the new files will replace because it is of no use here. */
static void find_outdated(struct tune_files *files, const struct recipe_signature *signature, bool fits,
                          const char *fault)
{
    static const char consequence[] = "it will be replaced";
    char path[PATH_BYTES], data_fault[TUNING_FAULT_BYTES];
    path_of(files, ".csv", path);
    char *rows = read_rows(path, signature->device, data_fault);
    if (!fits && *fault)
        tune_note(files->options->output, fault, consequence);
    else if (*data_fault)
        fprintf(stderr, "mublas tune: %s; %s\n", data_fault, consequence); /* names the file */
    else if (!fits && rows)
        tune_note(path, "there is no recipe of these data", consequence);
    files->has_outdated_data = *data_fault || (!fits && rows);
    if (fits)
        files->before = rows;
    else
        free(rows);
}

bool tune_files_begin(struct tune_files *files, const struct tune_options *options,
                      const struct recipe_signature *signature, const struct occupancy_figures *limits)
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
        files->recipe.resident_warps = limits->warps;
        files->recipe.resident_blocks = limits->blocks;
    }
    set_made(files);
    return true;
}

static bool write_recipe(const struct recipe *recipe, const char *path)
{
    char fault[FILE_FAULT_BYTES] = "out of memory";
    size_t bytes;
    char *text = recipe_text(recipe, &bytes);
    const bool good = text && file_replace(path, text, bytes, fault);
    free(text);
    return good || tune_complain(path, fault);
}

/* With the earlier lines of what this run has not learned. */
static bool write_data(struct tune_files *files, const char *path)
{
    char fault[RECIPE_FAULT_BYTES] = "out of memory", *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return tune_complain(path, fault);
    tuning_data_begin(stream, &files->recipe.signature, files->recipe.made);
    write_rows(stream, files->before, files->done);
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

bool tune_files_keep(struct tune_files *files, int class, enum tuning_form form,
                     const struct class_recipe *rules, const char *lines, size_t bytes)
{
    files->recipe.classes[class][form] = *rules;
    files->done[class][form] = true;
    return append(files, lines, bytes);
}

void tune_files_keep_crossover(struct tune_files *files, char *crossover, const char *host)
{
    free(files->recipe.crossover);
    files->recipe.crossover = crossover;
    files->calls_done = true;
    snprintf(files->recipe.signature.host, sizeof files->recipe.signature.host, "%s", host);
}

static bool any_done(const struct tune_files *files)
{
    for (int class = 0; class < TUNING_CLASSES; class++)
        for (int form = 0; form < TUNING_FORMS; form++)
            if (files->done[class][form])
                return true;
    return false;
}

/* Without crossovers, which this run may be about to replace. */
static bool write_shapes(struct tune_files *files)
{
    static struct recipe shapes;
    path_of(files, ".XXXXXX", files->shapes);
    const int file = mkostemp(files->shapes, O_CLOEXEC);
    if (file < 0) {
        files->shapes[0] = '\0';
        return tune_complain(files->options->output, strerror(errno));
    }
    close(file);
    shapes = files->recipe;
    shapes.crossover = NULL;
    return write_recipe(&shapes, files->shapes);
}

const char *tune_files_shapes(struct tune_files *files)
{
    if (any_done(files))
        return write_shapes(files) ? files->shapes : NULL;
    return access(files->options->output, R_OK) == 0 ? files->options->output : "none";
}

void tune_files_remove_shapes(struct tune_files *files)
{
    if (files->shapes[0])
        unlink(files->shapes);
    files->shapes[0] = '\0';
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
        tune_note(files->options->output, "nothing was learned", "it is as before");
        return true;
    }
    if ((files->data_bytes > 0 || files->has_outdated_data) && !write_data(files, path))
        return false;
    return write_recipe(&files->recipe, files->options->output);
}

void tune_files_free(struct tune_files *files)
{
    recipe_clear(&files->recipe);
    free(files->data);
    free(files->before);
}
