#include "mirror/tracking/completeness.h"

#include <string.h>

static struct complete_operand *find(struct mirror_copy *copy, const struct operand *operand)
{
    for (int i = 0; i < MIRROR_COMPLETE_MAX; i++)
        if (operand_memory_contains(&copy->complete[i].operand, operand))
            return &copy->complete[i];
    return NULL;
}

bool completeness_find(struct mirror_copy *copy, const struct operand *operand,
                       struct completeness *completeness)
{
    pthread_mutex_lock(&copy->mirror->notes);
    const struct complete_operand *known = find(copy, operand);
    if (known)
        *completeness = (struct completeness){known->lost, known->changed};
    pthread_mutex_unlock(&copy->mirror->notes);
    return known != NULL;
}

/* In place of what contains it, or of what it contains: a factorisation's next submatrix
 * lies in the last one. Otherwise of the oldest. */
static struct complete_operand *choose(struct mirror_copy *copy, const struct operand *operand)
{
    struct complete_operand *place = find(copy, operand);
    for (int i = 0; i < MIRROR_COMPLETE_MAX && !place; i++)
        if (operand_memory_contains(operand, &copy->complete[i].operand))
            place = &copy->complete[i];
    return place ? place : &copy->complete[copy->next_complete++ % MIRROR_COMPLETE_MAX];
}

void completeness_note(struct mirror_copy *copy, const struct operand *operand)
{
    const struct byte_range hull = operand_memory_hull(operand);
    pthread_mutex_lock(&copy->mirror->notes);
    *choose(copy, operand) =
        (struct complete_operand){.operand = *operand,
                                  .pages = mirror_page_range(copy->mirror, hull.begin, hull.end),
                                  .changed = ++copy->complete_changes};
    pthread_mutex_unlock(&copy->mirror->notes);
}

static void widen(struct mirror_copy *copy, struct complete_operand *known, struct page_range pages)
{
    struct page_range *lost = &known->lost;
    pages = page_ranges_common(pages, known->pages);
    if (pages.begin >= pages.end)
        return;
    known->changed = ++copy->complete_changes;
    if (lost->begin == lost->end)
        *lost = pages;
    lost->begin = pages.begin < lost->begin ? pages.begin : lost->begin;
    lost->end = pages.end > lost->end ? pages.end : lost->end;
}

static void widen_all(struct mirror_copy *copy, struct page_range pages)
{
    for (int i = 0; i < MIRROR_COMPLETE_MAX; i++)
        widen(copy, &copy->complete[i], pages);
}

void completeness_lose(struct mirror_copy *copy, struct page_range pages)
{
    pthread_mutex_lock(&copy->mirror->notes);
    widen_all(copy, pages);
    pthread_mutex_unlock(&copy->mirror->notes);
}

/* At once: what others lose in between would come back with it. */
bool completeness_take(struct mirror_copy *copy, const struct operand *operand, struct page_range pages,
                       struct completeness *before)
{
    pthread_mutex_lock(&copy->mirror->notes);
    const struct complete_operand *known = find(copy, operand);
    if (known)
        before->lost = known->lost;
    widen_all(copy, pages);
    if (known)
        before->changed = known->changed;
    pthread_mutex_unlock(&copy->mirror->notes);
    return known != NULL;
}

void completeness_regain(struct mirror_copy *copy, const struct operand *operand,
                         const struct completeness *before)
{
    pthread_mutex_lock(&copy->mirror->notes);
    struct complete_operand *known = find(copy, operand);
    if (known && known->changed == before->changed)
        known->lost = before->lost;
    pthread_mutex_unlock(&copy->mirror->notes);
}

void completeness_forget(struct mirror_copy *copy)
{
    pthread_mutex_lock(&copy->mirror->notes);
    memset(copy->complete, 0, sizeof copy->complete);
    pthread_mutex_unlock(&copy->mirror->notes);
}
