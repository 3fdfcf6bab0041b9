#include "command/commands.h"

#include <stdio.h>

int inspect_program(char **arguments)
{
    (void)arguments;
    fputs("mublas info: programs cannot be looked into: this mublas was built without libelf\n", stderr);
    return EXIT_BAD_COMMAND_LINE;
}
