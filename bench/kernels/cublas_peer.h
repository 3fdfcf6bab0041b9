/* cublas_peer.h - cuBLAS, opened at run time, called as mublas is: same stream, same
 * operands, in the primary context. */
#ifndef MUBLAS_BENCH_CUBLAS_PEER_H
#define MUBLAS_BENCH_CUBLAS_PEER_H

#include "common/blas_call.h"
#include "gpu/lane.h"

/* False, with a line that says why, where there is no cuBLAS. Inside device_enter. */
bool cublas_peer_open(struct lane *lane);
int cublas_peer_version(void); /* 130002 for 13.0.2; 0 without */

/* Whether cuBLAS has this routine and may be given these addresses: complex elements must
 * be aligned like a whole element there. */
bool cublas_peer_supports(const struct blas_call *call);

enum status cublas_peer_set_atomics(bool allowed);

/* Queue the call. trmv works on x in place; everything else as launch(). STATUS_UNSUPPORTED, with
 * a line, when cuBLAS declines. */
enum status cublas_peer_queue(const struct blas_call *call);

#endif
