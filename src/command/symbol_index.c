#include "command/symbol_index.h"
#include "host/symbols.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static enum symbol sorted[SYMBOL_COUNT];
static pthread_once_t made = PTHREAD_ONCE_INIT;

static int compare(const void *left, const void *right)
{
    return strcmp(symbol_name(*(const enum symbol *)left), symbol_name(*(const enum symbol *)right));
}

static int compare_name(const void *name, const void *symbol)
{
    return strcmp(name, symbol_name(*(const enum symbol *)symbol));
}

static void make(void)
{
    for (int i = 0; i < SYMBOL_COUNT; i++)
        sorted[i] = (enum symbol)i;
    qsort(sorted, SYMBOL_COUNT, sizeof *sorted, compare);
}

int symbol_index_find(const char *name)
{
    pthread_once(&made, make);
    const enum symbol *found = bsearch(name, sorted, SYMBOL_COUNT, sizeof *sorted, compare_name);
    return found ? (int)*found : -1;
}
