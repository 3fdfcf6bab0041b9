#include "command/random_flags.h"
#include "tuner/online/flag_sets.h"
#include "tuner/online/timed_class.h"

double random_part(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

void random_flags(struct blas_call *call, uint64_t *seed)
{
    const int class = timed_class_of(call);
    const enum blas_family family = call->family;
    flag_set_apply(class, (int)(random_part(seed) * flag_sets_of(class)), call);
    call->family = family; /* HEMM is a set of SYMM's class */
}
