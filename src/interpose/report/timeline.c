#include "interpose/report/timeline.h"

#include <stdbool.h>

enum { FIRST_SHIFT = 20, HALF = TIMELINE_STEPS / 2 };

unsigned timeline_level(uint64_t nanoseconds)
{
    unsigned level = 0;
    while (level < TIMELINE_LEVELS - 1 && nanoseconds >> (FIRST_SHIFT + level) >= TIMELINE_STEPS)
        level++;
    return level;
}

uint64_t timeline_width(unsigned level)
{
    return UINT64_C(1) << (FIRST_SHIFT + level);
}

/* Level 0 has 200 words; each later one has those of its second half alone. */
size_t timeline_cut(uint64_t *from, uint64_t to, uint64_t *part)
{
    const unsigned level = timeline_level(*from);
    const uint64_t step = *from >> (FIRST_SHIFT + level), end = (step + 1) << (FIRST_SHIFT + level);
    const size_t word = level * HALF + (size_t)step;
    const bool is_last = step >= TIMELINE_STEPS - 1 && level == TIMELINE_LEVELS - 1;
    const uint64_t stop = to < end || is_last ? to : end;
    *part = stop - *from;
    *from = stop;
    return word < TIMELINE_WORDS ? word : TIMELINE_WORDS - 1;
}

unsigned timeline_step(size_t word, unsigned level)
{
    const unsigned own_level = word < TIMELINE_STEPS ? 0 : (unsigned)(word - HALF) / HALF;
    const unsigned step = (unsigned)(word - own_level * HALF);
    const unsigned folded = own_level < level ? step >> (level - own_level) : step;
    return folded < TIMELINE_STEPS ? folded : TIMELINE_STEPS - 1;
}
