#include "command/inspect/report.h"
#include "host/symbols.h"

#include <string.h>

enum { OPENERS_SHOWN = 3 };

static bool has_blas(const struct elf_object *elf)
{
    for (int name = 0; name < SYMBOL_COUNT; name++)
        if (elf->uses[name])
            return true;
    return false;
}

static void print_unread(FILE *stream, const struct link_map *map)
{
    for (int i = 0; i < map->count; i++) {
        const struct linked_object *object = &map->objects[i];
        if (object->reason)
            fprintf(stream, "not looked into: %s: %s\n", object->path, object->reason);
        else if (!object->elf.has_sections && object->elf.is_native)
            fprintf(stream, "not looked into: %s: its section headers were removed\n", object->path);
    }
    for (int i = 0; i < map->missing_count; i++)
        fprintf(stream, "the loader does not find %s, which %s needs\n", map->missing[i].name,
                map->objects[map->missing[i].parent].path);
}

static void print_openers(FILE *stream, const struct link_map *map)
{
    int count = 0;
    for (int i = 0; i < map->count; i++)
        if (map->objects[i].elf.opens_libraries && ++count <= OPENERS_SHOWN)
            fprintf(stream, "%s%s", count > 1 ? ", " : "note: libraries may be opened at run time (by ",
                    map->objects[i].path);
    if (count > OPENERS_SHOWN)
        fprintf(stream, " and %d more", count - OPENERS_SHOWN);
    if (count > 0)
        fputs("): their BLAS calls are intercepted too,\n"
              "  unless it is done with RTLD_DEEPBIND, which no file shows;"
              " look into each with mublas info -- LIBRARY\n",
              stream);
    for (int i = 0; i < map->count; i++)
        if (map->objects[i].elf.opens_namespaces)
            fprintf(stream,
                    "note: %s opens libraries by dlmopen,"
                    " and mublas is not in the namespaces that this makes\n", map->objects[i].path);
}

void notes_print(FILE *stream, const struct link_map *map)
{
    const struct linked_object *first = &map->objects[0];
    print_unread(stream, map);
    if (!first->elf.has_full_symbols && first->elf.has_sections && !has_blas(&first->elf))
        fprintf(stream, "note: %s is stripped: a BLAS linked statically into it does not show\n",
                first->path);
    if (!first->elf.is_program)
        fputs("note: these are the libraries that it gets by itself; a process may have loaded others"
              " of the same names\n", stream);
    if (first->elf.interpreter && strstr(first->elf.interpreter, "musl"))
        fprintf(stream, "note: the program's loader is %s; libraries were looked up as glibc's does\n",
                first->elf.interpreter);
    print_openers(stream, map);
}
