#include "tuner/online/built_in_recipes.h"

/* All recipe files of src/tuner/recipes, one after another (built_in_recipes_text.S). */
extern const char mublas_built_in_recipes[] __attribute__((visibility("hidden")));
extern const char mublas_built_in_recipes_end[] __attribute__((visibility("hidden")));

/* A recipe ends in its line of the hash. */
static const char *end_of(const char *text)
{
    const char *line = text;
    while (line < mublas_built_in_recipes_end) {
        const char *next = line;
        while (next < mublas_built_in_recipes_end && *next != '\n')
            next++;
        next += next < mublas_built_in_recipes_end;
        if (next - line > 5 && __builtin_memcmp(line, "hash ", 5) == 0)
            return next;
        line = next;
    }
    return line;
}

const char *built_in_recipe(int number, size_t *bytes)
{
    const char *text = mublas_built_in_recipes;
    while (number-- > 0 && text < mublas_built_in_recipes_end)
        text = end_of(text);
    *bytes = (size_t)(end_of(text) - text);
    return *bytes > 0 ? text : NULL;
}
