/* Recipes in files. */
#include "tuner/online/recipe.h"
#include "tuner/online/trusted_file.h"

#include <stdlib.h>

_Static_assert((int)RECIPE_FAULT_BYTES == (int)TRUSTED_FAULT_BYTES, "faults are handed on");

bool recipe_read(const char *path, struct recipe *recipe, char fault[RECIPE_FAULT_BYTES])
{
    size_t bytes;
    char *text = trusted_file_read(path, RECIPE_TEXT_MAX, &bytes, fault);
    const bool good = text && recipe_parse(text, bytes, recipe, fault);
    free(text);
    return good;
}
