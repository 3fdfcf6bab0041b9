#include "command/tune_refit.h"

#include "command/tune_place.h"
#include "tuner/recipe_refit.h"
#include "tuner/recipe_write.h"

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

/* The recipe that is there, if it is another one, stays with its data, and another ending. */
static bool set_aside(const char *recipe)
{
    char old[16];
    tune_place_find_old(recipe, old);
    return (access(recipe, F_OK) != 0 || tune_place_set_aside(recipe, old, false)) &&
           tune_place_move_aside(recipe, old, true);
}

static bool write_recipe(const struct recipe *recipe, const char *path, const char *from)
{
    char fault[RECIPE_FAULT_BYTES];
    if (strcmp(path, from) != 0 && !set_aside(path))
        return false;
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
    char fault[TUNING_FAULT_BYTES], path[sizeof options->output];
    if (!tune_place_is_ours(options->output, TUNE_RECIPE_LINE, "a recipe"))
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
