/* Claims: who may work on which part of a mirror at the same time, and who waits for whom. */
#include "common/clock.h"
#include "common/own_thread.h"
#include "mirror/mirror.h"
#include "tap.h"
#include "unit_test.h"

static struct mirror mirror;

static struct claim claim_of(uintptr_t begin, uintptr_t end, bool shared)
{
    return (struct claim){.ranges = {{begin, end}}, .count = 1, .shared = shared ? CLAIM_ALL_SHARED : 0};
}

static bool take(struct claim *claim)
{
    struct patience none = patience_of_us(0);
    return claims_take(&mirror, claim, &none);
}

static void test_apart(void)
{
    struct claim low = claim_of(0, 100, false), high = claim_of(100, 200, false),
                 middle = claim_of(99, 101, false);
    struct claim both = {.ranges = {{300, 400}, {150, 160}}, .count = 2};
    tap_ok(take(&low) && take(&high), "ranges that only touch are claimed at once");
    tap_ok(!take(&middle) && !take(&both), "what overlaps one of them waits, by any of its ranges");
    claims_give(&mirror, &high);
    tap_ok(take(&both), "it comes in when that one is given back");
    tap_ok(claims_touch(&mirror, 0, 399, 500) && claims_touch(&mirror, 0, 50, 60) &&
               !claims_touch(&mirror, 0, 160, 300) && !claims_touch(&mirror, 1, 50, 60),
           "what is claimed is known, on the device whose copy is used");
    claims_give(&mirror, &low);
    claims_give(&mirror, &both);
    tap_ok(!mirror.claims, "nothing is left");
}

/* Claims of parts of a matrix on several devices. */
static void test_one_call(void)
{
    static const char call, another;
    struct claim first = claim_of(0, 100, false), second = claim_of(90, 200, false),
                 stranger = claim_of(95, 96, false), whole = claim_of_whole();
    first.call = second.call = &call;
    stranger.call = &another;
    tap_ok(take(&first) && take(&second), "claims of one call are not in each other's way");
    tap_ok(!take(&stranger), "another call's is");
    tap_ok(!take(&whole) && claims_touch(&mirror, 0, 0, 1),
           "nor is the whole to be had, not by that call either");
    claims_give(&mirror, &first);
    claims_give(&mirror, &second);
    tap_ok(take(&whole) && claims_touch(&mirror, 7, 0, 1), "which is that of every device");
    claims_give(&mirror, &whole);
}

static void test_shared(void)
{
    struct claim one = claim_of(0, 100, true), other = claim_of(50, 200, true), own = claim_of(90, 95, false);
    tap_ok(take(&one) && take(&other), "readers share");
    tap_ok(!take(&own), "who wants a part for himself waits for them");
    tap_ok(!claims_stop_sharing(&mirror, &one), "none can stop sharing while the other does not");
    claims_give(&mirror, &other);
    tap_ok(claims_stop_sharing(&mirror, &one) && !take(&other), "alone it can, and then nobody shares");
    claims_give(&mirror, &one);
}

/* A call's claim has ranges of both kinds. */
static void test_both_kinds(void)
{
    struct claim one = {.ranges = {{0, 100}, {200, 300}}, .count = 2, .shared = 1},
                 other = {.ranges = {{400, 500}, {50, 150}}, .count = 2, .shared = 2},
                 late = {.ranges = {{250, 260}, {0, 10}}, .count = 2, .shared = 3}, own = claim_of(140, 145, false);
    tap_ok(take(&one) && take(&other), "what both share is not in the way of what each has for itself");
    tap_ok(!take(&late), "but who would share what is another's waits");
    tap_ok(!take(&own), "as does who wants for himself what is shared");
    tap_ok(claims_widen(&mirror, &one, (struct byte_range){300, 350}) &&
               !claims_widen(&mirror, &one, (struct byte_range){90, 120}),
           "it grows beside what is shared, not over it");
    struct claim reader = {.ranges = {{0, 100}, {600, 700}}, .count = 2, .shared = 3};
    tap_ok(take(&reader) && !claims_stop_sharing_range(&mirror, &reader, (struct byte_range){20, 30}) &&
               claims_stop_sharing_range(&mirror, &reader, (struct byte_range){610, 620}) && reader.shared == 1,
           "what nobody else shares it may have for itself, beside what others share");
    claims_give(&mirror, &reader);
    claims_give(&mirror, &other);
    tap_ok(take(&own), "until it is given back");
    claims_give(&mirror, &one);
    claims_give(&mirror, &own);
}

