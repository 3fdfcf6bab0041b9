#include "command/tune/tune_files.h"

#include "command/file_replace.h"
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

/* A line on standard error; false. */
static bool complain(const char *path, const char *fault)
{
    fprintf(stderr, "mublas tune: %s: %s\n", path, fault);
    return false;
}

static void note(const char *path, const char *fault, const char *consequence)
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

/* False: of none. */
static bool read_class(const char *line, int *class, enum tuning_form *form)
{
    char name[32], form_name[16];
    if (sscanf(line, "%31[^,],%15[^,],", name, form_name) != 2)
        return false;
    *class = tuning_class_parse(name);
    return *class != TUNING_CLASS_NONE && tuning_form_parse(form_name, form);
}

/* The old file's lines of that device, but for classes and forms that this run has learned. */
static void copy_rows(FILE *stream, const char *path, const char *device,
                      bool learned[TUNING_CLASSES][TUNING_FORMS])
{
    char *line = NULL, device_line[sizeof ((struct recipe_signature *)0)->device + 16];
    size_t room = 0;
    int class;
    enum tuning_form form;
    FILE *old = regular_file_open(path);
    snprintf(device_line, sizeof device_line, "# device %s\n", device);
    while (old && getline(&line, &room, old) > 0) {
        if (strncmp(line, "# device ", 9) == 0 && strcmp(line, device_line) != 0)
            break;
        if (strchr(line, '\n') && read_class(line, &class, &form) && !learned[class][form])
            fputs(line, stream);
    }
    free(line);
    if (old)
        fclose(old);
}

static void path_of(const struct tune_files *files, const char *ending, char path[TUNE_PATH_BYTES])
{
    snprintf(path, TUNE_PATH_BYTES, "%s%s", files->options->output, ending);
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
    char path[TUNE_PATH_BYTES];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        path_of(files, kinds[i].ending, path);
        if (!place_is_ours(path, kinds[i].line, kinds[i].what))
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
        note(options->output, fault, "it will be replaced");
    if (!files->fits) {
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
    return good || complain(path, fault);
}

/* With what was there of classes that this run has not learned, if it is the recipe's. */
static bool write_data(struct tune_files *files, const char *path)
{
    char fault[RECIPE_FAULT_BYTES] = "out of memory", *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return complain(path, fault);
    tuning_data_begin(stream, &files->recipe.signature, files->recipe.made);
    if (files->fits)
        copy_rows(stream, path, files->recipe.signature.device, files->done);
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
        return complain(files->options->output, strerror(errno));
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
    char path[TUNE_PATH_BYTES];
    path_of(files, ".csv", path);
    if (tune_files_have_nothing(files)) {
        note(files->options->output, "nothing was learned", "it is as before");
        return true;
    }
    if (files->data_bytes > 0 && !write_data(files, path))
        return false;
    if (files->data_bytes == 0 && !files->fits)
        unlink(path); /* the data of a recipe that is replaced */
    return write_recipe(&files->recipe, files->options->output);
}

void tune_files_free(struct tune_files *files)
{
    recipe_clear(&files->recipe);
    free(files->data);
}
