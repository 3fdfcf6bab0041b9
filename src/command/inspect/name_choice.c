#include "command/inspect/name_choice.h"
#include "host/symbols.h"

static bool is_of_interface(int chosen, enum interface interface)
{
    if (chosen == CHOICE_BLAS || chosen == CHOICE_LAPACK)
        return interface_is_lapack(interface) == (chosen == CHOICE_LAPACK);
    return chosen == CHOICE_ANY || chosen == (int)interface;
}

static bool is_chosen(const struct link_map *map, const struct name_choice *choice, int name)
{
    if (!is_of_interface(choice->interface, symbol_interface((enum symbol)name)))
        return false;
    if (choice->host != CHOICE_ANY_HOST && interception_host(map, name) != choice->host)
        return false;
    if (choice->object != CHOICE_ANY)
        return interception_of(map, choice->object, name) == choice->end;
    for (int i = 0; i < map->count; i++)
        if (interception_of(map, i, name) == choice->end)
            return true;
    return false;
}

int name_choice_count(const struct link_map *map, const struct name_choice *choice)
{
    int count = 0;
    for (int name = 0; name < SYMBOL_COUNT; name++)
        count += is_chosen(map, choice, name);
    return count;
}

int name_choice_offloaded(const struct link_map *map, const struct name_choice *choice)
{
    int count = 0;
    for (int name = 0; name < SYMBOL_COUNT; name++)
        count += symbol_is_offloaded((enum symbol)name) && is_chosen(map, choice, name);
    return count;
}

void name_choice_print(FILE *stream, const struct link_map *map, const struct name_choice *choice, bool all)
{
    struct name_line line = {.stream = stream, .left = name_choice_count(map, choice), .all = all};
    for (int name = 0; line.left > 0; name++)
        if (is_chosen(map, choice, name))
            name_line_add(&line, symbol_name((enum symbol)name));
}
