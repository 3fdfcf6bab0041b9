/* make_recipe FILE: a recipe for the present device on standard output, with FILE's lines as its
 * crossover section and no launch shapes. */
#include "gpu/device.h"
#include "tuner/learn/recipe_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **arguments)
{
    static struct recipe recipe;
    struct device_properties device;
    size_t bytes, room = 0;
    FILE *file = count == 2 ? fopen(arguments[1], "r") : NULL;
    if (!file || device_query(0, &device) != STATUS_OK)
        return 1;
    recipe.signature = recipe_signature_of(&device);
    strcpy(recipe.made, "by a test");
    recipe.resident_warps = recipe.resident_blocks = 1;
    if (getdelim(&recipe.crossover, &room, '\0', file) < 0)
        return 1;
    char *text = recipe_text(&recipe, &bytes);
    return !text || fwrite(text, 1, bytes, stdout) != bytes;
}
