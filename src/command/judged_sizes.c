#include "command/judged_sizes.h"

#include "command/tune_place.h"
#include "tuner/recipe_write.h"
#include "tuner/statistics.h"
#include "tuner/tuning_data.h"
#include "tuner/tuning_table.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What issue 5 of the tuner asks of each class. */
static const double MEDIAN_WANTED = 0.98, LOW_WANTED = 0.95, LOW = 0.05;

#define MADE_BY "by mublas tune --evaluate"

/* The line that says what was judged: one recipe, to the byte. */
static bool name_recipe(const struct recipe *recipe, char made[80])
{
    size_t bytes;
    char *text = recipe_text(recipe, &bytes);
    if (text)
        snprintf(made, 80, MADE_BY " of a recipe with the hash %016" PRIx64,
                 recipe_hash(text, bytes));
    free(text);
    return text != NULL;
}

static bool is_same_call(const struct tuning_row *a, const struct tuning_row *b)
{
    return a->class == b->class && a->form == b->form && a->m == b->m && a->n == b->n;
}

/* Rows of one call; a call that the last run was cut off in has not all. */
static bool take_call(struct judged_sizes *judged, const struct tuning_row *rows, size_t count)
{
    double us[TUNED_STAGES] = {0};
    for (size_t i = 0; i < count; i++)
        us[rows[i].stage] = rows[i].us;
    if (us[TUNED_CHOSEN] <= 0 || us[TUNED_DEFAULT] <= 0 || us[TUNED_BEST] <= 0)
        return true;
    const struct judged_size size = {rows->form, rows->m, rows->n, us[TUNED_BEST] / us[TUNED_CHOSEN],
                                     us[TUNED_BEST] / us[TUNED_DEFAULT]};
    return judged_sizes_add(judged, rows->class, &size);
}

static bool take_table(struct judged_sizes *judged, const struct tuning_table *table)
{
    bool good = true;
    for (size_t begin = 0, end; begin < table->count && good; begin = end) {
        for (end = begin; end < table->count && is_same_call(&table->rows[begin], &table->rows[end]);)
            end++;
        good = take_call(judged, table->rows + begin, end - begin);
    }
    return good;
}

/* False: there is nothing to go on with. */
static bool read_back(struct judged_sizes *judged, const char *path, const char *made)
{
    char fault[TUNING_FAULT_BYTES];
    struct tuning_table table;
    bool good = false;
    if (access(path, F_OK) != 0)
        return false;
    if (!tuning_table_read(path, &table, fault)) {
        fprintf(stderr, "mublas tune: %s; it is begun anew\n", fault);
        return false;
    }
    if (strcmp(table.made, made) != 0)
        fprintf(stderr, "mublas tune: %s is of another recipe and is begun anew\n", path);
    else
        good = take_table(judged, &table);
    tuning_table_free(&table);
    return good;
}

/* A last line without its end is cut off. */
static bool end_whole(FILE *stream)
{
    long length = fseek(stream, 0, SEEK_END) == 0 ? ftell(stream) : -1;
    while (length > 0 && fseek(stream, length - 1, SEEK_SET) == 0 && fgetc(stream) != '\n')
        length--;
    return length > 0 && ftruncate(fileno(stream), length) == 0 && fseek(stream, 0, SEEK_END) == 0;
}

bool judged_sizes_open(struct judged_sizes *judged, const char *path, const struct recipe *recipe)
{
    char made[80];
    memset(judged, 0, sizeof *judged);
    if (!tune_place_is_ours(path, "# made " MADE_BY, "an evaluation"))
        return false;
    if (!name_recipe(recipe, made)) {
        fputs("mublas tune: out of memory\n", stderr);
        return false;
    }
    if (read_back(judged, path, made)) {
        judged->data = fopen(path, "r+e");
        if (judged->data && end_whole(judged->data))
            return true;
    } else if ((judged->data = fopen(path, "we"))) {
        tuning_data_begin(judged->data, &recipe->signature, made);
        return true;
    }
    fprintf(stderr, "mublas tune: %s: %s\n", path, strerror(errno));
    return false;
}

