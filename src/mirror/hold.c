#include "mirror/hold.h"
#include "common/clock.h"
#include "mirror/host_memory/mapping.h"
#include "mirror/pinning/pins.h"
#include "mirror/tracking/mirror_pages.h"

enum { ATTEMPTS = 4 + OPERANDS_MAX };

static void add_mirror(struct operands_hold *hold, struct mirror *mirror)
{
    int at = hold->mirror_count;
    for (int i = 0; i < hold->mirror_count; i++) {
        if (hold->mirrors[i] == mirror) {
            mirror_table_release(hold->table, mirror); /* one reference is enough */
            return;
        }
    }
    for (; at > 0 && hold->mirrors[at - 1]->begin > mirror->begin; at--)
        hold->mirrors[at] = hold->mirrors[at - 1];
    hold->mirrors[at] = mirror;
    hold->mirror_count++;
}

static enum status find_mirrors(struct operands_hold *hold)
{
    hold->mirror_count = 0;
    for (int i = 0; i < hold->count; i++) {
        struct held_operand *held = &hold->operands[i];
        held->mirror = NULL;
        held->copy = NULL;
        held->hot = held->shares = false;
        if (held->empty || held->stateless)
            continue;
        enum status status =
            mirror_table_acquire(hold->table, held->hull, hold->patience, &held->mirror);
        if (status == STATUS_NOT_TRACKABLE) {
            held->stateless = true;
            held->mirror = NULL;
        } else if (status != STATUS_OK) {
            held->mirror = NULL;
            return status;
        } else {
            held->copy = mirror_table_copy(hold->table, held->mirror);
            held->pages = mirror_page_range(held->mirror, held->hull.begin, held->hull.end);
            add_mirror(hold, held->mirror);
        }
    }
    return STATUS_OK;
}

static void release_mirrors(struct operands_hold *hold)
{
    for (int i = 0; i < hold->mirror_count; i++)
        mirror_table_release(hold->table, hold->mirrors[i]);
    hold->mirror_count = 0;
}

static void give_claims(struct operands_hold *hold, int count)
{
    for (int i = 0; i < count; i++)
        claims_give(hold->mirrors[i], &hold->claims[i]);
}

void hold_unlock(struct operands_hold *hold)
{
    give_claims(hold, hold->mirror_count);
    release_mirrors(hold);
}

/* In order of addresses, so that no two calls wait for each other. */
static bool take_claims(struct operands_hold *hold, bool shared)
{
    int taken = 0;
    bool good = true;
    const enum phase before = phase_enter(PHASE_LOCKS);
    while (taken < hold->mirror_count && good) {
        struct mirror *mirror = hold->mirrors[taken];
        hold->claims[taken] = hold_claim_of(hold, mirror, shared);
        good = claims_take(mirror, &hold->claims[taken], hold->patience);
        taken += good;
    }
    phase_enter(before);
    if (!good)
        give_claims(hold, taken);
    return good;
}

static bool are_alive(const struct operands_hold *hold)
{
    bool alive = true;
    for (int i = 0; i < hold->mirror_count; i++)
        alive = alive && !hold->mirrors[i]->dead;
    return alive;
}

/* A record may be older than what is mapped now: registering it blindly could
 * take in files, or parts of mappings. */
static bool record_is_current(const struct mirror *mirror)
{
    struct mapping mapping;
    return mapping_find_range(mirror->begin, mirror->end, &mapping) == STATUS_OK &&
           mapping.begin == mirror->begin && mapping.end == mirror->end;
}

enum preparation { READY, GIVE_UP_PINS, LOOK_AGAIN, UNFIT, SHORT };

/* Memory that the program has pinned itself is written by its own copies, unseen. Told by
 * the ends of the matrices, early; what is pinned inside pins_note_foreign finds. */
static bool program_has_pinned(const struct operands_hold *hold, const struct mirror *mirror)
{
    for (int i = 0; i < hold->count; i++) {
        const struct held_operand *held = &hold->operands[i];
        if (held->mirror == mirror && (device_has_pinned((const void *)held->hull.begin) ||
                                       device_has_pinned((const void *)(held->hull.end - 1))))
            return true;
    }
    return false;
}

static void look_for_foreign_pins(const struct operands_hold *hold, struct mirror *mirror)
{
    if (pins_program_uses_cuda(mirror) && pins_count(mirror) == 0 && program_has_pinned(hold, mirror))
        atomic_store(&mirror->foreign_pins, true);
}

static void note_hot(struct operands_hold *hold, struct mirror *mirror)
{
    for (int i = 0; i < hold->count; i++) {
        struct held_operand *held = &hold->operands[i];
        if (held->mirror == mirror)
            held->hot = atomic_load(&mirror->armed) && atomic_load(&held->copy->made) &&
                        held->operand.access == OPERAND_READ && hot_ranges_hold(held->copy, held->pages);
    }
}

