#include "command/commands.h"

#include <stddef.h>
#include <stdio.h>

int inspect_program(char **arguments)
{
    (void)arguments;
    fputs("mublas info: programs cannot be looked into: this mublas was built without libelf\n", stderr);
    return EXIT_BAD_COMMAND_LINE;
}

char *inspect_unreachable(const char *path, bool *is_refused)
{
    (void)path;
    *is_refused = false;
    return NULL;
}
