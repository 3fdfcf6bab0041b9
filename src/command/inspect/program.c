#include "command/commands.h"
#include "command/inspect/report.h"
#include "command/run/program_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
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

/* The program that runs, where the file is a script: *path. False: it is not found. */
static bool follow_quietly(char *path, size_t size)
{
    char interpreter[PATH_MAX];
    for (int i = 0; i < SCRIPTS_MAX && program_file_interpreter(path, interpreter, sizeof interpreter); i++)
        if (!program_file_find(interpreter, path, size))
            return false;
    return true;
}

/* *refusal: why mublas gets none of the program's calls, or NULL. */
static char *unreachable_line(const struct link_map *map, const char **refusal)
{
    char *line = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&line, &length);
    *refusal = losses_refusal(map);
    if (!stream)
        return NULL;
    if (*refusal)
        fprintf(stream, "%s: %s", map->objects[0].path, *refusal);
    else
        losses_print_line(stream, map);
    if (fclose(stream) == 0 && length > 0)
        return line;
    free(line);
    return NULL;
}

char *inspect_unreachable(const char *path, bool *is_refused)
{
    char program[PATH_MAX], *line = NULL;
    const char *refusal = NULL;
    struct link_map map;
    *is_refused = false;
    if (snprintf(program, sizeof program, "%s", path) >= (int)sizeof program ||
        !follow_quietly(program, sizeof program))
        return NULL;
    if (!link_map_make(program, &map))
        line = unreachable_line(&map, &refusal);
    link_map_clear(&map);
    *is_refused = refusal != NULL;
    return line;
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