static enum status consider_operand(struct operands_hold *hold, int number, const struct held_operand *held)
{
    enum status status = pins_consider(held->copy, &hold->claims[number], &held->operand);
    return status == STATUS_OK ? gathering_consider(held->mirror, &hold->claims[number], &held->operand) : status;
}

static enum status consider_pages(struct operands_hold *hold, int number)
{
    struct mirror *mirror = hold->mirrors[number];
    enum status status = mirror_arm(mirror_table_copy(hold->table, mirror));
    for (int i = 0; i < hold->count && status == STATUS_OK && hold->way != HOLD_RESULT; i++)
        if (hold->operands[i].mirror == mirror && !hold->operands[i].shares)
            status = consider_operand(hold, number, &hold->operands[i]);
    return status;
}

static enum preparation prepare(struct operands_hold *hold, int number)
{
    struct mirror *mirror = hold->mirrors[number];
    note_hot(hold, mirror);
    if (pins_must_go(mirror))
        return GIVE_UP_PINS;
    look_for_foreign_pins(hold, mirror);
    if (!atomic_load(&mirror->armed) && !atomic_load(&mirror->foreign_pins) && !record_is_current(mirror))
        return LOOK_AGAIN;
    enum status status = consider_pages(hold, number);
    if (status == STATUS_OK)
        return hold_scan(hold, number) == STATUS_OK ? READY : LOOK_AGAIN;
    if (status != STATUS_NOT_TRACKABLE)
        return SHORT;
    /* Registered once, so it is the memory that changed, unless the program pinned it. */
    return atomic_load(&mirror->armed) && !atomic_load(&mirror->foreign_pins) ? LOOK_AGAIN : UNFIT;
}

static void make_stateless(struct operands_hold *hold, const struct mirror *mirror)
{
    for (int i = 0; i < hold->count; i++) {
        struct held_operand *held = &hold->operands[i];
        if (held->mirror != mirror)
            continue;
        held->stateless = true;
        mirror_table_note_unfit(hold->table, held->hull.begin, held->hull.end);
    }
}

static void prepare_all(struct operands_hold *hold, enum preparation *preparations)
{
    const enum phase before = phase_enter(PHASE_MEMORY);
    for (int i = 0; i < hold->mirror_count; i++) {
        preparations[i] = prepare(hold, i);
        if (preparations[i] == UNFIT)
            make_stateless(hold, hold->mirrors[i]);
    }
    phase_enter(before);
}

static enum preparation worst_of(const struct operands_hold *hold, const enum preparation *preparations)
{
    enum preparation worst = READY;
    for (int i = 0; i < hold->mirror_count; i++)
        worst = preparations[i] > worst ? preparations[i] : worst;
    return worst;
}

/* The mirror is claimed whole. */
static void carry_out(struct operands_hold *hold, struct mirror *mirror, enum preparation preparation)
{
    if (preparation == UNFIT && atomic_load(&mirror->foreign_pins))
        mirror_empty(mirror); /* the record stays, to remember that */
    else if (preparation != GIVE_UP_PINS)
        mirror_table_drop(hold->table, mirror);
    else if (pins_must_go(mirror))
        pins_give_up(mirror);
}

/* A mirror that others may be using is settled when they are done. */
static enum status settle_mirror(struct operands_hold *hold, struct mirror *mirror,
                                 enum preparation preparation)
{
    if (preparation == READY || preparation == SHORT)
        return STATUS_OK;
    hold->whole = claim_of_whole();
    if (!claims_take(mirror, &hold->whole, hold->patience))
        return STATUS_BUSY;
    if (!mirror->dead) /* or another call was first */
        carry_out(hold, mirror, preparation);
    claims_give(mirror, &hold->whole);
    return STATUS_OK;
}

static enum status settle_mirrors(struct operands_hold *hold, const enum preparation *preparations)
{
    enum status status = STATUS_OK;
    give_claims(hold, hold->mirror_count);
    for (int i = 0; i < hold->mirror_count && status == STATUS_OK; i++)
        status = settle_mirror(hold, hold->mirrors[i], preparations[i]);
    release_mirrors(hold);
    return status;
}

static bool must_scan_first(const struct operands_hold *hold)
{
    bool ahead = false;
    for (int i = 0; i < hold->mirror_count; i++) {
        struct mirror *mirror = hold->mirrors[i];
        pthread_mutex_lock(&mirror->notes);
        ahead = ahead || mirror->scans_ahead > 0;
        mirror->scans_ahead -= mirror->scans_ahead > 0;
        pthread_mutex_unlock(&mirror->notes);
    }
    return ahead;
}

/* After a look at what the host has written, valid pages are enough: of a part of a matrix that others use whole
 * nothing is known. */
