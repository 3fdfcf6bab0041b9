/* lapack_peer.h - the same work by cuSOLVER, opened by the program itself, as another program would use it.
 */
#ifndef MUBLAS_BENCH_LAPACK_PEER_H
#define MUBLAS_BENCH_LAPACK_PEER_H

#include "lapack_problem.h"

/* False: there is none, which is said. */
bool lapack_peer_open(const struct lapack_device *device);

/* Workspace, in the problem's; then the work, for lapack_device_time. */
bool lapack_peer_ask(struct lapack_problem *problem);
bool lapack_peer_queue(void *problem);

#endif