static void test_widen(void)
{
    struct claim claim = claim_of(0, 100, false), other = claim_of(200, 300, true),
                 late = claim_of(150, 160, false);
    tap_ok(take(&claim) && take(&other), "two claims");
    tap_ok(claims_widen(&mirror, &claim, (struct byte_range){10, 20}) && claim.count == 1,
           "what it has it has");
    tap_ok(!claims_widen(&mirror, &claim, (struct byte_range){50, 201}), "it grows over nobody's");
    tap_ok(claims_widen(&mirror, &claim, (struct byte_range){50, 200}) && !take(&late),
           "but over what is free");
    claims_give(&mirror, &claim);
    claims_give(&mirror, &other);
}

static void test_whole(void)
{
    struct claim claim = claim_of(1 << 20, 1 << 21, true);
    tap_ok(claims_try_whole(&mirror) && !take(&claim), "the whole is for one alone");
    claims_give_whole(&mirror);
    tap_ok(take(&claim) && !claims_try_whole(&mirror), "and not to be had while somebody has a part");
    claims_give(&mirror, &claim);
}

struct waiter {
    pthread_t thread;
    struct claim claim;
    atomic_bool done;
};

static void *wait_for_claim(void *argument)
{
    struct waiter *waiter = argument;
    claims_take(&mirror, &waiter->claim, NULL);
    atomic_store(&waiter->done, true);
    return NULL;
}

static void await_waiters(int count)
{
    for (bool all = false; !all; pause_a_step()) {
        pthread_mutex_lock(&mirror.lock);
        all = mirror.claims_awaited == count;
        pthread_mutex_unlock(&mirror.lock);
    }
}

static void start(struct waiter *waiter, void *(*work)(void *))
{
    if (pthread_create(&waiter->thread, NULL, work, waiter) != 0)
        abort();
}

static void test_order(void)
{
    struct claim reader = claim_of(0, 100, true);
    struct waiter writer = {.claim = claim_of(50, 60, false)}, late = {.claim = claim_of(55, 58, true)};
    take(&reader);
    start(&writer, wait_for_claim);
    await_waiters(1);
    tap_ok(!take(&late.claim), "a reader does not overtake a writer that waits");
    start(&late, wait_for_claim);
    await_waiters(2);
    claims_give(&mirror, &reader);
    pthread_join(writer.thread, NULL);
    tap_ok(writer.done && !late.done, "the writer comes first");
    claims_give(&mirror, &writer.claim);
    pthread_join(late.thread, NULL);
    tap_ok(late.done, "then the reader");
    claims_give(&mirror, &late.claim);
}

static void *wait_for_scans(void *argument)
{
    struct waiter *waiter = argument;
    claims_await_scans(&mirror, &waiter->claim);
    atomic_store(&waiter->done, true);
    return NULL;
}

static void test_scans(void)
{
    struct claim other = claim_of(50, 200, true), far = claim_of(90, 300, true);
    struct waiter waiter = {.claim = claim_of(0, 100, true)};
    take(&waiter.claim);
    take(&other);
    take(&far);
    claims_begin_scan(&mirror, &other, (struct byte_range){100, 200});
    claims_await_scans(&mirror, &waiter.claim);
    tap_ok(true, "a scan of pages that are not shared is not waited for");
    claims_begin_scan(&mirror, &other, (struct byte_range){50, 60});
    start(&waiter, wait_for_scans);
    await_waiters(1);
    claims_begin_scan(&mirror, &far, (struct byte_range){90, 100});
    tap_ok(!waiter.done, "one of shared pages is");
    claims_end_scan(&mirror, &other);
    pthread_join(waiter.thread, NULL);
    tap_ok(waiter.done, "but not one that began later");
    claims_end_scan(&mirror, &far);
    claims_give(&mirror, &waiter.claim);
    claims_give(&mirror, &other);
    claims_give(&mirror, &far);
}

UNIT_TEST(test_claims)
{
    pthread_mutex_init(&mirror.lock, NULL);
    patience_condition_create(&mirror.claims_changed);
    test_apart();
    test_one_call();
    test_shared();
    test_both_kinds();
    test_widen();
    test_whole();
    test_order();
    test_scans();
    tap_ok(!mirror.claims && mirror.claims_awaited == 0, "in the end nobody claims or waits");
    return tap_done();
}
