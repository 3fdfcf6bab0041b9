#include "command/tune_refit.h"

#include "command/tune_files.h"
#include "tuner/recipe_refit.h"
#include "tuner/recipe_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int complain(const char *what, const char *fault)
{
    fprintf(stderr, "mublas tune: %s: %s\n", what, fault);
    return 1;
}

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
    char data[TUNE_PATH_BYTES], old[16];
    snprintf(data, sizeof data, "%s.csv", recipe);
    tune_files_find_old(recipe, old);
    if (access(recipe, F_OK) == 0 && !tune_files_set_aside(recipe, old, false))
        return false;
    if (access(data, F_OK) == 0 && !tune_files_set_aside(recipe, old, true))
        return false;
    unlink(data); /* it may have two names now */
    return true;
}

static int write_recipe(const struct recipe *recipe, const char *path, const char *from)
{
    char fault[RECIPE_FAULT_BYTES];
    if (strcmp(path, from) != 0 && !set_aside(path))
        return 1;
    return recipe_replace(recipe, path, fault) ? 0 : complain(path, fault);
}

static int refit(const struct tune_options *options, struct recipe *recipe, const struct tuning_table *table)
{
    static struct refit_summary summaries[TUNING_CLASSES][TUNING_FORMS];
    const size_t most = tuning_settings_of(options->breadth).rules_most;
    static const char how[] = ", refitted";
    if (strcmp(table->device, recipe->signature.device) != 0)
        return complain(options->refit, "the data beside it are of another device");
    if (!recipe_refit(table, most, recipe, summaries))
        return complain(options->refit, "out of memory, or too few times of a class for rules");
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
    if (!tune_files_is_place(options->output, TUNE_RECIPE_LINE, "a recipe"))
        return 1;
    if (!recipe_read(options->refit, &recipe, fault))
        return complain(options->refit, fault);
    snprintf(path, sizeof path, "%s.csv", options->refit);
    int status = 1;
    if (tuning_table_read(path, &table, fault)) {
        status = refit(options, &recipe, &table);
        tuning_table_free(&table);
    } else
        fprintf(stderr, "mublas tune: %s\n", fault); /* names the file */
    recipe_clear(&recipe);
    return status;
}
