/* Processes wait for each other in shared memory: nobody goes on before it should, rounds follow each other,
 * results come through, and the death of one ends the waits for it. */
#include "scalapack/team.h"
#include "tap.h"
#include "unit_test.h"

#include <signal.h>
#include <stdalign.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 3, ROUNDS = 400, LAST_WORD = 77 };

/* The processes share this. */
static struct shared {
    alignas(RENDEZVOUS_BYTES) struct rendezvous rendezvous;
    pid_t processes[MOST];
    _Atomic int ready, go;
    _Atomic int entered[MOST]; /* the round that each is in */
    _Atomic int wrong;
} * shared;

static void snooze(long milliseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000}, NULL);
}

static void begin(void)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        exit(1);
}

static void end(void)
{
    munmap(shared, sizeof *shared);
}

static struct company company_of(int count)
{
    return (struct company){shared->processes, count, 0};
}

/* Process `me`; the first is the owner. */
static void take_part(int me, int count)
{
    const struct company company = company_of(count);
    struct round_result result;
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        atomic_store(&shared->entered[me], (int)round);
        if (round % 50 == (uint32_t)me)
            snooze(3); /* longer than the others spin */
        rendezvous_put(&shared->rendezvous);
        if (me == 0) {
            bool complete = rendezvous_await_puts(&shared->rendezvous, round, &company);
            for (int i = 0; i < count; i++)
                complete = complete && atomic_load(&shared->entered[i]) == (int)round;
            shared->wrong += !complete;
            rendezvous_finish(&shared->rendezvous, round,
                              &(struct round_result){(int32_t)round, -(int32_t)round});
        } else if (!rendezvous_await_finish(&shared->rendezvous, round, &company, &result) ||
                   result.reason != (int32_t)round || result.found != -(int32_t)round) {
            shared->wrong++;
        }
        while (me != 0 && round < ROUNDS && atomic_load(&shared->go) < (int)round)
            snooze(0);
        if (me == 0)
            atomic_store(&shared->go, (int)round); /* all have agreed on the next one */
    }
    _exit(0);
}

static void test_rounds(int count)
{
    begin();
    for (int i = 0; i < count; i++) {
        const pid_t child = fork();
        if (child == 0) {
            while (!atomic_load(&shared->ready))
                snooze(1);
            take_part(i, count);
        }
        shared->processes[i] = child;
    }
    atomic_store(&shared->ready, 1);
    bool ended = true;
    for (int i = 0; i < count; i++) {
        int status;
        ended = waitpid(shared->processes[i], &status, 0) > 0 && status == 0 && ended;
    }
    tap_ok(ended && shared->wrong == 0, "%d processes, %d rounds: the owner works when all have put", count,
           ROUNDS);
    end();
}

/* Numbers of rounds and puts begin again at 0. */
static void test_wrap(void)
{
    const uint32_t round = UINT32_MAX / 2 + 2; /* times two: 2 past the end */
    struct round_result result = {0, 0};
    begin();
    shared->processes[0] = shared->processes[1] = getpid();
    const struct company company = company_of(2);
    atomic_store(&shared->rendezvous.put, round * 2);
    tap_ok(rendezvous_await_puts(&shared->rendezvous, round, &company), "puts count on past 2^32");
    rendezvous_finish(&shared->rendezvous, 2, &(struct round_result){LAST_WORD, 1});
    tap_ok(rendezvous_await_finish(&shared->rendezvous, UINT32_MAX, &company, &result) &&
               result.reason == LAST_WORD,
           "and so do rounds");
    end();
}

/* A child that puts, or does not, and is killed then. */
static pid_t fork_victim(bool puts)
{
    const pid_t child = fork();
    if (child == 0) {
        if (puts)
            rendezvous_put(&shared->rendezvous);
        atomic_store(&shared->ready, 1);
        for (;;)
            pause();
    }
    while (!atomic_load(&shared->ready))
        snooze(1);
    atomic_store(&shared->ready, 0);
    return child;
}

/* Dead but not waited for, as a launcher that is busy leaves it. */
static void test_death_before_putting(bool is_reaped)
{
    begin();
    const pid_t victim = fork_victim(false);
    shared->processes[0] = getpid();
    shared->processes[1] = victim;
    const struct company company = company_of(2);
    rendezvous_put(&shared->rendezvous);
    kill(victim, SIGKILL);
    if (is_reaped)
        waitpid(victim, NULL, 0);
    tap_ok(!rendezvous_await_puts(&shared->rendezvous, 1, &company), "the owner learns that one died%s",
           is_reaped ? ", which is gone" : ", which is a zombie");
    if (!is_reaped)
        waitpid(victim, NULL, 0);
    end();
}

static void test_death_while_waited_for(void)
{
    begin();
    const pid_t victim = fork_victim(false), killer = fork();
    if (killer == 0) {
        snooze(250);
        kill(victim, SIGKILL);
        _exit(0);
    }
    shared->processes[0] = getpid();
    shared->processes[1] = victim;
    const struct company company = company_of(2);
    rendezvous_put(&shared->rendezvous);
    tap_ok(!rendezvous_await_puts(&shared->rendezvous, 1, &company), "the owner sleeps when one dies");
    tap_ok(atomic_load(&shared->rendezvous.owner_sleeps) == 0, "and is up then");
    waitpid(killer, NULL, 0);
    waitpid(victim, NULL, 0);
    end();
}

/* Whoever has put before it died is missed later, not here. */
static void test_death_after_putting(void)
{
    begin();
    const pid_t victim = fork_victim(true);
    shared->processes[0] = getpid();
    shared->processes[1] = victim;
    const struct company company = company_of(2);
    kill(victim, SIGKILL);
    waitpid(victim, NULL, 0);
    rendezvous_put(&shared->rendezvous);
    tap_ok(rendezvous_await_puts(&shared->rendezvous, 1, &company), "whoever dies after it put has put");
    end();
}

static void test_death_of_the_owner(bool has_finished)
{
    struct round_result result = {0, 0};
    begin();
    const pid_t owner = fork_victim(false);
    shared->processes[0] = owner;
    shared->processes[1] = getpid();
    const struct company company = company_of(2);
    if (has_finished)
        rendezvous_finish(&shared->rendezvous, 1, &(struct round_result){LAST_WORD, 3});
    kill(owner, SIGKILL);
    waitpid(owner, NULL, 0);
    const bool is_done = rendezvous_await_finish(&shared->rendezvous, 1, &company, &result);
    tap_ok(is_done == has_finished && (!has_finished || result.reason == LAST_WORD),
           has_finished ? "an owner's work is done although it has died since"
                        : "others learn that the owner died");
    end();
}

UNIT_TEST(test_scalapack_rendezvous)
{
    alarm(60); /* a wait without end is a failure */
    test_rounds(2);
    test_rounds(MOST);
    test_wrap();
    test_death_before_putting(true);
    test_death_before_putting(false);
    test_death_while_waited_for();
    test_death_after_putting();
    test_death_of_the_owner(false);
    test_death_of_the_owner(true);
    return tap_done();
}
