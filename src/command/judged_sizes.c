#include "command/judged_sizes.h"

#include "command/tune_place.h"
#include "tuner/recipe_write.h"
#include "tuner/statistics.h"
#include "tuner/tuning_data.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    judged->data = fopen(path, "we");
    if (!judged->data)
        return tune_complain(path, strerror(errno));
    tuning_data_begin(judged->data, &recipe->signature, made);
    return true;
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
