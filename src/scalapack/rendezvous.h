/* rendezvous.h - how the processes of a grid wait for each other inside an arena, whose first page this is.
 *
 * A call is one round: all put, the owner works, all take. Rounds begin when all processes have agreed on a
 * call, and so after all have left the round before. Waits sleep after some microseconds, and look for the
 * death of those that they wait for. */
#ifndef MUBLAS_SCALAPACK_RENDEZVOUS_H
#define MUBLAS_SCALAPACK_RENDEZVOUS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { RENDEZVOUS_BYTES = 4096 };

/* The owner tells the others this about the round's work. */
struct round_result {
    int32_t reason;  /* enum host_reason; HOST_REASON_COUNT: the results are there */
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

#endif
