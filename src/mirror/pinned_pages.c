/* What pins.h answers about pages. */
#include "mirror/pins.h"

size_t pins_pages(const struct mirror *mirror, struct page_range pages)
{
    size_t count = 0;
    for (int i = 0; i < mirror->pin_count; i++) {
        struct page_range pin = mirror_page_range(mirror, mirror->pins[i].begin, mirror->pins[i].end);
        size_t begin = pin.begin > pages.begin ? pin.begin : pages.begin;
        size_t end = pin.end < pages.end ? pin.end : pages.end;
        count += begin < end ? end - begin : 0;
    }
    return count;
}

bool pins_hold_in_one(const struct mirror *mirror, size_t begin, size_t end)
{
    bool found = false;
    for (int i = 0; i < mirror->pin_count && !found; i++) {
        struct page_range pin = mirror_page_range(mirror, mirror->pins[i].begin, mirror->pins[i].end);
        found = pin.begin <= begin && end <= pin.end;
    }
    return found;
}

size_t pins_run(const struct mirror *mirror, size_t begin, size_t end, bool *direct)
{
    *direct = false;
    for (int i = 0; i < mirror->pin_count; i++) {
        struct page_range pin = mirror_page_range(mirror, mirror->pins[i].begin, mirror->pins[i].end);
        if (begin < pin.begin) {
            end = pin.begin < end ? pin.begin : end; /* before this pin, if in none */
        } else if (begin < pin.end) {
            end = pin.end < end ? pin.end : end;
            *direct = !page_bits_test(mirror->suspect, begin);
            return page_bits_find(mirror->suspect, begin, end, *direct) - begin;
        }
    }
    return end - begin;
}
