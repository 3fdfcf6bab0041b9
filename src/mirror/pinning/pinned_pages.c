/* What pins.h answers about pages. */
#include "mirror/pinning/pins.h"

size_t pins_pages(struct mirror *mirror, struct page_range pages)
{
    size_t count = 0;
    pthread_mutex_lock(&mirror->notes);
    for (int i = 0; i < mirror->pin_count; i++) {
        struct page_range pin = mirror_page_range(mirror, mirror->pins[i].begin, mirror->pins[i].end);
        count += page_range_length(page_ranges_common(pin, pages));
    }
    pthread_mutex_unlock(&mirror->notes);
    return count;
}

bool pins_hold_in_one(struct mirror *mirror, size_t begin, size_t end)
{
    bool found = false;
    pthread_mutex_lock(&mirror->notes);
    for (int i = 0; i < mirror->pin_count && !found; i++) {
        struct page_range pin = mirror_page_range(mirror, mirror->pins[i].begin, mirror->pins[i].end);
        found = pin.begin <= begin && end <= pin.end;
    }
    pthread_mutex_unlock(&mirror->notes);
    return found;
}

/* The end of what is pinned or not from `begin` on, at most `end`. */
static size_t same_end(const struct mirror *mirror, size_t begin, size_t end, bool *pinned)
{
    *pinned = false;
    for (int i = 0; i < mirror->pin_count && !*pinned; i++) {
        struct page_range pin = mirror_page_range(mirror, mirror->pins[i].begin, mirror->pins[i].end);
        *pinned = begin >= pin.begin && begin < pin.end;
        if (*pinned)
            end = pin.end < end ? pin.end : end;
        else if (begin < pin.begin)
            end = pin.begin < end ? pin.begin : end; /* before this pin, if in none */
    }
    return end;
}

size_t pins_run(struct mirror *mirror, size_t begin, size_t end, bool *direct)
{
    bool pinned;
    pthread_mutex_lock(&mirror->notes);
    end = same_end(mirror, begin, end, &pinned);
    pthread_mutex_unlock(&mirror->notes);
    *direct = pinned && !page_bits_test(mirror->suspect, begin);
    return (pinned ? page_bits_find(mirror->suspect, begin, end, *direct) : end) - begin;
}
