#include "emulated_driver/internal.h"

#include <stdlib.h>
#include <string.h>

/* Index of the first range that ends after `address`. */
static size_t position(const struct range_set *set, uint64_t address)
{
    size_t low = 0, high = set->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (set->items[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct range *range_find(const struct range_set *set, uint64_t address)
{
    size_t i = position(set, address);
    return i < set->count && set->items[i].begin <= address ? &set->items[i] : NULL;
}

/* The first gap of `bytes` in [from, to); its place in the list too. */
static bool find_gap(const struct range_set *set, uint64_t from, uint64_t to, uint64_t bytes,
                     uint64_t alignment, uint64_t *begin, size_t *place)
{
    size_t i = position(set, from);
    uint64_t candidate = from;
    for (;;) {
        if (i < set->count && set->items[i].begin <= candidate)
            candidate = set->items[i++].end;
        candidate = (candidate + alignment - 1) / alignment * alignment;
        if (candidate + bytes > to || candidate + bytes < candidate)
            return false;
        if (i == set->count || candidate + bytes <= set->items[i].begin) {
            *begin = candidate;
            *place = i;
            return true;
        }
    }
}

/* Next fit: an address is dealt again as late as possible, so that stale ones are noticed. */
bool range_take(struct range_set *set, uint64_t bytes, uint64_t alignment, uint64_t *begin)
{
    size_t place;
    if (set->count == set->capacity) {
        set->capacity = set->capacity ? 2 * set->capacity : 64;
        set->items = realloc(set->items, set->capacity * sizeof *set->items);
        if (!set->items)
            emulated_abort("out of host memory");
    }
    if (set->cursor < set->base)
        set->cursor = set->base;
    if (!find_gap(set, set->cursor, set->limit, bytes, alignment, begin, &place) &&
        !find_gap(set, set->base, set->limit, bytes, alignment, begin, &place))
        return false;
    memmove(&set->items[place + 1], &set->items[place], (set->count - place) * sizeof *set->items);
    set->items[place] = (struct range){*begin, *begin + bytes};
    set->count++;
    set->cursor = *begin + bytes;
    return true;
}

uint64_t range_give(struct range_set *set, uint64_t begin)
{
    size_t i = position(set, begin);
    if (i == set->count || set->items[i].begin != begin)
        return 0;
    uint64_t end = set->items[i].end;
    memmove(&set->items[i], &set->items[i + 1], (set->count - i - 1) * sizeof *set->items);
    set->count--;
    return end;
}

void range_clear(struct range_set *set)
{
    set->count = 0;
    set->cursor = set->base;
}
