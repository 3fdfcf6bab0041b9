#include "command/inspect/name_list.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

bool name_list_add(struct name_list *list, const char *name)
{
    if (list->count == list->room) {
        const int room = list->room ? 2 * list->room : 16;
        char **grown = reallocarray(list->names, (size_t)room, sizeof *grown);
        if (!grown)
            return false;
        list->names = grown;
        list->room = room;
    }
    char *copy = strdup(name);
    if (copy)
        list->names[list->count++] = copy;
    return copy != NULL;
}

void name_list_sort(struct name_list *list)
{
    if (list->count > 0)
        qsort(list->names, (size_t)list->count, sizeof *list->names, compare);
}

bool name_list_has(const struct name_list *list, const char *name)
{
    return list->count > 0 && bsearch(&name, list->names, (size_t)list->count, sizeof *list->names, compare);
}

void name_list_clear(struct name_list *list)
{
    for (int i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
    *list = (struct name_list){0};
}
