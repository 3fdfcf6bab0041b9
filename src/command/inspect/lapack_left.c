#include "command/inspect/report.h"

#include <string.h>

/* BLAS libraries define these, too; and what mublas has of its own between its libraries is no LAPACK.
 * Parallel routines are told elsewhere. */
static bool is_helper(const char *name)
{
    static const char *const helpers[] = {"xerbla_", "lsame_", "xerbla_array_", "xerbla_64_", "lsame_64_"};
    for (size_t i = 0; i < sizeof helpers / sizeof *helpers; i++)
        if (strcmp(name, helpers[i]) == 0)
            return true;
    return strncmp(name, "mublas_", 7) == 0 || parallel_named(name);
}

/* The library with a LAPACK that the loader takes the name from; -1: none. */
static int lapack_of(const struct link_map *map, const char *name)
{
    for (int i = map->objects[0].elf.is_program; i < map->count && !is_helper(name); i++)
        if (!map->objects[i].reason && name_list_has(&map->objects[i].elf.other_exports, name))
            return map->objects[i].elf.has_lapack ? i : -1;
    return -1;
}

static bool is_left(const struct link_map *map, int object, int name, int library)
{
    return lapack_of(map, map->objects[object].elf.other_imports.names[name]) == library;
}

static int count_left(const struct link_map *map, int object, int library)
{
    int count = 0;
    for (int i = 0; i < map->objects[object].elf.other_imports.count; i++)
        count += is_left(map, object, i, library);
    return count;
}

static void print_left(FILE *stream, const struct link_map *map, int object, int library, bool all)
{
    struct name_line line = {.stream = stream, .left = count_left(map, object, library), .all = all};
    fprintf(stream, "  %s: %d routine%s of %s:", map->objects[object].path, line.left,
            line.left == 1 ? "" : "s", map->objects[library].path);
    for (int i = 0; line.left > 0; i++)
        if (is_left(map, object, i, library))
            name_line_add(&line, map->objects[object].elf.other_imports.names[i]);
    fputc('\n', stream);
}

void lapack_left_print(FILE *stream, const struct link_map *map, bool all)
{
    bool any = false;
    for (int library = map->objects[0].elf.is_program; library < map->count; library++)
        for (int i = 0; i < map->count && map->objects[library].elf.has_lapack; i++) {
            if (map->objects[i].reason || count_left(map, i, library) == 0)
                continue;
            if (!any)
                fputs("LAPACK that is left to the host as a whole:\n", stream);
            any = true;
            print_left(stream, map, i, library, all);
        }
}
