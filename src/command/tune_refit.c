#include "command/tune_refit.h"

#include "command/tune_place.h"
#include "tuner/recipe_refit.h"
#include "tuner/recipe_write.h"
#include "tuner/tuning_data.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print(const struct recipe *recipe,
                  struct refit_summary summaries[TUNING_CLASSES][TUNING_FORMS])
{
    printf("%-16s %-7s %6s %6s %10s %9s %8s %8s\n", "class", "form", "sizes", "rules", "chooser", "speed-up",
           "median", "5th");
    for (int class = 0; class < TUNING_CLASSES; class++)
        for (int form = 0; form < TUNING_FORMS; form++) {
            const struct refit_summary *summary = &summaries[class][form];
            const char *name = tuning_form_name((enum tuning_form)form);
            if (summary->sizes > 0)
                printf("%-16s %-7s %6zu %6d %10s %9.3f %7.1f%% %7.1f%%\n", tuning_class_name(class), name,
                       summary->sizes, summary->rules, chooser_names[summary->chooser], summary->gain,
                       100 * summary->median, 100 * summary->low);
            else if (recipe->classes[class][form].interval_count > 0)
                printf("%-16s %-7s as before\n", tuning_class_name(class), name);
        }
    printf("foretold for each size from the others; speed-up: of what was learned over the built-in shapes; "
           "median, 5th percentile: of the fastest shape's time there over that of the rules'\n");
}

/* The data beside a recipe that is replaced are not the new one's. */
static bool write_recipe(const struct recipe *recipe, const char *path, const char *from)
{
    char fault[RECIPE_FAULT_BYTES], data[TUNE_PATH_BYTES];
    snprintf(data, sizeof data, "%s.csv", path);
    if (strcmp(path, from) != 0 && unlink(data) != 0 && errno != ENOENT)
        return tune_complain(data, strerror(errno));
    return recipe_replace(recipe, path, fault) || tune_complain(path, fault);
}

static bool refit(const struct tune_options *options, struct recipe *recipe, const struct tuning_table *table)
{
    static struct refit_summary summaries[TUNING_CLASSES][TUNING_FORMS];
    const size_t most = tuning_settings_of(options->breadth).rules_most;
    static const char how[] = ", refitted";
    if (strcmp(table->device, recipe->signature.device) != 0)
        return tune_complain(options->refit, "the data beside it are of another device");
    if (!recipe_refit(table, most, recipe, summaries))
        return tune_complain(options->refit, "out of memory, or too few times of a class for rules");
    if (!strstr(recipe->made, how) && strlen(recipe->made) + sizeof how <= sizeof recipe->made)
        strcat(recipe->made, how);
    print(recipe, summaries);
    return write_recipe(recipe, options->output, options->refit);
}

int tune_refit(const struct tune_options *options)
{
    static struct recipe recipe;
    struct tuning_table table;
    char fault[TUNING_FAULT_BYTES], path[TUNE_PATH_BYTES];
    snprintf(path, sizeof path, "%s.csv", options->output);
    if (!tune_place_is_ours(options->output, TUNE_RECIPE_LINE, "a recipe") ||
        !tune_place_is_ours(path, TUNING_DATA_FIRST_LINE, "tuning data"))
        return 1;
    if (!recipe_read(options->refit, &recipe, fault)) {
        tune_complain(options->refit, fault);
        return 1;
    }
    snprintf(path, sizeof path, "%s.csv", options->refit);
    bool good = false;
    if (tuning_table_read(path, &table, fault)) {
        good = refit(options, &recipe, &table);
        tuning_table_free(&table);
    } else
        fprintf(stderr, "mublas tune: %s\n", fault); /* names the file */
    recipe_clear(&recipe);
    return good ? 0 : 1;
}
