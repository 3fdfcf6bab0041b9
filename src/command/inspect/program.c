#include "command/commands.h"
#include "command/inspect/report.h"
#include "command/run/program_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SCRIPTS_MAX = 4 /* scripts that run scripts; the kernel has the same limit */ };

static int complain(const char *subject, const char *reason)
{
    fprintf(stderr, "mublas info: %s: %s\n", subject, reason);
    return EXIT_BAD_COMMAND_LINE;
}

static bool find_file(const char *name, char *path, size_t size)
{
    if (program_file_find(name, path, size))
        return true;
    /* Users name a shared library like a file, also in the present folder. */
    return !strchr(name, '/') && snprintf(path, size, "./%s", name) < (int)size && access(path, F_OK) == 0;
}

/* Follows `#!` lines from `path` to the program that runs. Returns 0, or the exit status. */
static int follow_scripts(char *path, size_t size)
{
    char interpreter[PATH_MAX];
    for (int i = 0; i < SCRIPTS_MAX && program_file_interpreter(path, interpreter, sizeof interpreter); i++) {
        char script[PATH_MAX];
        snprintf(script, sizeof script, "%s", path);
        if (!program_file_find(interpreter, path, size)) {
            fprintf(stderr, "mublas info: %s: it is a script for %s, which does not exist\n", script,
                    interpreter);
            return EXIT_BAD_COMMAND_LINE;
        }
        printf("script: %s, run by %s\n", script, path);
    }
    return 0;
}

static int inspect_file(const char *name, bool verbose)
{
    char path[PATH_MAX];
    struct link_map map;
    if (!find_file(name, path, sizeof path))
        return complain(name, "no such program or file");
    if (access(path, R_OK) != 0)
        return complain(path, strerror(errno));
    int status = follow_scripts(path, sizeof path);
    if (status != 0)
        return status;
    const char *reason = link_map_make(path, &map);
    if (reason)
        status = complain(path, reason);
    else
        inspect_report(stdout, &map, verbose);
    link_map_clear(&map);
    return status;
}

int inspect_program(char **arguments)
{
    bool verbose = false;
    for (; *arguments && **arguments == '-'; arguments++) {
        if (strcmp(*arguments, "--") == 0) {
            arguments++;
            break;
        }
        if (strcmp(*arguments, "--verbose") != 0)
            return complain(*arguments, "not an option; usage: mublas info [--verbose] -- PROGRAM");
        verbose = true;
    }
    if (!*arguments || !**arguments)
        return complain("no program", "usage: mublas info [--verbose] -- PROGRAM");
    return inspect_file(*arguments, verbose);
}
