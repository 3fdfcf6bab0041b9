#include "command/blas_names.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct base {
    const char *name;
    bool offloaded;
};

#define FORWARDED(name) {#name, false},
#define OFFLOADED(name, ...) {#name, true},
static const struct base fortran_bases[] = {
#include "interpose/routines.def"
};
#undef FORWARDED
#undef OFFLOADED

enum { FORTRAN_COUNT = sizeof fortran_bases / sizeof *fortran_bases, NAME_LENGTH_MAX = 40 };

static const struct family {
    const struct base *bases;
    int count;
    const char *prefix, *suffix;
    const char *description;
} families[] = {
    {fortran_bases, FORTRAN_COUNT, "", "_", "Fortran names NAME_"},
};

enum { FAMILY_COUNT = sizeof families / sizeof *families };

struct name {
    char symbol[NAME_LENGTH_MAX];
    int family;
    bool offloaded;
};

static struct name *names;
static int *sorted;
static int count;
static pthread_once_t made = PTHREAD_ONCE_INIT;

static int compare(const void *left, const void *right)
{
    return strcmp(names[*(const int *)left].symbol, names[*(const int *)right].symbol);
}

static void make(void)
{
    for (int family = 0; family < FAMILY_COUNT; family++)
        count += families[family].count;
    names = calloc((size_t)count, sizeof *names);
    sorted = calloc((size_t)count, sizeof *sorted);
    if (!names || !sorted) {
        perror("mublas");
        exit(1);
    }
    int next = 0;
    for (int family = 0; family < FAMILY_COUNT; family++)
        for (int i = 0; i < families[family].count; i++) {
            const struct family *with = &families[family];
            snprintf(names[next].symbol, NAME_LENGTH_MAX, "%s%s%s", with->prefix, with->bases[i].name, with->suffix);
            names[next].family = family;
            names[next].offloaded = with->bases[i].offloaded;
            sorted[next] = next;
            next++;
        }
    qsort(sorted, (size_t)count, sizeof *sorted, compare);
}

int blas_names_count(void)
{
    pthread_once(&made, make);
    return count;
}

int blas_names_find(const char *symbol)
{
    int low = 0, high = blas_names_count();
    while (low < high) {
        int middle = low + (high - low) / 2;
        int order = strcmp(symbol, names[sorted[middle]].symbol);
        if (order == 0)
            return sorted[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return BLAS_NAME_NONE;
}

const char *blas_names_symbol(int name)
{
    return names[name].symbol;
}

bool blas_names_is_offloaded(int name)
{
    return names[name].offloaded;
}

int blas_families_count(void)
{
    return FAMILY_COUNT;
}

int blas_names_family(int name)
{
    return names[name].family;
}

const char *blas_family_description(int family)
{
    return families[family].description;
}
