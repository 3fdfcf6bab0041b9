#include "command/tuning_report.h"

#include "command/crossover_chart.h"
#include "command/commands.h"
#include "command/peer_times.h"
#include "command/tuning_chart.h"
#include "command/tuning_summary.h"
#include "tuner/recipe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

struct report {
    char recipe_path[PATH_BYTES], data_path[PATH_BYTES], folder[PATH_BYTES];
    bool has_data, has_recipe, has_crossovers;
    struct tuning_table table;
    struct recipe recipe;
    struct learned_times times;
    int plots;
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

static bool read_data(struct report *report, const char *peer)
{
    char fault[TUNING_FAULT_BYTES];
    if (!tuning_table_read(report->data_path, &report->table, fault) ||
        (peer && report->table.count > 0 && !peer_times_add(peer, &report->table, fault))) {
        fprintf(stderr, "mublas report: %s\n", fault);
        return false;
    }
    report->has_data = report->table.count > 0;
    return true;
}

static bool read_recipe(struct report *report)
{
    char fault[RECIPE_FAULT_BYTES];
    report->has_recipe = recipe_read(report->recipe_path, &report->recipe, fault);
    report->has_crossovers = report->has_recipe && report->recipe.crossover;
    if (report->has_crossovers && !learned_times_parse(&report->times, report->recipe.crossover, fault))
        return complain(report->recipe_path, fault);
    return report->has_recipe || complain(report->recipe_path, fault);
}

static FILE *create(const struct report *report, const char *name)
{
    char path[PATH_BYTES + 64];
    snprintf(path, sizeof path, "%s/%s", report->folder, name);
    FILE *stream = fopen(path, "we");
    if (!stream)
        complain(path, strerror(errno));
    return stream;
}

static bool finish(FILE *stream, const char *name)
{
    const bool failed = ferror(stream) != 0;
    return (fclose(stream) == 0 && !failed) || complain(name, "cannot be written");
}

static bool draw_classes(struct report *report)
{
    struct tuning_group class = {NULL, 0};
    char name[64];
    while (tuning_next_class(&report->table, &class)) {
        const bool has_forms = tuning_class_forms(class.rows->class) > 1;
        snprintf(name, sizeof name, "%s%s%s.svg", tuning_class_name(class.rows->class), has_forms ? "-" : "",
                 has_forms ? tuning_form_name(class.rows->form) : "");
        FILE *stream = create(report, name);
        if (!stream)
            return false;
        const struct class_recipe *rules = &report->recipe.classes[class.rows->class][class.rows->form];
        tuning_chart(stream, report->table.device, &class, report->has_recipe ? rules : NULL);
        if (!finish(stream, name))
            return false;
        report->plots++;
    }
    return true;
}

static bool draw_crossovers(struct report *report)
{
    char name[64];
    for (enum blas_family family = 0; report->has_crossovers && family < FAMILY_COUNT; family++) {
        if (crossover_chart_panels(&report->times, family) == 0)
            continue;
        snprintf(name, sizeof name, "crossover-%s.svg", crossover_family_name(family));
        FILE *stream = create(report, name);
        if (!stream)
            return false;
        crossover_chart(stream, &report->times, family);
        if (!finish(stream, name))
            return false;
        report->plots++;
    }
    return true;
}

static void summarise(FILE *stream, const struct report *report)
{
    if (report->has_data)
        tuning_summary(stream, &report->table);
    if (report->has_crossovers)
        crossover_summary(stream, &report->times);
}

static bool write_report(struct report *report)
{
    if (mkdir(report->folder, 0777) != 0 && errno != EEXIST)
        return complain(report->folder, strerror(errno));
    FILE *stream = create(report, "summary.txt");
    if (!stream)
        return false;
    summarise(stream, report);
    if (!finish(stream, "summary.txt") || !draw_classes(report) || !draw_crossovers(report))
        return false;
    summarise(stdout, report);
    printf("\n%d plots in %s\n", report->plots, report->folder);
    return true;
}

/* One of the two may be missing, unless it is the one that was named. */
static bool read_files(struct report *report, const char *file, const char *peer)
{
    const bool names_data = strcmp(file, report->data_path) == 0;
    if ((names_data || access(report->data_path, F_OK) == 0) && !read_data(report, peer))
        return false;
    if ((!names_data || access(report->recipe_path, F_OK) == 0) && !read_recipe(report))
        return false;
    return report->has_data || report->has_crossovers || complain(file, "nothing was measured");
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

struct options {
    const char *file, *peer, *folder;
};

static bool read_options(char **arguments, struct options *options)
{
    const struct {
        const char *name, **value;
    } known[] = {{"--tuning", &options->file}, {"--peer", &options->peer}, {"--output", &options->folder}};
    while (*arguments) {
        int taken = 0;
        for (size_t i = 0; i < sizeof known / sizeof *known && taken == 0; i++)
            taken = take_option(arguments, known[i].name, known[i].value);
        if (taken <= 0) {
            fprintf(stderr, "mublas report: '%s' %s; mublas report --help lists them\n", *arguments,
                    taken < 0 ? "is without a value" : "is not an option");
            return false;
        }
        arguments += taken;
    }
    if (!options->file || !*options->file)
        fputs("mublas report: --tuning FILE is missing\n", stderr);
    return options->file && *options->file;
}

int tuning_report(char **arguments)
{
    struct options options = {NULL, NULL, NULL};
    if (!read_options(arguments, &options))
        return EXIT_BAD_COMMAND_LINE;
    struct report *report = calloc(1, sizeof *report);
    const bool good = report ? name_files(report, options.file, options.folder) &&
                                   read_files(report, options.file, options.peer) && write_report(report)
                             : complain("report", "out of memory");
    if (report) {
        tuning_table_free(&report->table);
        if (report->has_recipe)
            recipe_clear(&report->recipe);
    }
    free(report);
    return good ? 0 : 1;
}
