#include "mirror/hold.h"

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
    for (int i = 0; i < hold->mirror_count; i++)
        pthread_mutex_unlock(&hold->mirrors[i]->lock);
    release_mirrors(hold);
}

static bool lock_mirrors(struct operands_hold *hold)
{
    bool dead = false;
    for (int i = 0; i < hold->mirror_count; i++) {
        pthread_mutex_lock(&hold->mirrors[i]->lock);
        dead = dead || hold->mirrors[i]->dead;
    }
    return !dead;
}

/* The range that the call's operands span in a mirror, and how much of it is theirs. */
struct share {
    struct byte_range hull;
    size_t bytes;
};

static struct share share_of(const struct operands_hold *hold, const struct mirror *mirror)
{
    struct share share = {{UINTPTR_MAX, 0}, 0};
    for (int i = 0; i < hold->count; i++) {
        const struct held_operand *held = &hold->operands[i];
        if (held->mirror != mirror)
            continue;
        share.hull.begin = held->hull.begin < share.hull.begin ? held->hull.begin : share.hull.begin;
        share.hull.end = held->hull.end > share.hull.end ? held->hull.end : share.hull.end;
        share.bytes += held->hull.end - held->hull.begin;
    }
    return share;
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

static enum preparation prepare(struct operands_hold *hold, struct mirror *mirror)
{
    struct share share = share_of(hold, mirror);
    struct page_range pages = mirror_page_range(mirror, share.hull.begin, share.hull.end);
    bool pin = pins_would_pay(mirror, share.bytes, pages);
    if (!mirror->armed && !mirror->foreign_pins && !record_is_current(mirror))
        return LOOK_AGAIN;
    if (!mirror->armed || pin) {
        enum status status = mirror_arm(mirror, pin);
        if (status != STATUS_OK)
            return status == STATUS_NOT_TRACKABLE ? UNFIT : SHORT;
    }
    return mirror_scan(mirror, share.hull.begin, share.hull.end) == STATUS_OK ? READY : LOOK_AGAIN;
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
    for (int i = 0; i < hold->mirror_count; i++) {
        struct mirror *mirror = hold->mirrors[i];
        enum preparation preparation = prepare(hold, mirror);
        if (preparation == LOOK_AGAIN || (preparation == UNFIT && !atomic_load(&mirror->foreign_pins)))
            mirror_table_drop(hold->table, mirror);
        if (preparation == UNFIT)
            make_stateless(hold, mirror);
        worst = preparation > worst ? preparation : worst;
    }
    return worst;
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
        enum preparation preparation = lock_mirrors(hold) ? prepare_all(hold) : LOOK_AGAIN;
        if (preparation == READY)
            return STATUS_OK;
        hold_unlock(hold);
        if (preparation == SHORT)
            return STATUS_OUT_OF_MEMORY;
    }
    return STATUS_OUT_OF_MEMORY; /* not reached: without mirrors there is nothing to prepare */
}
