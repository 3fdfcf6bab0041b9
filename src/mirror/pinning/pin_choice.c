/* When it pays to pin an operand. */
#include "mirror/pinning/pin_steps.h"

#include "common/loaded_segment.h"
#include "mirror/costs.h"

/* Each costs an upload of what was to be pinned: the kernel's limit may be reached now and not later. */
enum { REFUSALS_MOST = 3 };

/* A pin that has moved its bytes so often has paid for another. */
enum { PIN_EARNED = 8 };

static bool result_is_due(struct mirror *mirror, struct page_range pages)
{
    pthread_mutex_lock(&mirror->notes);
    const bool due = staged_results_are_due(&mirror->results, pages);
    pthread_mutex_unlock(&mirror->notes);
    return due;
}

/* Even if they may not be pinned: that is not to be asked at each call. */
static bool take_due(struct mirror *mirror, struct page_range pages)
{
    pthread_mutex_lock(&mirror->notes);
    const bool due = staged_results_take_due(&mirror->results, pages);
    pthread_mutex_unlock(&mirror->notes);
    return due;
}

static bool would_pay(struct mirror_copy *copy, const struct operand *operand, struct byte_range hull)
{
    struct mirror *const mirror = copy->mirror;
    struct page_range pages = mirror_page_range(mirror, hull.begin, hull.end);
    size_t bytes = hull.end - hull.begin, count = pages.end - pages.begin;
    if (operand_memory_bytes(operand) < bytes / 3)
        return false; /* a few rows of a large matrix */
    const bool goes_up = operand->access != OPERAND_OVERWRITE &&
                         page_bits_count(copy->valid, pages.begin, pages.end) < count / 2;
    const bool moves = goes_up || operand->access != OPERAND_READ;
    const size_t pinned = pins_pages(mirror, pages);
    const uint64_t staged = atomic_load(&mirror->staged_bytes), direct = atomic_load(&mirror->direct_bytes);
    if (pinned <= count / 2)
        return goes_up || staged >= bytes;
    if (count - pinned > count / 8 && staged > bytes / 2)
        return true; /* a matrix that has grown */
    if (count > pinned && operand->access != OPERAND_READ && result_is_due(mirror, pages))
        return true; /* however little: what sticks out comes home in pieces, each time */
    /* Of a triangle only as many pages are written as it has. */
    return page_bits_count(mirror->suspect, pages.begin, pages.end) > operand_memory_bytes(operand) >>
               (page_shift() + 1) &&
           (staged > 2 * (uint64_t)bytes || (operand->access != OPERAND_READ && staged > bytes / 4) ||
            (moves && direct > PIN_EARNED * (uint64_t)bytes));
}

static bool may_pin(struct mirror *mirror)
{
    const bool forbidden = pins_program_uses_cuda(mirror);
    pthread_mutex_lock(&mirror->notes);
    mirror->pin_forbidden = mirror->pin_forbidden || forbidden;
    const bool may = !mirror->pin_forbidden;
    pthread_mutex_unlock(&mirror->notes);
    return may;
}

/* The driver refuses the program's own copies, should it come to use CUDA later, from and to memory of
 * which a part is pinned. So nothing of some size that comes and goes may share a page with the result:
 * what malloc has mapped for it, or the program has laid on pages itself, begins at the beginning of one. */
enum { HEADER_BYTES_MOST = 64 };

static bool stands_alone(struct byte_range hull)
{
    struct loaded_segment of_variables;
    return hull.begin - page_floor(hull.begin) <= HEADER_BYTES_MOST ||
           loaded_segment_find(hull.begin, &of_variables);
}

/* As far as it goes beside other pins; `again`: in place of those that have become stale. */
static enum status pin_or_not(struct mirror *mirror, struct claim *claim, struct mirror_pin wanted,
                              bool again)
{
    enum status status = STATUS_OK;
    if (pthread_mutex_trylock(&mirror->pinning) != 0)
        return STATUS_OK; /* it takes others milliseconds: another time */
    if (pins_make_way(mirror, claim, &wanted, again))
        status = pins_make(mirror, claim, wanted, (struct byte_range){0, 0});
    pthread_mutex_unlock(&mirror->pinning);
    return status;
}

static enum status consider_result(struct mirror *mirror, struct claim *claim, const struct operand *operand,
                                   struct byte_range hull)
{
    const struct page_range pages = mirror_page_range(mirror, hull.begin, hull.end);
    const struct mirror_pin wanted = {.begin = page_floor(hull.begin),
                                      .end = page_ceiling(hull.end),
                                      .gathering = {.stays_small = true},
                                      .small = true};
    if (operand->access == OPERAND_READ || !take_due(mirror, pages))
        return STATUS_OK;
    return stands_alone(hull) && may_pin(mirror) ? pin_or_not(mirror, claim, wanted, true) : STATUS_OK;
}

static bool is_given_up(struct mirror *mirror)
{
    pthread_mutex_lock(&mirror->notes);
    const bool given_up = mirror->pin_forbidden || mirror->pins_refused >= REFUSALS_MOST;
    pthread_mutex_unlock(&mirror->notes);
    return given_up;
}

enum status pins_consider(struct mirror_copy *copy, struct claim *claim, const struct operand *operand)
{
    struct mirror *const mirror = copy->mirror;
    struct byte_range hull = operand_memory_hull(operand);
    if (is_given_up(mirror))
        return STATUS_OK;
    if (hull.end - hull.begin < PIN_BYTES_MIN)
        return consider_result(mirror, claim, operand, hull);
    if (hull.end - hull.begin > mirror->resources->pin_budget_bytes || !would_pay(copy, operand, hull) ||
        !may_pin(mirror))
        return STATUS_OK;
    struct page_range pages = mirror_page_range(mirror, hull.begin, hull.end);
    const struct mirror_pin wanted = {.begin = page_floor(hull.begin), .end = page_ceiling(hull.end)};
    const bool again = pins_pages(mirror, pages) > (pages.end - pages.begin) / 2;
    take_due(mirror, pages);
    return pin_or_not(mirror, claim, wanted, again);
}
