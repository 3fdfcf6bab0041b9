#include "command/inspect/parallel_calls.h"

#include <string.h>

#define STATIC "ScaLAPACK is linked statically into it: its calls never come to the loader"

static const char *base_of(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* The names alone tell: distributions and vendors tell the libraries apart so. */
static bool has_wide_integers(const char *path)
{
    const char *const name = base_of(path);
    return begins(name, "libscalapack64") || begins(name, "libmkl_scalapack_ilp64") ||
           (begins(name, "libmkl_blacs_") && strstr(name, "ilp64"));
}

static bool is_elpa(const char *path)
{
    return begins(base_of(path), "libelpa");
}

const char *parallel_loss(const struct link_map *map, int object)
{
    const struct linked_object *const of = &map->objects[object];
    if (of->reason || of->elf.is_mublas || !of->elf.has_scalapack)
        return NULL;
    return of->elf.is_program || !of->elf.exports_scalapack ? STATIC : NULL;
}

static int count_calls(const struct elf_object *elf)
{
    int count = 0;
    for (int i = 0; i < elf->other_imports.count; i++)
        count += parallel_named(elf->other_imports.names[i]);
    return count;
}

/* The library that the loader takes a name from; -1: none. */
static int library_of(const struct link_map *map, const char *name)
{
    for (int i = 0; i < map->count; i++)
        if (!map->objects[i].reason && !map->objects[i].elf.is_mublas &&
            name_list_has(&map->objects[i].elf.other_exports, name))
            return i;
    return -1;
}

static int library_of_calls(const struct link_map *map, const struct elf_object *elf)
{
    for (int i = 0; i < elf->other_imports.count; i++)
        if (parallel_named(elf->other_imports.names[i]))
            return library_of(map, elf->other_imports.names[i]);
    return -1;
}

static void print_names(FILE *stream, const struct elf_object *elf, bool all)
{
    struct name_line line = {.stream = stream, .left = count_calls(elf), .all = all};
    for (int i = 0; line.left > 0; i++)
        if (parallel_named(elf->other_imports.names[i]))
            name_line_add(&line, elf->other_imports.names[i]);
    fputc('\n', stream);
}

static void print_calls(FILE *stream, const struct link_map *map, int object, bool all)
{
    const struct elf_object *const elf = &map->objects[object].elf;
    const int library = library_of_calls(map, elf), count = count_calls(elf);
    fprintf(stream, "  %s: %d routine%s of %s:", map->objects[object].path, count, count == 1 ? "" : "s",
            library < 0 ? "no library here" : map->objects[library].path);
    print_names(stream, elf, all);
    if (library >= 0 && has_wide_integers(map->objects[library].path))
        fputs("    they stay on the host: their integers have 64 bits\n", stream);
}

/* A ScaLAPACK's calls of itself pass. */
static bool is_caller(const struct linked_object *object)
{
    return !object->reason && !object->elf.is_mublas && !object->elf.exports_scalapack &&
           count_calls(&object->elf) > 0;
}

void parallel_calls_print(FILE *stream, const struct link_map *map, bool all)
{
    bool any = false;
    for (int i = 0; i < map->count; i++) {
        if (!is_caller(&map->objects[i]))
            continue;
        if (!any)
            fputs("parallel routines that can run on the GPU, in jobs of one machine (doc/parallel.md):\n", stream);
        any = true;
        print_calls(stream, map, i, all);
    }
    for (int i = 0; i < map->count; i++)
        if (is_elpa(map->objects[i].path))
            fprintf(stream, "ELPA: %s: its eigensolvers stay on the host; BLAS calls in them are intercepted\n",
                    map->objects[i].path);
}
