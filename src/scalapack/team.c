#include "scalapack/team.h"
#include "common/log.h"
#include "common/settings.h"
#include "common/whole_number.h"
#include "gpu/device_sharing.h"
#include "gpu/driver.h"
#include "interpose/purchase/purchase.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct team *first; /* guarded by lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Processes tell each other a row each, in the order of the grid, and then a number for the nonce. */
enum { DEVICE_NUMBERS = 1 << 20 };
enum { TOLD_RANK, TOLD_PROCESS, TOLD_DEVICE, TOLD };

struct member {
    int rank, process;
    int device; /* the number of the one that it would use, from 1; 0: it could use none */
};

static int32_t some_number(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t mixed = ((uint64_t)now.tv_nsec << 20 ^ (uint64_t)now.tv_sec ^ (uint64_t)getpid() << 8) *
                           UINT64_C(0x9e3779b97f4a7c15);
    return (int32_t)(mixed >> 36) + 1;
}

/* Makes no context, and asks no driver. */
static int my_device(void)
{
    if (!driver_is_there() || door_is_given_up())
        return 0;
    const char *const visible = secure_getenv("CUDA_VISIBLE_DEVICES");
    const bool is_bound = device_sharing_bound_of() > 0 && *visible >= '0' && *visible <= '9';
    const int number = is_bound ? atoi(visible) : device_sharing_place(membership_rank());
    return number % DEVICE_NUMBERS + 1;
}

static int by_rank(const void *one, const void *other)
{
    return ((const struct member *)one)->rank - ((const struct member *)other)->rank;
}

/* Everybody's row, by local rank; to be freed. */
static struct member *tell_each_other(int context, const struct grid_place *place, uint32_t *nonce)
{
    const int count = place->rows * place->columns, me = place->row * place->columns + place->column;
    int32_t *const told = calloc((size_t)count * TOLD + 1, sizeof *told);
    struct member *const members = calloc((size_t)count, sizeof *members);
    if (!told || !members)
        abort(); /* others wait for this process in the BLACS */
    told[me * TOLD + TOLD_RANK] = membership_rank() + 1;
    told[me * TOLD + TOLD_PROCESS] = getpid();
    told[me * TOLD + TOLD_DEVICE] = my_device();
    told[count * TOLD] = some_number();
    blacs_largest(context, told, count * TOLD + 1);
    for (int i = 0; i < count; i++)
        members[i] = (struct member){told[i * TOLD + TOLD_RANK] - 1, told[i * TOLD + TOLD_PROCESS],
                                     told[i * TOLD + TOLD_DEVICE]};
    *nonce = (uint32_t)told[count * TOLD];
    qsort(members, (size_t)count, sizeof *members, by_rank);
    free(told);
    return members;
}

/* Teams of different processes are dealt over the devices that their members would use; of those that would
 * use it the lowest local rank is the owner. Negative: none could use any. */
static int owner_among(const struct member *members, int count)
{
    int devices = 0, first_of[DEVICES_MAX];
    for (int i = 0; i < count && devices < DEVICES_MAX; i++) {
        bool is_new = members[i].device > 0;
        for (int j = 0; j < devices && is_new; j++)
            is_new = members[first_of[j]].device != members[i].device;
        if (is_new)
            first_of[devices++] = i;
    }
    return devices > 0 ? first_of[members[0].rank / count % devices] : -1;
}

static bool is_of(const struct team *team, const struct member *members, int count)
{
    bool same = team->count == count;
    for (int i = 0; i < count && same; i++)
        same = team->processes[i] == members[i].process;
    return same;
}

static struct team *make_team(const struct member *members, int count)
{
    struct team *const team = calloc(1, sizeof *team);
    pid_t *const processes = calloc((size_t)count, sizeof *processes);
    int *const ranks = calloc((size_t)count, sizeof *ranks);
    if (!team || !processes || !ranks)
        abort(); /* the others have made theirs */
    *team = (struct team){.count = count, .processes = processes, .ranks = ranks, .arena = {.file = -1},
                          .owner = owner_among(members, count)};
    for (int i = 0; i < count; i++) {
        processes[i] = members[i].process;
        ranks[i] = members[i].rank;
        if (members[i].process == getpid())
            team->me = i;
    }
    return team;
}

static struct team *find_or_make(const struct member *members, int count)
{
    pthread_mutex_lock(&lock);
    struct team *team = first;
    while (team && !is_of(team, members, count))
        team = team->next;
    if (!team) {
        team = make_team(members, count);
        team->next = first;
        first = team;
    }
    pthread_mutex_unlock(&lock);
    return team;
}

struct team *team_meet(int context, const struct grid_place *place, uint32_t *nonce)
{
    const int count = place->rows * place->columns;
    struct member *const members = tell_each_other(context, place, nonce);
    struct team *const team = owner_among(members, count) >= 0 ? find_or_make(members, count) : NULL;
    free(members);
    if (team)
        log_message(LOG_DEBUG, "grid of %d processes: process %d owns the device's part", count,
                    (int)team->processes[team->owner]);
    return team;
}

static bool all_say(int context, bool yes)
{
    int32_t vote = yes;
    blacs_smallest(context, &vote, 1);
    return vote != 0;
}

static bool hand_over(struct team *team, size_t bytes, uint32_t nonce)
{
    if (team_am_owner(team))
        return arena_offer(&team->arena, team->processes, team->count);
    return arena_receive(&team->arena, team->ranks[team->owner], team->processes[team->owner], bytes, nonce);
}

/* Each step is the host's for all if it fails for one. */
static bool make_arena(struct team *team, int context, size_t bytes)
{
    const uint32_t nonce = (uint32_t)team->processes[team->owner] * 31 + ++team->arenas;
    if (!all_say(context, !team_am_owner(team) || arena_create(&team->arena, bytes, nonce)) ||
        !all_say(context, hand_over(team, bytes, nonce)) ||
        !all_say(context, arena_populate(&team->arena, team->me, team->count)))
        return false;
    if (team_am_owner(team))
        arena_pin(&team->arena);
    arena_close_file(&team->arena);
    team->rounds = 0;
    return true;
}

bool team_reserve(struct team *team, int context, size_t bytes)
{
    enum { UNIT = 2 << 20 };
    if (team->arena.memory && team->arena.bytes >= bytes)
        return true;
    if (team->refused_bytes > 0 && bytes >= team->refused_bytes)
        return false;
    const size_t before = team->arena.bytes;
    arena_drop(&team->arena);
    const size_t roomy = (size_t)larger((int64_t)bytes, (int64_t)(before + before / 2));
    if (make_arena(team, context, (size_t)round_up((int64_t)roomy, UNIT)))
        return true;
    arena_drop(&team->arena);
    if (roomy > bytes && make_arena(team, context, (size_t)round_up((int64_t)bytes, UNIT)))
        return true;
    arena_drop(&team->arena);
    team->refused_bytes = bytes;
    return false;
}

struct company team_company(const struct team *team)
{
    return (struct company){team->processes, team->count, team->owner};
}