static bool can_be_shared(const struct held_operand *held)
{
    struct mirror *mirror = held->mirror;
    return held->operand.access == OPERAND_READ && mirror && atomic_load(&mirror->armed) &&
           atomic_load(&held->copy->made) && !atomic_load(&mirror->foreign_pins) && hold_is_valid(held) &&
           !gathering_is_due(mirror, &held->operand) && !hot_ranges_hold(held->copy, held->pages) &&
           !pins_program_uses_cuda(mirror);
}

static bool can_share(const struct operands_hold *hold)
{
    for (int i = 0; i < hold->count; i++)
        if (!hold->operands[i].mirror || !hold_is_complete(&hold->operands[i]) ||
            !can_be_shared(&hold->operands[i]))
            return false;
    return hold->way == HOLD_UNPROVEN && hold->count > 0;
}

/* Beside what the call has for itself, which pages of both kinds belong to. */
static void choose_shared(struct operands_hold *hold)
{
    bool changed = hold->way == HOLD_UNPROVEN;
    for (int i = 0; i < hold->count; i++)
        hold->operands[i].shares =
            changed && !hold->operands[i].was_written && can_be_shared(&hold->operands[i]);
    while (changed) {
        changed = false;
        for (int i = 0; i < hold->count; i++)
            for (int k = 0; k < hold->count; k++)
                if (hold->operands[i].shares && hold->operands[k].mirror && !hold->operands[k].shares &&
                    hold_overlap(&hold->operands[i], &hold->operands[k])) {
                    hold->operands[i].shares = false;
                    changed = true;
                }
    }
}

/* All shared, where the caller may launch at once: *shared. An answer from before the claim may be outdated. */
static bool claim_operands(struct operands_hold *hold, bool *shared)
{
    *shared = can_share(hold) && !must_scan_first(hold);
    if (*shared) {
        if (!take_claims(hold, true))
            return false;
        if (are_alive(hold) && can_share(hold))
            return true;
        give_claims(hold, hold->mirror_count);
        *shared = false;
    }
    choose_shared(hold);
    return take_claims(hold, false);
}

/* A written operand that nobody else reads now becomes the call's own. The scans of it still hold, and it may be
 * sent. */
static bool take_for_own(struct operands_hold *hold)
{
    bool good = true;
    for (int number = 0; number < hold->mirror_count; number++)
        for (int i = 0; i < hold->count && good; i++) {
            struct held_operand *held = &hold->operands[i];
            if (!held->shares || !held->was_written || held->mirror != hold->mirrors[number])
                continue;
            good = claims_stop_sharing_range(held->mirror, &hold->claims[number],
                                             mirror_scan_bounds(held->mirror, held->hull));
            held->shares = !good;
            good = good && consider_operand(hold, number, held) == STATUS_OK;
        }
    return good;
}

/* After all scans, others' of shared pages too: a shared operand that the host has written is not shared, and
 * is the call's own at once, or the next time. */
static bool are_still_shared(struct operands_hold *hold)
{
    bool good = true;
    for (int i = 0; i < hold->mirror_count; i++)
        if (hold->claims[i].shared)
            claims_await_scans(hold->mirrors[i], &hold->claims[i]);
    for (int i = 0; i < hold->count; i++) {
        struct held_operand *held = &hold->operands[i];
        /* If it was hot it was not scanned. */
        held->was_written = held->was_written || (held->shares && (held->hot || !can_be_shared(held)));
        good = good && !(held->shares && held->was_written);
    }
    return good || take_for_own(hold);
}

enum status hold_lock(struct operands_hold *hold)
{
    for (int attempt = 0; attempt <= ATTEMPTS; attempt++) {
        enum preparation preparations[OPERANDS_MAX];
        bool shared;
        for (int i = 0; i < hold->count && attempt == ATTEMPTS; i++)
            hold->operands[i].stateless = true; /* the memory changes faster than we look */
        enum status status = find_mirrors(hold);
        if (status == STATUS_OK && !claim_operands(hold, &shared))
            status = STATUS_BUSY;
        if (status != STATUS_OK) {
            release_mirrors(hold);
            return status;
        }
        if (!are_alive(hold)) {
            hold_unlock(hold);
            continue;
        }
        hold->unproven = shared;
        if (shared)
            return STATUS_OK;
        prepare_all(hold, preparations);
        const enum preparation worst = worst_of(hold, preparations);
        if (worst == READY && are_still_shared(hold))
            return STATUS_OK;
        if (worst == READY) {
            hold_unlock(hold);
            continue;
        }
        status = settle_mirrors(hold, preparations);
        if (status != STATUS_OK || worst == SHORT)
            return status != STATUS_OK ? status : STATUS_OUT_OF_MEMORY;
    }
    return STATUS_OUT_OF_MEMORY; /* not reached: without mirrors there is nothing to prepare */
}
