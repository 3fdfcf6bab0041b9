#include "command/tune/tuning_report.h"

#include "command/tune/crossover_table.h"
#include "command/exit_status.h"
#include "tuner/online/recipe.h"
#include "tuner/online/regular_file.h"
#include "tuner/learn/tuning_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

struct report {
    char recipe_path[PATH_BYTES], data_path[PATH_BYTES], folder[PATH_BYTES];
    bool has_data, has_crossovers;
    struct learned_times times;
};

static bool complain(const char *what, const char *why)
{
    fprintf(stderr, "mublas report: %s: %s\n", what, why);
    return false;
}

/* `base` of `bytes` and `ending` into `path`. */
static bool put_path(char path[PATH_BYTES], const char *base, size_t bytes, const char *ending)
{
    const int length = snprintf(path, PATH_BYTES, "%.*s%s", (int)bytes, base, ending);
    return (length > 0 && length < PATH_BYTES) ||
           complain(*base ? base : "--output", length > 0 ? "too long" : "an empty name");
}

static bool name_files(struct report *report, const char *file, const char *folder)
{
    const size_t length = strlen(file);
    const bool is_data = length > 4 && strcmp(file + length - 4, ".csv") == 0;
    const size_t base = is_data ? length - 4 : length;
    if (length >= PATH_BYTES / 2)
        return complain("--tuning", "the path is too long");
    return put_path(report->recipe_path, file, base, "") && put_path(report->data_path, file, base, ".csv") &&
           (folder ? put_path(report->folder, folder, strlen(folder), "")
                   : put_path(report->folder, file, base, "-report"));
}

/* Its first line tells. */
static bool look_at_data(struct report *report)
{
    char line[64];
    FILE *stream = regular_file_open(report->data_path);
    if (!stream)
        return complain(report->data_path, regular_file_fault());
    report->has_data = fgets(line, sizeof line, stream) && strcmp(line, TUNING_DATA_FIRST_LINE "\n") == 0;
    fclose(stream);
    return report->has_data || complain(report->data_path, "not tuning data");
}

static bool read_recipe(struct report *report)
{
    static struct recipe recipe;
    char fault[RECIPE_FAULT_BYTES];
    if (!recipe_read(report->recipe_path, &recipe, fault))
        return complain(report->recipe_path, fault);
    report->has_crossovers = recipe.crossover;
    const bool good = !recipe.crossover || learned_times_parse(&report->times, recipe.crossover, fault);
    recipe_clear(&recipe);
    return good || complain(report->recipe_path, fault);
}

/* One of the two may be missing, unless it is the one that was named. */
static bool read_files(struct report *report, const char *file)
{
    const bool names_data = strcmp(file, report->data_path) == 0;
    if ((names_data || access(report->data_path, F_OK) == 0) && !look_at_data(report))
        return false;
    if ((!names_data || access(report->recipe_path, F_OK) == 0) && !read_recipe(report))
        return false;
    return report->has_data || report->has_crossovers || complain(file, "nothing was measured");
}

static bool write_curves(const struct report *report)
{
    char path[PATH_BYTES + 16];
    if (mkdir(report->folder, 0777) != 0 && errno != EEXIST)
        return complain(report->folder, strerror(errno));
    snprintf(path, sizeof path, "%s/crossovers.csv", report->folder);
    FILE *stream = fopen(path, "we");
    if (!stream)
        return complain(path, strerror(errno));
    crossover_curves(stream, &report->times);
    const bool failed = ferror(stream) != 0;
    return (fclose(stream) == 0 && !failed) || complain(path, "cannot be written");
}

static bool write_report(const struct report *report)
{
    if (report->has_crossovers) {
        if (!write_curves(report))
            return false;
        crossover_table(stdout, &report->times);
        printf("\ncurves are in %s/crossovers.csv\n", report->folder);
    }
    if (report->has_data)
        printf("times of launch shapes are in %s\n", report->data_path);
    puts("bench/tuning_plots.py of mublas' sources sums such files up and draws them");
    return true;
}

/* "--name VALUE" or "--name=VALUE"; 0: another option, -1: without its value, else arguments taken. */
static int take_option(char **arguments, const char *name, const char **value)
{
    const size_t length = strlen(name);
    if (strncmp(arguments[0], name, length) != 0)
        return 0;
    if (arguments[0][length] == '=') {
        *value = arguments[0] + length + 1;
        return 1;
    }
    if (arguments[0][length] != '\0')
        return 0;
    *value = arguments[1];
    return arguments[1] ? 2 : -1;
}

static bool read_options(char **arguments, const char **file, const char **folder)
{
    while (*arguments) {
        int taken = take_option(arguments, "--tuning", file);
        if (taken == 0)
            taken = take_option(arguments, "--output", folder);
        if (taken <= 0) {
            fprintf(stderr, "mublas report: '%s' %s; mublas report --help lists them\n", *arguments,
                    taken < 0 ? "is without a value" : "is not an option");
            return false;
        }
        arguments += taken;
    }
    if (!*file || !**file)
        fputs("mublas report: --tuning FILE is missing\n", stderr);
    return *file && **file;
}

int tuning_report(char **arguments)
{
    const char *file = NULL, *folder = NULL;
    if (!read_options(arguments, &file, &folder))
        return EXIT_BAD_COMMAND_LINE;
    struct report *report = calloc(1, sizeof *report);
    const bool good = report ? name_files(report, file, folder) && read_files(report, file) && write_report(report)
                             : complain("report", "out of memory");
    free(report);
    return good ? 0 : 1;
}
