#include "command/inspect/interception.h"
#include "host/symbols.h"

#include <stdio.h>
#include <string.h>

static int uses_of(const struct link_map *map, int object, int name)
{
    const struct linked_object *linked = &map->objects[object];
    return linked->reason || linked->elf.is_mublas ? 0 : linked->elf.uses[name];
}

/* The Fortran routine, by its plain name, that the C name stands for; -1: none. */
static int fortran_symbol(enum symbol symbol)
{
    static const char prefix[] = "cblas_";
    char text[40];
    const char *name = symbol_name(symbol_plain(symbol));
    if (!interface_is_cblas(symbol_interface(symbol)) || strncmp(name, prefix, sizeof prefix - 1) != 0)
        return -1;
    name += sizeof prefix - 1;
    int length = (int)strlen(name);
    if (length > 4 && strcmp(name + length - 4, "_sub") == 0)
        length -= 4;
    return snprintf(text, sizeof text, "%.*s_", length, name) < (int)sizeof text ? symbol_named(text) : -1;
}

/* True when the object defines the C name and asks the loader for the Fortran routine: then the definition is
 * a wrapper, not a BLAS, and the routine that it calls counts. */
static bool is_wrapper(const struct link_map *map, int object, int name)
{
    if (!(uses_of(map, object, name) & (USE_EXPORTED | USE_INSIDE)))
        return false;
    const int plain = fortran_symbol((enum symbol)name);
    for (int interface = INTERFACE_NAME_; plain >= 0 && interface < INTERFACE_cblas_NAME; interface++)
        if (uses_of(map, object, plain + interface - INTERFACE_NAME_) & USE_IMPORTED)
            return true;
    return false;
}

static enum interception through_loader(const struct link_map *map, int name)
{
    bool program_first = map->objects[0].elf.is_program && (uses_of(map, 0, name) & USE_EXPORTED);
    if (!program_first)
        return INTERCEPTION_CAUGHT;
    return is_wrapper(map, 0, name) ? INTERCEPTION_NONE : INTERCEPTION_PROGRAM;
}

static enum interception end_of(const struct link_map *map, int object, int name)
{
    const struct elf_object *elf = &map->objects[object].elf;
    int uses = uses_of(map, object, name);
    if (uses & USE_EXPORTED) {
        if (object == 0 && elf->is_program)
            return INTERCEPTION_PROGRAM;
        if (uses & USE_PROTECTED)
            return INTERCEPTION_PROTECTED;
        if (elf->is_symbolic)
            return INTERCEPTION_SYMBOLIC;
        if (uses & USE_RELOCATED)
            return through_loader(map, name);
        return elf->calls_itself ? INTERCEPTION_NONE : INTERCEPTION_BOUND;
    }
    if (uses & USE_IMPORTED)
        return through_loader(map, name);
    return uses & USE_INSIDE ? INTERCEPTION_INSIDE : INTERCEPTION_NONE;
}

enum interception interception_of(const struct link_map *map, int object, int name)
{
    const enum interception end = end_of(map, object, name);
    return end > INTERCEPTION_CAUGHT && is_wrapper(map, object, name) ? INTERCEPTION_NONE : end;
}

int interception_host(const struct link_map *map, int name)
{
    for (int i = map->objects[0].elf.is_program; i < map->count; i++)
        if (uses_of(map, i, name) & USE_EXPORTED)
            return i;
    return -1;
}

static bool is_asked_by_others(const struct link_map *map, int object, int name)
{
    for (int i = 0; i < map->count; i++)
        if (i != object && interception_of(map, i, name) == INTERCEPTION_CAUGHT)
            return true;
    return false;
}

bool interception_is_host(const struct link_map *map, int object)
{
    for (int name = 0; name < SYMBOL_COUNT; name++)
        if (interception_host(map, name) == object && is_asked_by_others(map, object, name))
            return true;
    return false;
}
