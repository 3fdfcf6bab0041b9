/* sign_recipe FILE WORD LINE: the recipe with the line that begins with WORD replaced, and a
 * hash that agrees: for tests of what a reader makes of it. */
#include "tuner/online/recipe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **arguments)
{
    char line[4096], *text = NULL;
    size_t bytes = 0;
    FILE *file = count == 4 ? fopen(arguments[1], "r") : NULL, *stream = open_memstream(&text, &bytes);
    if (!file || !stream)
        return 1;
    const size_t length = strlen(arguments[2]);
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "hash ", 5) == 0)
            break;
        if (strncmp(line, arguments[2], length) == 0 && line[length] == ' ')
            fprintf(stream, "%s\n", arguments[3]);
        else
            fputs(line, stream);
    }
    fclose(file);
    fclose(stream);
    printf("%shash %016" PRIx64 "\n", text, recipe_hash(text, bytes));
    free(text);
    return 0;
}
