/* team.h - the processes of a grid: who they are, which of them owns the device's part, and their arenas.
 *
 * Grids of the same processes have one team, so that an arena, which is costly to make, serves the next
 * context, too. A team is made, and an arena, by all of its processes together. */
#ifndef MUBLAS_SCALAPACK_TEAM_H
#define MUBLAS_SCALAPACK_TEAM_H

#include "scalapack/arena.h"
#include "scalapack/blacs.h"

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
