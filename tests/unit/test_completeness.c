/* Knowledge of complete operands, as calls beside each other change it. */
#include "mirror/tracking/mirror_pages.h"
#include "mirror/tracking/write_tracker.h"
#include "tap.h"
#include "unit_test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { ROWS = 512, COLUMNS = 16, ROUNDS = 50000, LOOKS = 10 }; /* columns of a page of 4 KiB */

static struct mirror mirror;
static struct mirror_copy copy = {.mirror = &mirror};
static _Alignas(1 << 16) double memory[ROWS * COLUMNS];

static struct operand columns(int first, int count)
{
    return (struct operand){.matrix = {memory + first * ROWS, ROWS, count, ROWS, PART_FULL}, .element_bytes = 8};
}

static struct page_range pages_of(const struct operand *operand)
{
    const struct byte_range hull = operand_memory_hull(operand);
    return mirror_page_range(&mirror, hull.begin, hull.end);
}

static struct operand whole_matrix(void)
{
    return columns(0, COLUMNS);
}

static struct page_range lost(void)
{
    const struct operand whole = whole_matrix();
    struct completeness known = {.lost = {1, 0}};
    completeness_find(&copy, &whole, &known);
    return known.lost;
}

static void note_whole(void)
{
    const struct operand whole = whole_matrix();
    completeness_forget(&copy);
    completeness_note(&copy, &whole, 0);
}

static bool take(const struct operand *operand, struct completeness *before)
{
    return completeness_take(&copy, operand, pages_of(operand), before);
}

static void regain(const struct operand *operand, const struct completeness *before)
{
    completeness_regain(&copy, operand, before);
}

static bool is_lost(struct page_range pages)
{
    return lost().begin <= pages.begin && lost().end >= pages.end;
}

static void test_beside(void)
{
    const struct operand low = columns(0, 4), high = columns(8, 4);
    struct completeness before, other;
    tap_ok(!take(&low, &before), "nothing is known at first");
    note_whole();
    tap_ok(take(&low, &before) && is_lost(pages_of(&low)), "what a call takes is lost");
    regain(&low, &before);
    tap_ok(lost().begin == lost().end, "until it comes back");
    take(&low, &before);
    take(&high, &other);
    regain(&low, &before);
    tap_ok(is_lost(pages_of(&low)) && is_lost(pages_of(&high)), "not once another call has taken something");
    regain(&high, &other);
    tap_ok(is_lost(pages_of(&low)), "whose own does not bring back the first one's");
}

static atomic_bool over;

static void *come_and_go(void *unused)
{
    const struct operand high = columns(8, 4);
    struct completeness before;
    while (!atomic_load(&over))
        if (take(&high, &before))
            regain(&high, &before);
    return unused;
}

/* A call that fails has taken what never comes back. */
static void test_threads(void)
{
    const struct operand low = columns(0, 4);
    struct completeness before;
    pthread_t thread;
    bool good = true;
    if (pthread_create(&thread, NULL, come_and_go, NULL) != 0)
        abort();
    for (int i = 0; i < ROUNDS; i++) {
        note_whole();
        good = take(&low, &before) && good;
        for (int j = 0; j < LOOKS; j++)
            good = is_lost(pages_of(&low)) && good;
    }
    atomic_store(&over, true);
    pthread_join(thread, NULL);
    tap_ok(good, "nor does what another takes and gives back at the same time");
}

UNIT_TEST(test_completeness)
{
    mirror.begin = (uintptr_t)memory;
    mirror.end = (uintptr_t)(memory + ROWS * COLUMNS);
    pthread_mutex_init(&mirror.notes, NULL);
    test_beside();
    test_threads();
    return tap_done();
}
