#include "mirror/tracking/mirror_pages.h"

enum {
    HOT_STREAK = 3,       /* uses in a row that make a range hot */
    HOT_USES = 64,    /* before it is looked at again */
    HOT_BYTES_MOST = 8 << 20, /* more is worth a scan every time, and may be worth a pin (pins.h) */
};

/* The entry that these pages overlap; NULL: none. */
static struct hot_range *find_hot(struct mirror_copy *copy, struct page_range pages)
{
    for (int i = 0; i < MIRROR_HOT_MAX; i++) {
        struct hot_range *range = &copy->hot[i];
        if (range->pages.begin < pages.end && pages.begin < range->pages.end)
            return range;
    }
    return NULL;
}

/* A factorisation's panels pass by; its workspace stays. */
static struct hot_range *place_of_new(struct mirror_copy *copy)
{
    struct hot_range *least = &copy->hot[copy->next_hot++ % MIRROR_HOT_MAX];
    for (int i = 0; i < MIRROR_HOT_MAX; i++)
        if (copy->hot[i].streak < least->streak)
            least = &copy->hot[i];
    return least;
}

/* All of the pages must be hot: a matrix is not rewritten because a panel in it is. */
bool hot_ranges_hold(struct mirror_copy *copy, struct page_range pages)
{
    pthread_mutex_lock(&copy->mirror->notes);
    const struct hot_range *range = find_hot(copy, pages);
    const bool is_hot = range && range->streak >= HOT_STREAK && page_range_covers(range->pages, pages);
    pthread_mutex_unlock(&copy->mirror->notes);
    return is_hot;
}

static void count_rewrite(struct mirror_copy *copy, struct hot_range *range, struct page_range pages)
{
    if (!range) {
        range = place_of_new(copy);
        *range = (struct hot_range){0};
    } else if (!page_range_covers(range->pages, pages)) {
        *range = (struct hot_range){0};
    }
    range->pages = pages;
    if (range->streak < HOT_STREAK) {
        range->uses_left = HOT_USES;
        range->streak++;
    } else if (--range->uses_left == 0) {
        /* Two more scans: to the first, what was unprotected counts as written. */
        range->streak = HOT_STREAK - 2;
    }
}

void hot_ranges_note(struct mirror_copy *copy, struct page_range pages, bool mostly_written)
{
    pthread_mutex_lock(&copy->mirror->notes);
    struct hot_range *range = find_hot(copy, pages);
    if (mostly_written && (pages.end - pages.begin) << page_shift() <= HOT_BYTES_MOST)
        count_rewrite(copy, range, pages);
    else if (range)
        *range = (struct hot_range){0};
    pthread_mutex_unlock(&copy->mirror->notes);
}
