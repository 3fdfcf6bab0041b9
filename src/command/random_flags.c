#include "command/random_flags.h"
#include "command/routine_call.h"

/* A multiple of every routine's number of combinations. */
enum { STEPS = 144 };

double random_part(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

void random_flags(struct blas_call *call, uint64_t *seed)
{
    const enum blas_side side = call->side;
    const enum blas_diag diag = call->diag;
    const bool level2 = call->family < FAMILY_GEMM, upright = call->trans == TRANS_NONE;
    const bool solves = call->family == FAMILY_TRSM;
    const bool symmetric = call->family == FAMILY_SYMV || call->family == FAMILY_HEMV;
    const enum blas_uplo uplo = call->uplo;
    do
        for (int steps = (int)(random_part(seed) * STEPS); steps > 0; steps--)
            routine_next_flags(call);
    while (call->side != side || (solves && call->diag != diag) || (symmetric && call->uplo != uplo) ||
           (level2 && (call->trans == TRANS_NONE) != upright));
}
