#include "mirror/completeness.h"

#include <string.h>

struct complete_operand *completeness_find(struct mirror *mirror, const struct operand *operand)
{
    for (int i = 0; i < MIRROR_COMPLETE_MAX; i++)
        if (footprint_contains(&mirror->complete[i].operand, operand))
            return &mirror->complete[i];
    return NULL;
}

/* In place of what contains it, or of what it contains: a factorisation's next submatrix
 * lies in the last one. Otherwise of the oldest. */
static struct complete_operand *choose(struct mirror *mirror, const struct operand *operand)
{
    struct complete_operand *place = completeness_find(mirror, operand);
    for (int i = 0; i < MIRROR_COMPLETE_MAX && !place; i++)
        if (footprint_contains(operand, &mirror->complete[i].operand))
            place = &mirror->complete[i];
    return place ? place : &mirror->complete[mirror->next_complete++ % MIRROR_COMPLETE_MAX];
}

void completeness_note(struct mirror *mirror, const struct operand *operand)
{
    *choose(mirror, operand) = (struct complete_operand){.operand = *operand};
}

void completeness_lose(struct mirror *mirror, struct page_range pages)
{
    for (int i = 0; i < MIRROR_COMPLETE_MAX; i++) {
        struct page_range *lost = &mirror->complete[i].lost;
        if (lost->begin == lost->end)
            *lost = pages;
        lost->begin = pages.begin < lost->begin ? pages.begin : lost->begin;
        lost->end = pages.end > lost->end ? pages.end : lost->end;
    }
}

void completeness_forget(struct mirror *mirror)
{
    memset(mirror->complete, 0, sizeof mirror->complete);
}
