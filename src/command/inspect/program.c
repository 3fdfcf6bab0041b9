/* Programs by name or through their scripts, and which of their calls cannot be intercepted (losses_* of
 * link_map.h). */
#include "command/commands.h"
#include "command/inspect/link_map.h"
#include "command/run/run.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORTED \
    " is linked statically into the program, and exported: the loader asks the program before any preloaded" \
    " library"
#define HIDDEN " is linked statically into it, and hidden from the loader"
#define AT_LINKING " when it was linked (as by -Bsymbolic-functions)"

/* `kind` is CHOICE_BLAS or CHOICE_LAPACK. */
static int count_of(const struct program_map *map, int object, enum interception end, int kind)
{
    struct name_choice choice = {object, end, kind, CHOICE_ANY_HOST};
    return name_choice_count(map, &choice);
}

/* Why calls with this end are lost. `has_lapack`: BLAS names of an object that has a LAPACK. */
static const char *reason_of(int object, enum interception end, bool is_lapack, bool has_lapack)
{
    switch (end) {
    case INTERCEPTION_PROGRAM:
        if (object != 0)
            return "the loader finds them in the program itself, before any preloaded library";
        return is_lapack ? "a LAPACK" EXPORTED : "a BLAS" EXPORTED;
    case INTERCEPTION_SYMBOLIC:
        return has_lapack ? "it is linked with -Bsymbolic: calls of the LAPACK in it never leave it"
                          : "it defines them and is linked with -Bsymbolic: its own calls never leave it";
    case INTERCEPTION_PROTECTED:
        return has_lapack ? "it has them as protected symbols: calls of the LAPACK in it never leave it"
                          : "it defines them as protected symbols: its own calls never leave it";
    case INTERCEPTION_BOUND:
        return has_lapack ? "calls of the LAPACK in it were bound" AT_LINKING
                          : "it defines them, and its own calls, if any, were bound" AT_LINKING;
    case INTERCEPTION_INSIDE:
        return is_lapack ? "a LAPACK" HIDDEN : "a BLAS" HIDDEN;
    default:
        return "";
    }
}

/* A host BLAS that calls itself is no loss, unless it has a LAPACK and no call of that goes through the
 * loader. A LAPACK seldom calls its own drivers: that is no loss. */
static bool is_loss(const struct program_map *map, int object, enum interception end, int kind)
{
    if (end <= INTERCEPTION_CAUGHT || count_of(map, object, end, kind) == 0)
        return false;
    if (end == INTERCEPTION_PROGRAM || end == INTERCEPTION_INSIDE || !interception_is_host(map, object))
        return true;
    return kind == CHOICE_BLAS && map->objects[object].elf.has_lapack &&
           count_of(map, object, INTERCEPTION_CAUGHT, kind) == 0;
}

bool losses_any(const struct program_map *map)
{
    for (int i = 0; i < map->count; i++) {
        if (parallel_loss(map, i))
            return true;
        for (int end = 0; end < INTERCEPTION_COUNT; end++)
            if (is_loss(map, i, (enum interception)end, CHOICE_BLAS) ||
                is_loss(map, i, (enum interception)end, CHOICE_LAPACK))
                return true;
    }
    return false;
}

static void print_loss(FILE *stream, const struct program_map *map, const struct name_choice *choice,
                       bool all)
{
    const bool is_lapack = choice->interface == CHOICE_LAPACK;
    const bool has_lapack = !is_lapack && map->objects[choice->object].elf.has_lapack;
    const int count = name_choice_count(map, choice);
    fprintf(stream, "  %s: %d %sroutine%s:", map->objects[choice->object].path, count,
            is_lapack ? "LAPACK " : "", count == 1 ? "" : "s");
    name_choice_print(stream, map, choice, all);
    fprintf(stream, "\n    %s\n", reason_of(choice->object, choice->end, is_lapack, has_lapack));
}

/* Prints which object has how many routines that cannot be intercepted, and why, without an end of line and
 * with ; between; nothing where there are none. Not after a refusal. */
static void losses_print_line(FILE *stream, const struct program_map *map)
{
    const char *before = "";
    for (int i = 0; i < 2 * map->count; i++)
        for (int end = 0; end < INTERCEPTION_COUNT; end++) {
            const bool is_lapack = i % 2;
            const struct name_choice choice = {i / 2, (enum interception)end,
                                               is_lapack ? CHOICE_LAPACK : CHOICE_BLAS, CHOICE_ANY_HOST};
            if (!is_loss(map, choice.object, choice.end, choice.interface))
                continue;
            const struct linked_object *const object = &map->objects[choice.object];
            const int count = name_choice_count(map, &choice);
            fprintf(stream, "%s%s: %d %s routine%s: %s", before, object->path, count,
                    is_lapack ? "LAPACK" : "BLAS", count == 1 ? "" : "s",
                    reason_of(choice.object, choice.end, is_lapack, !is_lapack && object->elf.has_lapack));
            before = "; ";
        }
    for (int i = 0; i < map->count; i++)
        if (parallel_loss(map, i)) {
            fprintf(stream, "%s%s: %s", before, map->objects[i].path, parallel_loss(map, i));
            before = "; ";
        }
}

const char *losses_refusal(const struct program_map *map)
{
    const struct elf_object *elf = &map->objects[0].elf;
    if (!elf->is_native)
        return program_is_foreign;
    if (elf->is_static)
        return program_is_static;
    return elf->is_program ? program_file_refusal(map->objects[0].path) : NULL;
}

/* `any`: the heading is there. */
static void print_parallel(FILE *stream, const struct program_map *map, bool any)
{
    for (int i = 0; i < map->count; i++) {
        const char *const loss = parallel_loss(map, i);
        if (!loss)
            continue;
        fprintf(stream, "%s  %s: %s\n", any ? "" : "cannot be intercepted:\n", map->objects[i].path, loss);
        any = true;
    }
}

void losses_print(FILE *stream, const struct program_map *map, const char *refusal, bool all)
{
    bool any = refusal != NULL;
    if (refusal)
        fprintf(stream, "cannot be intercepted:\n  %s: %s\n", map->objects[0].path, refusal);
    for (int i = 0; i < 2 * map->count; i++)
        for (int end = 0; end < INTERCEPTION_COUNT; end++) {
            const struct name_choice choice = {i / 2, (enum interception)end,
                                               i % 2 ? CHOICE_LAPACK : CHOICE_BLAS, CHOICE_ANY_HOST};
            if (!is_loss(map, choice.object, choice.end, choice.interface))
                continue;
            if (!any)
                fputs("cannot be intercepted:\n", stream);
            any = true;
            print_loss(stream, map, &choice, all);
        }
    if (!refusal)
        print_parallel(stream, map, any);
}

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
    char path[PATH_MAX], asked[PATH_MAX];
    struct program_map map;
    if (!find_file(name, path, sizeof path))
        return complain(name, "no such program or file");
    if (access(path, R_OK) != 0)
        return complain(path, strerror(errno));
    memcpy(asked, path, sizeof asked);
    int status = follow_scripts(path, sizeof path);
    if (status != 0)
        return status;
    const char *reason = link_map_make(path, &map);
    if (reason)
        status = complain(path, reason);
    else
        inspect_report(stdout, &map, asked, verbose);
    link_map_clear(&map);
    return status;
}

/* *refusal: why mublas gets none of the program's calls, or NULL. */
static char *unreachable_line(const struct program_map *map, const char **refusal)
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
    struct program_map map;
    *is_refused = false;
    if (snprintf(program, sizeof program, "%s", path) >= (int)sizeof program ||
        !program_file_follow(program, sizeof program))
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
