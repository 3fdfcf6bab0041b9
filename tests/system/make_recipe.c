/* make_recipe FILE [Tx]: a recipe for the present device on standard output, with FILE's lines as its
 * crossover section, and launch shapes for dsymv alone, of Tx * 8 threads, or none. */
#include "gpu/device.h"
#include "tuner/learn/shape_timer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void shape_dsymv(struct recipe *recipe, unsigned threads_x)
{
    struct class_recipe *const rules = &recipe->classes[tuning_class_parse("dsymv")][TUNING_SQUARE];
    rules->interval_count = 1;
    rules->intervals[0] = (struct recipe_interval){
        INT64_MAX, {64, threads_x, 8, 1, 0, ORDER_DOWN, 4, VARIANT_LAST_ARRIVER}};
}

int main(int count, char **arguments)
{
    static struct recipe recipe;
    struct device_properties device;
    size_t bytes, room = 0;
    FILE *file = count >= 2 ? fopen(arguments[1], "r") : NULL;
    if (!file || device_query(0, &device) != STATUS_OK)
        return 1;
    recipe.signature = recipe_signature_of(&device);
    strcpy(recipe.made, "by a test");
    recipe.resident_warps = recipe.resident_blocks = 1;
    if (getdelim(&recipe.crossover, &room, '\0', file) < 0)
        return 1;
    if (count > 2)
        shape_dsymv(&recipe, (unsigned)strtoul(arguments[2], NULL, 10));
    char *text = recipe_text(&recipe, &bytes);
    return !text || fwrite(text, 1, bytes, stdout) != bytes;
}
