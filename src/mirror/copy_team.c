#include "mirror/copy_team.h"

#include "common/processors.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

/* In a C library before 2.34 it is there only if the program links libpthread. */
#pragma weak pthread_create

enum { HELPERS_MOST = 3, IDLE_NANOSECONDS = 200000000 };

static struct {
    pthread_mutex_t user; /* held by whom the team works for */
    pthread_mutex_t lock; /* guards what follows, but `next` */
    pthread_cond_t work, done;
    int helpers, busy;    /* threads; those of them in the present job */
    uint64_t number;      /* of the job */
    bool open;            /* helpers may still join it */
    copy_share *share;
    void *job;
    size_t count, grain;
    atomic_size_t next;   /* first item that nobody has taken */
} team = {.user = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER};

static atomic_size_t helped;
static pid_t owner; /* the process that has the helpers; under `user` */

static size_t do_shares(void)
{
    size_t shares = 0, begin;
    while ((begin = atomic_fetch_add(&team.next, team.grain)) < team.count) {
        size_t end = team.count - begin > team.grain ? begin + team.grain : team.count;
        team.share(team.job, begin, end);
        shares++;
    }
    return shares;
}

/* `lock` is held. False when nothing came for a while. */
static bool wait_for_job(uint64_t seen)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += IDLE_NANOSECONDS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (!team.open || team.number == seen)
        if (pthread_cond_timedwait(&team.work, &team.lock, &until) != 0)
            return team.open && team.number != seen;
    return true;
}

static void *help(void *unused)
{
    uint64_t seen = 0;
    pthread_mutex_lock(&team.lock);
    while (wait_for_job(seen)) {
        seen = team.number;
        team.busy++;
        pthread_mutex_unlock(&team.lock);
        atomic_fetch_add(&helped, do_shares());
        pthread_mutex_lock(&team.lock);
        if (--team.busy == 0)
            pthread_cond_signal(&team.done);
    }
    team.helpers--;
    pthread_mutex_unlock(&team.lock);
    return unused;
}

/* The program's signals are for its own threads. `lock` is held. */
static void add_helpers(int wanted)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    pthread_t thread;
    if (team.helpers >= wanted || !pthread_create || pthread_attr_init(&attributes) != 0)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    while (team.helpers < wanted && pthread_create(&thread, &attributes, help, NULL) == 0)
        team.helpers++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

static int helpers_wanted(size_t shares)
{
    static atomic_int known;
    int most = atomic_load(&known);
    if (most == 0) {
        int processors = processors_usable();
        most = processors > HELPERS_MOST ? HELPERS_MOST : processors - 1;
        atomic_store(&known, most > 0 ? most : -1);
    }
    return most > 0 && shares > 1 ? (shares - 1 < (size_t)most ? (int)shares - 1 : most) : 0;
}

static void run_in_team(int helpers)
{
    pthread_mutex_lock(&team.lock);
    add_helpers(helpers);
    team.number++;
    team.open = true;
    pthread_cond_broadcast(&team.work);
    pthread_mutex_unlock(&team.lock);
    do_shares();
    pthread_mutex_lock(&team.lock);
    team.open = false;
    while (team.busy > 0)
        pthread_cond_wait(&team.done, &team.lock);
    pthread_mutex_unlock(&team.lock);
}

void copy_team_run(size_t count, size_t grain, copy_share *share, void *job)
{
    int helpers = helpers_wanted((count + grain - 1) / grain);
    if (helpers == 0 || pthread_mutex_trylock(&team.user) != 0) {
        share(job, 0, count);
        return;
    }
    if (owner == 0)
        owner = getpid();
    if (owner == getpid()) {
        team.share = share;
        team.job = job;
        team.count = count;
        team.grain = grain;
        atomic_store(&team.next, 0);
        run_in_team(helpers);
    } else {
        share(job, 0, count); /* the parent's helpers are not here */
    }
    pthread_mutex_unlock(&team.user);
}

size_t copy_team_helped(void)
{
    return atomic_load(&helped);
}
