#include "tuner/learn/sample_variants.h"
#include "tuner/online/flag_sets.h"
#include "tuner/online/timed_class.h"

/* Of its sizes, without a pattern: those of a class's samples all leave the same remainders. */
static unsigned mixed(const struct blas_call *call)
{
    const uint64_t sizes = (uint64_t)call->m * 0x9e3779b97f4a7c15u + (uint64_t)call->n * 0xbf58476d1ce4e5b9u +
                           (uint64_t)call->k * 0x94d049bb133111ebu;
    return (unsigned)((sizes ^ sizes >> 29) * 0xd6e8feb86659fd93u >> 40);
}

/* The next size, above or below, which is odd; a block stays one. */
static int64_t odd_size(int64_t size)
{
    return size <= SAMPLE_BLOCK ? size : size % 8 == 2 ? size + 1 : size - 1;
}

static void make_odd(int class, struct blas_call *call)
{
    struct blas_call odd = *call;
    odd.m = odd_size(odd.m);
    odd.n = odd_size(odd.n);
    odd.k = odd_size(odd.k);
    if (timed_class_of(&odd) == class)
        *call = odd;
}

void sample_variant_apply(int class, unsigned timed, struct blas_call *call)
{
    const unsigned sets = (unsigned)flag_sets_of(class), first = mixed(call) % sets;
    /* An even number of sets would come with the same sizes in each round. */
    const unsigned rounds = sets % 2 == 0 ? timed / sets : 0;
    flag_set_apply(class, (int)((first + timed) % sets), call);
    if ((timed + rounds) % 2)
        make_odd(class, call);
}
