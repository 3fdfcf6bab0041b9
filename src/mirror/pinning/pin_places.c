/* Which pins make way for another one. */
#include "mirror/pinning/pin_steps.h"

#include "mirror/costs.h"

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

bool pins_make_way(struct mirror *mirror, struct claim *claim, struct mirror_pin *wanted, bool again)
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
