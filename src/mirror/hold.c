#include "mirror/hold.h"

#include "common/phase_clock.h"
#include "mirror/gathering.h"
#include "mirror/hot_ranges.h"
#include "mirror/mapping.h"
#include "mirror/pins.h"

enum { ATTEMPTS = 4 };

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
        held->hot = false;
        if (held->empty || held->stateless)
            continue;
        enum status status =
            mirror_table_acquire(hold->table, held->hull.begin, held->hull.end, &held->mirror);
        if (status == STATUS_NOT_TRACKABLE) {
            held->stateless = true;
            held->mirror = NULL;
        } else if (status != STATUS_OK) {
            held->mirror = NULL;
            return status;
        } else {
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

void hold_unlock(struct operands_hold *hold)
{
    for (int i = 0; i < hold->mirror_count; i++) {
        hold->mirrors[i]->pinned_anew = false;
        pthread_mutex_unlock(&hold->mirrors[i]->lock);
    }
    release_mirrors(hold);
}

static bool lock_mirrors(struct operands_hold *hold)
{
    bool dead = false;
    const enum phase before = phase_enter(PHASE_LOCKS);
    for (int i = 0; i < hold->mirror_count; i++) {
        pthread_mutex_lock(&hold->mirrors[i]->lock);
        dead = dead || hold->mirrors[i]->dead;
    }
    phase_enter(before);
    return !dead;
}

/* A record may be older than what is mapped now: registering it blindly could
 * take in files, or parts of mappings. */
static bool record_is_current(const struct mirror *mirror)
{
    struct mapping mapping;
    return mapping_find_range(mirror->begin, mirror->end, &mapping) == STATUS_OK &&
           mapping.begin == mirror->begin && mapping.end == mirror->end;
}

enum preparation { READY, LOOK_AGAIN, UNFIT, SHORT };

/* Memory that the program has pinned itself is written by its own copies, unseen. Told by
 * the ends of the matrices, early; what is pinned inside pins_note_foreign finds. */
static bool program_has_pinned(const struct operands_hold *hold, const struct mirror *mirror)
{
    struct device *device = mirror->resources->device;
    for (int i = 0; i < hold->count; i++) {
        const struct held_operand *held = &hold->operands[i];
        if (held->mirror == mirror && (device_has_pinned(device, (const void *)held->hull.begin) ||
                                       device_has_pinned(device, (const void *)(held->hull.end - 1))))
            return true;
    }
    return false;
}

/* What is due when the program uses CUDA beside us. */
static void respect_program(const struct operands_hold *hold, struct mirror *mirror)
{
    if (pins_must_go(mirror))
        pins_give_up(mirror);
    if (mirror->pin_count == 0 && pins_program_uses_cuda(mirror) && program_has_pinned(hold, mirror))
        atomic_store(&mirror->foreign_pins, true);
}

static void note_hot(struct operands_hold *hold, const struct mirror *mirror)
{
    for (int i = 0; i < hold->count; i++) {
        struct held_operand *held = &hold->operands[i];
        if (held->mirror == mirror)
            held->hot = mirror->armed && held->operand.access == OPERAND_READ && hot_ranges_hold(mirror, held->pages);
    }
}

static enum status consider_pages(struct mirror *mirror, const struct operand *operand)
{
    enum status status = pins_consider(mirror, operand);
    return status == STATUS_OK ? gathering_consider(mirror, operand) : status;
}

static enum preparation prepare(struct operands_hold *hold, struct mirror *mirror)
{
    note_hot(hold, mirror);
    respect_program(hold, mirror);
    if (!mirror->armed && !atomic_load(&mirror->foreign_pins) && !record_is_current(mirror))
        return LOOK_AGAIN;
    enum status status = mirror_arm(mirror);
    for (int i = 0; i < hold->count && status == STATUS_OK; i++)
        if (hold->operands[i].mirror == mirror)
            status = consider_pages(mirror, &hold->operands[i].operand);
    if (status == STATUS_OK)
        return hold_scan(hold, mirror) == STATUS_OK ? READY : LOOK_AGAIN;
    if (status != STATUS_NOT_TRACKABLE)
        return SHORT;
    /* Registered once, so it is the memory that changed, unless the program pinned it. */
    return mirror->armed && !atomic_load(&mirror->foreign_pins) ? LOOK_AGAIN : UNFIT;
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

static enum preparation prepare_all(struct operands_hold *hold)
{
    enum preparation worst = READY;
    const enum phase before = phase_enter(PHASE_MEMORY);
    for (int i = 0; i < hold->mirror_count; i++) {
        struct mirror *mirror = hold->mirrors[i];
        enum preparation preparation = prepare(hold, mirror);
        if (preparation == UNFIT && atomic_load(&mirror->foreign_pins))
            mirror_empty(mirror); /* the record stays, to remember that */
        else if (preparation == LOOK_AGAIN || preparation == UNFIT)
            mirror_table_drop(hold->table, mirror);
        if (preparation == UNFIT)
            make_stateless(hold, mirror);
        worst = preparation > worst ? preparation : worst;
    }
    phase_enter(before);
    return worst;
}

static bool in_doubt(const struct operands_hold *hold)
{
    bool doubt = false;
    for (int i = 0; i < hold->mirror_count; i++)
        if (hold->mirrors[i]->doubts > 0) {
            hold->mirrors[i]->doubts--;
            doubt = true;
        }
    return doubt;
}

static bool can_defer(const struct operands_hold *hold)
{
    for (int i = 0; i < hold->count; i++) {
        const struct held_operand *held = &hold->operands[i];
        const struct mirror *mirror = held->mirror;
        if (held->operand.access != OPERAND_READ || !mirror || !mirror->armed ||
            atomic_load(&mirror->foreign_pins) || !hold_is_complete(held) ||
            gathering_is_due(mirror, &held->operand) || hot_ranges_hold(mirror, held->pages) ||
            pins_program_uses_cuda(mirror))
            return false;
    }
    return hold->may_defer && hold->count > 0 && !in_doubt(hold);
}

enum status hold_lock(struct operands_hold *hold)
{
    for (int attempt = 0; attempt <= ATTEMPTS; attempt++) {
        for (int i = 0; i < hold->count && attempt == ATTEMPTS; i++)
            hold->operands[i].stateless = true; /* the memory changes faster than we look */
        enum status status = find_mirrors(hold);
        if (status != STATUS_OK) {
            release_mirrors(hold);
            return status;
        }
        bool alive = lock_mirrors(hold);
        if (alive && can_defer(hold)) {
            hold->unproven = true;
            return STATUS_OK;
        }
        enum preparation preparation = alive ? prepare_all(hold) : LOOK_AGAIN;
        if (preparation == READY)
            return STATUS_OK;
        hold_unlock(hold);
        if (preparation == SHORT)
            return STATUS_OUT_OF_MEMORY;
    }
    return STATUS_OUT_OF_MEMORY; /* not reached: without mirrors there is nothing to prepare */
}
