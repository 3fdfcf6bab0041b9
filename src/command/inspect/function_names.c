#include "command/inspect/function_names.h"
#include "common/threads/once.h"
#include "host/symbols.h"
#include "scalapack/routine.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES_SHOWN = 4 };

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

void name_line_add(struct name_line *line, const char *name)
{
    if (line->shown == NAMES_SHOWN && !line->all && line->left > 1) {
        fprintf(line->stream, " and %d more", line->left);
        line->left = 0;
        return;
    }
    fprintf(line->stream, " %s", name);
    line->shown++;
    line->left--;
}

static enum symbol sorted[SYMBOL_COUNT];
static struct once sorted_once = ONCE_INIT;

static int compare_symbols(const void *left, const void *right)
{
    return strcmp(symbol_name(*(const enum symbol *)left), symbol_name(*(const enum symbol *)right));
}

static int compare_name(const void *name, const void *symbol)
{
    return strcmp(name, symbol_name(*(const enum symbol *)symbol));
}

static void sort_symbols(void)
{
    for (int i = 0; i < SYMBOL_COUNT; i++)
        sorted[i] = (enum symbol)i;
    qsort(sorted, SYMBOL_COUNT, sizeof *sorted, compare_symbols);
}

int symbol_named(const char *name)
{
    once_run(&sorted_once, sort_symbols);
    const enum symbol *found = bsearch(name, sorted, SYMBOL_COUNT, sizeof *sorted, compare_name);
    return found ? (int)*found : -1;
}

/* The table's names have no underscore. */
bool parallel_named(const char *name)
{
    const size_t length = strlen(name);
    if (*name != 'p' || name[length - 1] != '_')
        return false;
    for (int i = 0; i < PARALLEL_COUNT; i++) {
        const char *const routine = parallel_routine_of((enum parallel_symbol)i)->name;
        if (strlen(routine) == length - 1 && memcmp(routine, name, length - 1) == 0)
            return true;
    }
    return false;
}
