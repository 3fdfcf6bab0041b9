/* peer.h - how a program that was written for cuSOLVER holds its operands: in pinned host memory, with device
 * memory and workspace of their own, all allocated once.
 *
 *     peer_begin(run);              wakes the device, creates the handle
 *     ... peer_operand, peer_work ...
 *     peer_ready(run);              the first repetition's time has all that
 *     while (run_next(run)) {
 *         ... fill the host's memory ...
 *         run_start(run);
 *         peer_up(&operand); the routine; peer_down(&operand, operand.count);
 *         peer_stop(run, "routine");
 *         ... check, digest ...
 *     }
 *
 * Routines and copies down are queued on one stream; peer_stop waits. Whatever fails ends the program: exit
 * status 1, or NOT_THERE without a usable device, NO_ROUTINE where cuSOLVER lacks the routine. */
#ifndef MUBLAS_BENCH_PEER_H
#define MUBLAS_BENCH_PEER_H

#include "cuda_libraries.h"
#include "../program.h"

struct peer {
    struct cuda_libraries cuda;
    void *handle, *params, *stream;
    int *info; /* on the device */
};
extern struct peer peer;

struct operand {
    void *host, *device;
    size_t count; /* words of 8 bytes */
};

struct work {
    void *device, *host;
    size_t device_bytes, host_bytes;
};

void peer_begin(struct run *run);
void peer_ready(struct run *run);

/* Exits unless the routine is `there`. After peer_begin, as all below. */
void peer_need(const char *routine, bool there);

struct operand peer_operand(size_t count);
struct work peer_work(size_t device_bytes, size_t host_bytes);

/* Copies all of it up and waits, as cudaMemcpy does. */
void peer_up(const struct operand *operand);
/* Queues the copy of its first `count` words down. */
void peer_down(const struct operand *operand, size_t count);

/* Exits unless a call's status is 0. */
void peer_expect(const char *call, int status);

/* Waits for all that was queued, stops the clock, and exits unless the routine's info is 0. */
void peer_stop(struct run *run, const char *routine);

/* The problems, by the programs' names. */
void peer_dsyevd(struct run *run);
void peer_zheevd(struct run *run);
void peer_dsyevr(struct run *run);
void peer_dsygvd(struct run *run);
void peer_zhegvx(struct run *run);
void peer_dsytrd(struct run *run);
void peer_dsytrf(struct run *run);
void peer_dgeevx(struct run *run);
void peer_dgeev(struct run *run);
void peer_dpotrf(struct run *run);
void peer_dgetrf(struct run *run);
void peer_dgesv(struct run *run);
void peer_dgeqrf(struct run *run);
void peer_dgels(struct run *run);
void peer_dgesdd(struct run *run);

#endif
