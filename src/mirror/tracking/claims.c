#include "mirror/tracking/claims.h"
#include "mirror/mirror.h"

struct claim claim_of_whole(void)
{
    return (struct claim){.ranges = {{0, UINTPTR_MAX}}, .count = 1, .place = -1};
}

static bool touches(const struct claim *claim, struct byte_range range)
{
    bool found = false;
    for (int i = 0; i < claim->count && !found; i++)
        found = byte_ranges_overlap(claim->ranges[i], range);
    return found;
}

static bool is_shared(const struct claim *claim, int range)
{
    return claim->shared >> range & 1;
}

/* Ranges that overlap; both are shared, or one of them is not. */
static bool overlap(const struct claim *one, const struct claim *other, bool both_shared)
{
    bool found = false;
    for (int i = 0; i < one->count && !found; i++)
        for (int k = 0; k < other->count && !found; k++)
            found = (is_shared(one, i) && is_shared(other, k)) == both_shared &&
                    byte_ranges_overlap(one->ranges[i], other->ranges[k]);
    return found;
}

static bool are_apart(const struct claim *one, const struct claim *other)
{
    return !overlap(one, other, false) || (one->call && one->call == other->call);
}

/* In nobody's way who came before. */
static bool is_granted(const struct mirror *mirror, const struct claim *claim)
{
    const struct claim *earlier = mirror->claims;
    while (earlier != claim && are_apart(earlier, claim))
        earlier = earlier->next;
    return earlier == claim;
}

static void append(struct mirror *mirror, struct claim *claim)
{
    struct claim **place = &mirror->claims;
    while (*place)
        place = &(*place)->next;
    claim->scanned = (struct byte_range){0, 0};
    claim->pinned_anew = false;
    claim->next = NULL;
    *place = claim;
}

static void take_out(struct mirror *mirror, struct claim *claim)
{
    struct claim **place = &mirror->claims;
    while (*place != claim)
        place = &(*place)->next;
    *place = claim->next;
    if (mirror->claims_awaited > 0)
        pthread_cond_broadcast(&mirror->claims_changed);
}

bool claims_take(struct mirror *mirror, struct claim *claim, struct patience *patience)
{
    bool patient = true;
    pthread_mutex_lock(&mirror->lock);
    append(mirror, claim);
    while (!is_granted(mirror, claim) && patient) {
        mirror->claims_awaited++;
        patient = patience_wait(patience, &mirror->claims_changed, &mirror->lock);
        mirror->claims_awaited--;
    }
    const bool granted = patient || is_granted(mirror, claim);
    if (!granted)
        take_out(mirror, claim);
    pthread_mutex_unlock(&mirror->lock);
    return granted;
}

bool claims_try_whole(struct mirror *mirror)
{
    pthread_mutex_lock(&mirror->lock);
    const bool free = !mirror->claims;
    if (free) {
        mirror->whole = claim_of_whole();
        append(mirror, &mirror->whole);
    }
    pthread_mutex_unlock(&mirror->lock);
    return free;
}

void claims_give_whole(struct mirror *mirror)
{
    claims_give(mirror, &mirror->whole);
}

void claims_give(struct mirror *mirror, struct claim *claim)
{
    pthread_mutex_lock(&mirror->lock);
    take_out(mirror, claim);
    pthread_mutex_unlock(&mirror->lock);
}

static bool holds(const struct claim *claim, struct byte_range range)
{
    bool inside = false;
    for (int i = 0; i < claim->count && !inside; i++)
        inside = !is_shared(claim, i) && byte_range_covers(claim->ranges[i], range);
    return inside;
}

bool claims_widen(struct mirror *mirror, struct claim *claim, struct byte_range range)
{
    if (holds(claim, range))
        return true;
    pthread_mutex_lock(&mirror->lock);
    bool free = claim->shared != CLAIM_ALL_SHARED && claim->count < CLAIM_RANGES_MAX;
    for (const struct claim *other = mirror->claims; other && free; other = other->next)
        free = other == claim || !touches(other, range);
    if (free)
        claim->ranges[claim->count++] = range;
    pthread_mutex_unlock(&mirror->lock);
    return free;
}

/* A call that wants the shared pages for itself waits for us. */
bool claims_stop_sharing(struct mirror *mirror, struct claim *claim)
{
    pthread_mutex_lock(&mirror->lock);
    bool alone = true;
    for (const struct claim *other = mirror->claims; other && alone; other = other->next)
        alone = other == claim || !overlap(other, claim, true);
    if (alone)
        claim->shared = 0;
    pthread_mutex_unlock(&mirror->lock);
    return alone;
}

/* The claim's shared ranges that overlap this one. */
static unsigned shared_in(const struct claim *claim, struct byte_range range)
{
    unsigned ranges = 0;
    for (int i = 0; i < claim->count; i++)
        ranges |= (unsigned)(is_shared(claim, i) && byte_ranges_overlap(claim->ranges[i], range)) << i;
    return ranges;
}

bool claims_stop_sharing_range(struct mirror *mirror, struct claim *claim, struct byte_range range)
{
    pthread_mutex_lock(&mirror->lock);
    struct claim part = *claim;
    part.shared = shared_in(claim, range);
    bool alone = true;
    for (const struct claim *other = mirror->claims; other && alone; other = other->next)
        alone = other == claim || !overlap(other, &part, true);
    if (alone)
        claim->shared &= ~part.shared;
    pthread_mutex_unlock(&mirror->lock);
    return alone;
}

bool claims_touch(const struct mirror *mirror, int place, uintptr_t begin, uintptr_t end)
{
    const struct claim *claim = mirror->claims;
    while (claim &&
           ((claim->place >= 0 && claim->place != place) || !touches(claim, (struct byte_range){begin, end})))
        claim = claim->next;
    return claim != NULL;
}

void claims_begin_scan(struct mirror *mirror, struct claim *claim, struct byte_range range)
{
    pthread_mutex_lock(&mirror->lock);
    claim->scanned = range;
    claim->scan = ++mirror->scans;
    pthread_mutex_unlock(&mirror->lock);
}

void claims_end_scan(struct mirror *mirror, struct claim *claim)
{
    pthread_mutex_lock(&mirror->lock);
    claim->scanned = (struct byte_range){0, 0};
    if (mirror->claims_awaited > 0)
        pthread_cond_broadcast(&mirror->claims_changed);
    pthread_mutex_unlock(&mirror->lock);
}

/* Is one of others' scans until that one under way, of shared pages? */
static bool is_scanned(const struct mirror *mirror, const struct claim *claim, unsigned long until)
{
    const struct claim *other = mirror->claims;
    while (other && (other == claim || other->scan > until || !touches(claim, other->scanned)))
        other = other->next;
    return other != NULL;
}

/* A scan that begins later takes nothing that was written before ours. */
void claims_await_scans(struct mirror *mirror, const struct claim *claim)
{
    pthread_mutex_lock(&mirror->lock);
    const unsigned long until = mirror->scans;
    while (is_scanned(mirror, claim, until)) {
        mirror->claims_awaited++;
        pthread_cond_wait(&mirror->claims_changed, &mirror->lock);
        mirror->claims_awaited--;
    }
    pthread_mutex_unlock(&mirror->lock);
}
