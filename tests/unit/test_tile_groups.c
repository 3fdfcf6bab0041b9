/* Groups of tiles on several devices: by planted paces each does what its throughput says, kinds of device
 * keep to their own, and what a failed device leaves is done by others. Times are made up. */
#include "interpose/execute/tile_runner.h"
#include "tap.h"
#include "unit_test.h"

#include <math.h>
#include <stdlib.h>

enum { GROUPS_MOST = 400 };

/* Devices that take groups until there are none for them; seconds[i] of device i for each. */
struct run {
    int64_t done[DEVICES_MAX];
    int by[GROUPS_MOST];
    double end;
};

static bool begin(struct tile_groups *groups, int64_t count, const struct tile_groups_device *devices,
                  int number)
{
    *groups = (struct tile_groups){.count = count, .tiles = 1, .bytes = 1e8, .operations = 1e11};
    return tile_groups_begin(groups, devices, number);
}

static struct run simulate(struct tile_groups *groups, const double *seconds, int number)
{
    struct run run = {.end = 0};
    double at[DEVICES_MAX] = {0};
    int64_t has[DEVICES_MAX], tile;
    for (int i = 0; i < number; i++)
        has[i] = tile_groups_take(groups, i, 0, &tile);
    for (;;) {
        int next = -1; /* who is done first */
        for (int i = 0; i < number; i++)
            if (has[i] >= 0 && (next < 0 || at[i] + seconds[i] < at[next] + seconds[next]))
                next = i;
        if (next < 0)
            return run;
        at[next] += seconds[next];
        run.end = at[next];
        run.done[next]++;
        run.by[has[next]] = next;
        tile_groups_finish(groups, next, has[next], at[next]);
        has[next] = tile_groups_take(groups, next, at[next], &tile);
    }
}

static struct tile_groups_device device_of(int kind, int64_t share)
{
    return (struct tile_groups_device){.kind = kind, .share = share, .pace = device_pace_guess(50e9, 50e12)};
}

static void test_slow_device(void)
{
    struct tile_groups groups;
    const struct tile_groups_device equal[] = {device_of(0, 50), device_of(0, 50)};
    if (!begin(&groups, 100, equal, 2))
        exit(1);
    const struct run run = simulate(&groups, (double[]){1, 4}, 2);
    tap_ok(run.done[0] + run.done[1] == 100 && llabs((long long)run.done[1] - 20) <= 2,
           "a device four times as slow does a fifth: %lld of 100", (long long)run.done[1]);
    tap_ok(run.end <= 84, "and holds nobody up: %g, at best 80", run.end);
    tile_groups_end(&groups);
    if (!begin(&groups, 6, (struct tile_groups_device[]){device_of(0, 3), device_of(0, 3)}, 2))
        exit(1);
    const struct run few = simulate(&groups, (double[]){1, 50}, 2);
    tap_ok(few.done[0] + few.done[1] == 6 && few.done[1] <= 1, "a useless one does what it began at most");
    const struct device_pace learned[] = {groups.device[0].pace, groups.device[1].pace};
    tile_groups_end(&groups);
    if (!begin(&groups, 6, (struct tile_groups_device[]){{0, 3, learned[0]}, {0, 3, learned[1]}}, 2))
        exit(1);
    const struct run known = simulate(&groups, (double[]){1, 50}, 2);
    tap_ok(known.done[0] == 6 && known.done[1] == 0, "and nothing once that is known");
    tile_groups_end(&groups);
}

/* Two of one kind, one of another: who does what depends on time only within a kind. */
static void test_kinds(void)
{
    const struct tile_groups_device devices[] = {device_of(0, 20), device_of(0, 20), device_of(1, 10)};
    bool good = true;
    srand(3);
    for (int trial = 0; trial < 50; trial++) {
        struct tile_groups groups;
        if (!begin(&groups, 50, devices, 3))
            exit(1);
        const double seconds[] = {1 + rand() % 9, 1 + rand() % 9, 1 + rand() % 9};
        const struct run run = simulate(&groups, seconds, 3);
        for (int group = 0; group < 50; group++)
            good = good && (run.by[group] == 2) == (group >= 40);
        good = good && run.done[0] + run.done[1] == 40 && run.done[2] == 10 && !tile_groups_open(&groups);
        tile_groups_end(&groups);
    }
    tap_ok(good, "each kind does its own range at any pace (50 trials)");
}

static void test_failure(void)
{
    const struct tile_groups_device devices[] = {device_of(0, 4), device_of(1, 2)};
    struct tile_groups groups;
    int64_t tile;
    if (!begin(&groups, 6, devices, 2))
        exit(1);
    groups.tiles = 5;
    const int64_t group = tile_groups_take(&groups, 1, 0, &tile);
    tap_ok(group == 4 && tile == 20, "a kind's range comes after the one before");
    tile_groups_leave(&groups, 1, group, 3);
    const struct run first = simulate(&groups, (double[]){1}, 1);
    tap_ok(first.done[0] == 4, "what a failed device leaves is not for another kind");
    tap_ok(tile_groups_open(&groups), "until all is open");
    tap_ok(tile_groups_take(&groups, 0, 9, &tile) == 4 && tile == 23, "from the tile on that is not done");
    tile_groups_finish(&groups, 0, 4, 10);
    tap_ok(tile_groups_take(&groups, 0, 10, &tile) == 5 && tile == 25 && !tile_groups_open(&groups),
           "and the rest");
    tile_groups_end(&groups);
}

UNIT_TEST(test_tile_groups)
{
    test_slow_device();
    test_kinds();
    test_failure();
    return tap_done();
}
