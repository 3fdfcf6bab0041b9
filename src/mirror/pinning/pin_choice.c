/* When it pays to pin an operand, and which pins make way for that. */
#include "common/loader.h"
#include "gpu/device.h"
#include "mirror/ledger/account.h"
#include "mirror/pinning/pins.h"
#include "mirror/tracking/mirror_pages.h"

static void replace(struct mirror *mirror, int which, struct mirror_pin *by)
{
    const struct mirror_pin *pin = &mirror->pins[which];
    struct gathering_account waits = pin->gathering;
    waits.stays_small = waits.stays_small && !pin->small;
    gathering_account_inherit(&by->gathering, &waits);
    pins_undo(mirror, which);
}

/* Which of the mirror's pins go for another one. */
struct replaced_pins {
    bool which[MIRROR_PINS_MAX];
    int count;
    size_t bytes;
};

/* Pins inside the wanted range go, and small ones; others that stick out stay, and it shrinks. */
static struct replaced_pins find_overlaps(const struct mirror *mirror, struct mirror_pin *wanted, bool again)
{
    struct replaced_pins replaced = {{false}, 0, 0};
    for (int i = mirror->pin_count; i-- > 0;) {
        const struct mirror_pin *pin = &mirror->pins[i];
        if (pin->begin >= wanted->end || pin->end <= wanted->begin)
            continue;
        if (again || pin->small || (pin->begin >= wanted->begin && pin->end <= wanted->end)) {
            replaced.which[i] = true;
            replaced.count++;
            replaced.bytes += pin_bytes(pin);
        } else if (pin->begin < wanted->begin) {
            wanted->begin = pin->end < wanted->end ? pin->end : wanted->end;
        } else {
            wanted->end = pin->begin;
        }
    }
    return replaced;
}

static bool fits_budget(const struct mirror *mirror, const struct mirror_pin *wanted,
                        const struct replaced_pins *replaced)
{
    const struct mirror_resources *resources = mirror->resources;
    const size_t all = atomic_load(&resources->pinned_bytes), budget = resources->pin_budget_bytes;
    const size_t others = all - (replaced->bytes < all ? replaced->bytes : all);
    return mirror->pin_count - replaced->count < MIRROR_PINS_MAX && others <= budget &&
           pin_bytes(wanted) <= budget - others;
}

/* A program that goes on to other results has no use for the pins of the old ones: the first goes as well.
 * -1: there is room. */
static int add_oldest_small(const struct mirror *mirror, struct replaced_pins *replaced)
{
    int small = 0, first = -1;
    for (int i = mirror->pin_count; i-- > 0;)
        if (mirror->pins[i].small && !replaced->which[i]) {
            small++;
            first = i;
        }
    if (small < MIRROR_SMALL_PINS_MAX)
        return -1;
    replaced->count++;
    replaced->bytes += pin_bytes(&mirror->pins[first]);
    return first;
}

/* Others may be using what sticks out of the call's own pages. */
static bool claim_all(struct mirror *mirror, struct claim *claim, const struct mirror_pin *wanted,
                      const struct replaced_pins *replaced, int oldest)
{
    bool mine = claims_widen(mirror, claim, (struct byte_range){wanted->begin, wanted->end});
    for (int i = 0; i < mirror->pin_count && mine; i++)
        if (replaced->which[i] || i == oldest)
            mine =
                claims_widen(mirror, claim, (struct byte_range){mirror->pins[i].begin, mirror->pins[i].end});
    return mine;
}

/* Widened by the small pins that it meets. False: it meets a large one, or would be one. */
static bool join_small(const struct mirror *mirror, struct mirror_pin *wanted)
{
    for (int i = 0; i < mirror->pin_count; i++) {
        const struct mirror_pin *pin = &mirror->pins[i];
        if (pin->begin >= wanted->end || pin->end <= wanted->begin)
            continue;
        wanted->begin = pin->begin < wanted->begin ? pin->begin : wanted->begin;
        wanted->end = pin->end > wanted->end ? pin->end : wanted->end;
        if (!pin->small)
            return false;
    }
    return pin_bytes(wanted) <= PIN_BYTES_MIN;
}

/* Undo what is in its way, or shorten it, or widen it where it is small; `again`: in place of those that have
 * become stale. False, and all stay: it is nothing, or does not fit, or others are in the way. */
static bool pins_make_way(struct mirror *mirror, struct claim *claim, struct mirror_pin *wanted,
                          bool again)
{
    if (wanted->small && !join_small(mirror, wanted))
        return false;
    struct replaced_pins replaced = find_overlaps(mirror, wanted, again);
    const int oldest = wanted->small ? add_oldest_small(mirror, &replaced) : -1;
    if (wanted->begin >= wanted->end || !fits_budget(mirror, wanted, &replaced) ||
        !claim_all(mirror, claim, wanted, &replaced, oldest))
        return false;
    for (int i = mirror->pin_count; i-- > 0;)
        if (replaced.which[i])
            replace(mirror, i, wanted);
        else if (i == oldest)
            pins_undo(mirror, i);
    return true;
}

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
    if (operand->access == OPERAND_READ && parts_contain(copy, operand))
        return false; /* a result of the device's, which a pin would make unknown */
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
    /* Only as many pages of a triangle's hull are written as the triangle has. */
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
    if (is_given_up(mirror) || device_properties(copy->share->device)->uses_host_page_tables)
        return STATUS_OK; /* there a pin makes nothing faster */
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
