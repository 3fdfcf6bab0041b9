/* agreement.h - do mublas and a peer compute the same? And if not, which of them errs? */
#ifndef MUBLAS_BENCH_AGREEMENT_H
#define MUBLAS_BENCH_AGREEMENT_H

#include "contender.h"

enum agreement {
    AGREEMENT_UNCHECKED,
    AGREEMENT_AGREES,
    AGREEMENT_PEER_ERRS, /* by the host's sum mublas is right */
    AGREEMENT_DISAGREES  /* by the host's sum it is not */
};

/* Compare the two on the first call of a rotation. Sums of k products may differ by some eps
 * of k times the largest product, whatever their order, if they are added by trees as mublas
 * adds; a plain chain of additions may err by k eps of what it has added. So of two that
 * differ by more the host adds the worst element once more, in long double: mublas is to be as near
 * as the first says, the peer as near as the second. Where one is not, a line says how far. */
enum status agreement_check(enum contender peer, const struct operands *operands,
                            const struct bench_case *wanted, const struct rotation *rotation,
                            enum agreement *agreement);

#endif