void judged_sizes_close(struct judged_sizes *judged)
{
    if (judged->data)
        fclose(judged->data);
    for (int class = 0; class < TUNING_CLASSES; class++)
        free(judged->of[class].sizes);
    memset(judged, 0, sizeof *judged);
}

bool judged_sizes_add(struct judged_sizes *judged, int class, const struct judged_size *size)
{
    struct judged_class *of = &judged->of[class];
    if (of->count == of->room) {
        const int room = 2 * of->room + 64;
        struct judged_size *sizes = realloc(of->sizes, (size_t)room * sizeof *sizes);
        if (!sizes)
            return false;
        of->sizes = sizes;
        of->room = room;
    }
    of->sizes[of->count] = *size;
    of->sizes[of->count].efficiency = fmin(size->efficiency, 1);
    of->sizes[of->count++].built_in = fmin(size->built_in, 1);
    return true;
}

bool judged_sizes_has(const struct judged_sizes *judged, int class, const struct blas_call *call)
{
    const struct judged_class *of = &judged->of[class];
    const int64_t m = call->family == FAMILY_GEMV ? call->m : call->n;
    for (int i = 0; i < of->count; i++)
        if (of->sizes[i].m == m && of->sizes[i].n == call->n)
            return true;
    return false;
}

/* Sorted. */
static void print_line(const char *name, const double *efficiencies, const double *built_in, size_t count)
{
    printf("%-16s %5zu %7.1f%% %13.1f%% %7.1f%% %13.1f%% %13.1f%%\n", name, count,
           100 * statistics_quantile(efficiencies, count, 0.5),
           100 * statistics_quantile(efficiencies, count, LOW), 100 * efficiencies[0],
           100 * statistics_quantile(built_in, count, 0.5), 100 * statistics_quantile(built_in, count, LOW));
}

static size_t sort_out(const struct judged_class *of, double *efficiencies, double *built_in)
{
    const size_t count = (size_t)of->count;
    for (size_t i = 0; i < count; i++) {
        efficiencies[i] = of->sizes[i].efficiency;
        built_in[i] = of->sizes[i].built_in;
    }
    if (count > 0) {
        statistics_median(efficiencies, count); /* sorts */
        statistics_median(built_in, count);
    }
    return count;
}

static bool print_class(const struct judged_sizes *judged, int class, double *efficiencies, double *built_in)
{
    const size_t count = sort_out(&judged->of[class], efficiencies, built_in);
    if (count == 0) {
        printf("%-16s no size was judged\n", tuning_class_name(class));
        return false;
    }
    print_line(tuning_class_name(class), efficiencies, built_in, count);
    return statistics_quantile(efficiencies, count, 0.5) >= MEDIAN_WANTED &&
           statistics_quantile(efficiencies, count, LOW) >= LOW_WANTED;
}

bool judged_sizes_print(const struct judged_sizes *judged, const bool wanted[TUNING_CLASSES])
{
    int good = 0, classes = 0;
    size_t all = 0;
    struct judged_class together = {0};
    for (int class = 0; class < TUNING_CLASSES; class++)
        all += wanted[class] ? (size_t)judged->of[class].count : 0;
    double *efficiencies = calloc(all + 1, sizeof *efficiencies),
           *built_in = calloc(all + 1, sizeof *built_in);
    together.sizes = calloc(all + 1, sizeof *together.sizes);
    const bool has_memory = efficiencies && built_in && together.sizes;
    printf("%-16s %5s %8s %14s %8s %14s %14s\n", "class", "sizes", "median", "5th percentile", "worst",
           "built-in median", "5th");
    for (int class = 0; class < TUNING_CLASSES && has_memory; class++) {
        if (!wanted[class])
            continue;
        good += print_class(judged, class, efficiencies, built_in);
        classes++;
        for (int i = 0; i < judged->of[class].count; i++)
            together.sizes[together.count++] = judged->of[class].sizes[i];
    }
    if (has_memory && sort_out(&together, efficiencies, built_in) > 0)
        print_line("all", efficiencies, built_in, all);
    printf("%d of %d classes: median 98%%, 5th percentile 95%% or more\n", good, classes);
    free(together.sizes);
    free(efficiencies);
    free(built_in);
    return classes > 0 && good == classes;
}
