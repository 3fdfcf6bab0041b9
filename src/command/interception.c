#include "command/interception.h"
#include "interpose/symbols.h"

static int uses_of(const struct link_map *map, int object, int name)
{
    const struct linked_object *linked = &map->objects[object];
    return linked->reason || linked->elf.is_mublas ? 0 : linked->elf.uses[name];
}

static enum interception through_loader(const struct link_map *map, int name)
{
    bool program_first = map->objects[0].elf.is_program && (uses_of(map, 0, name) & USE_EXPORTED);
    return program_first ? INTERCEPTION_PROGRAM : INTERCEPTION_CAUGHT;
}

enum interception interception_of(const struct link_map *map, int object, int name)
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
