/* team.h - the processes of a job and of a grid: whether all of them have mublas, on this machine, of one
 * version and with the same settings; who they are, which of them owns the device's part, the memory that
 * they share, and how they wait for each other in it.
 *
 * Grids of the same processes have one team, so that an arena, which is costly to make, serves the next
 * context, too. A team is made, and an arena, by all of its processes together.
 *
 * An arena holds whole matrices, and words to wait by. One process, the owner, makes it (a sealed memfd, no
 * name in any file system) and hands it to the others over their sockets (membership.c). Its pages lie on
 * all memory nodes in turn and are made present by all processes at once; the owner's device pins it once.
 * Arenas are made, and given up, only between calls.
 *
 * The rendezvous is the arena's first page. A call is one round: all put, the owner works, all take. Rounds
 * begin when all processes have agreed on a call, and so after all have left the round before. Waits sleep
 * after some microseconds, and look for the death of the processes that they wait for.
 *
 * A process that lacks mublas would meet a vote of ours with a reduction of its own. So each process that
 * is about to make a grid registers: it binds a socket whose name in the abstract namespace tells user,
 * job, version, settings and local rank. Nothing of that outlives the process, however it ends. The job is
 * known by the launcher: its process on this machine, and the number of ranks there, which must be that of
 * all. The first process that asks decides for all, once, and the others learn its answer by name: so all
 * processes of a grid have the same. The sockets serve to hand over arenas, too (arena.c). */
#ifndef MUBLAS_TEAM_H
#define MUBLAS_TEAM_H

#include "common/launcher.h"
#include "mirror/operands.h"
#include "scalapack/grid.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { JOB_NAME_BYTES = 64 };

/* The name that processes of one job, user, version and settings share: digits of the user, and of
 * a hash of the launcher's process (launcher.h) and number of ranks, the job's identity in the environment,
 * the library's file and version, and each setting that ranks may not differ in (not MUBLAS_DEVICE, nor what
 * only says where to write what). False: the launcher cannot be found. */
bool job_name_make(const struct local_rank *local, char name[JOB_NAME_BYTES]);

/* Before a grid is made, which synchronises its members. Does nothing the second time, without a launcher, or
 * where parallel routines are switched off. */
void membership_register(void);

/* After it. False: nothing is served in this job, or this process has forked since. Logs the reason once
 * (LOG_INFO). */
bool membership_is_whole(void);

/* How many ranks there are then. */
int membership_ranks(void);

/* Why not, for the report, in static storage; NULL: it is whole, or no grid was made. */
const char *membership_fault(void);

/* This process's local rank. */
int membership_rank(void);

/* A connection to the process of that local rank and process id, for one exchange; -1: there is none. */
int membership_connect(int rank, pid_t process);

/* The next connection of a process of this user, within some milliseconds, and who it is; -1: none came. */
int membership_accept(int milliseconds, pid_t *process);

/* May this process have so much memory that it shares? The text says what forbids it, in static storage;
 * NULL: nothing. Limits of the process (file size, whose excess is a signal, and address space), room in its
 * control group, of which half stays free for what the program takes later, and memory that is available on
 * the machine, of which an eighth stays free. */
const char *machine_memory_forbids(size_t bytes);

/* The process's limits alone: of who only maps what another has made. */
const char *machine_memory_limit_forbids(size_t bytes);

enum { RENDEZVOUS_BYTES = 4096 };

/* The owner tells the others this about the round's work. */
struct round_result {
    int32_t reason;  /* enum host_reason; HOST_NO_REASON: the results are there */
    int32_t found;   /* eigenvalues */
};

struct rendezvous {
    _Atomic uint32_t put;  /* how many processes have put, in all rounds together */
    _Atomic uint32_t done; /* the last round whose work is done */
    _Atomic uint32_t owner_sleeps;
    struct round_result result;
};

/* The processes, by their place in the grid. */
struct company {
    const pid_t *processes;
    int count, owner; /* the owner's number */
};

/* Each process says that what it puts is there. */
void rendezvous_put(struct rendezvous *rendezvous);

/* The owner waits until all have put in round `round`, counted from 1. False: one of them has died. */
bool rendezvous_await_puts(struct rendezvous *rendezvous, uint32_t round, const struct company *company);

/* The owner says that the work is done, or was refused. */
void rendezvous_finish(struct rendezvous *rendezvous, uint32_t round, const struct round_result *result);

/* The others wait for that. False: the owner has died. */
bool rendezvous_await_finish(struct rendezvous *rendezvous, uint32_t round, const struct company *company,
                             struct round_result *result);

struct arena {
    unsigned char *memory; /* begins with struct rendezvous */
    size_t bytes;
    int file; /* until all processes have mapped it; -1 */
    uint32_t nonce;
    bool is_pinned;
    struct own_pin pin;
    struct mirror_table *mirrors; /* that pinned it */
};

/* The owner makes room for `bytes`, if the limits of this process, of its control group and the machine's
 * memory allow it. False: logged once with what forbids it. */
bool arena_create(struct arena *arena, size_t bytes, uint32_t nonce);

/* The owner, one of the `count` processes, hands it to the others; it waits some seconds for them. */
bool arena_offer(const struct arena *arena, const pid_t *processes, int count);

/* Another process takes it from the owner of that local rank. False: anything about it is not as agreed. */
bool arena_receive(struct arena *arena, int owner_rank, pid_t owner, size_t bytes, uint32_t nonce);

/* Each, once all have mapped it, makes its share of the pages present, `part` of `parts`. */
bool arena_populate(struct arena *arena, int part, int parts);

/* The owner, whose device is awake, pins it for copies by DMA. Without that they go through staging. */
void arena_pin(struct arena *arena);

/* Once it is pinned: what stays open in a program that does not know of it may become the program's own. */
void arena_close_file(struct arena *arena);

void arena_drop(struct arena *arena);

struct team {
    int count;
    pid_t *processes; /* by local rank, ascending, as are `ranks` */
    int *ranks;
    int me, owner; /* numbers in these */
    struct arena arena; /* memory NULL: there is none */
    uint32_t rounds;    /* in that arena */
    uint32_t arenas;    /* made so far */
    size_t refused_bytes; /* so much cannot be had; 0: not known */
    atomic_bool is_busy; /* a call works with the team */
    struct team *next;
};

/* All processes of the grid tell each other who they are and agree on *nonce. NULL on all: no process of
 * the grid could use a device. */
struct team *team_meet(int context, const struct grid_place *place, uint32_t *nonce);

static inline bool team_am_owner(const struct team *team)
{
    return team->me == team->owner;
}

/* All make an arena with room for `bytes`. False on all: there is none. */
bool team_reserve(struct team *team, int context, size_t bytes);

/* The company of a rendezvous. */
struct company team_company(const struct team *team);

#endif
