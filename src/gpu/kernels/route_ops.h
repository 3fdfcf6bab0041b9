/* route_ops.h - the operations, most of a whole warp, that kernels of LAPACK routes need beside those of
 * device_ops.h. All 32 threads of a warp take part in its own, and all get the same bits. */
#ifndef MUBLAS_KERNEL_ROUTE_OPS_H
#define MUBLAS_KERNEL_ROUTE_OPS_H

#include "gpu/kernels/device_ops.h"

struct sum_of {
    template <typename T> DEVICE_METHOD T operator()(T a, T b) const { return a + b; }
};
struct product_of {
    template <typename T> DEVICE_METHOD T operator()(T a, T b) const { return a * b; }
};
struct largest_of {
    template <typename T> DEVICE_METHOD T operator()(T a, T b) const { return a < b ? b : a; }
};

#ifdef MUBLAS_EMULATED

/* Each of the values combined over the warp, in a tree whose halves lie 16, 8, 4, 2 and 1 threads apart. */
template <typename T, int COUNT, typename COMBINE>
DEVICE_FUNCTION void warp_reduce(T (&values)[COUNT], const COMBINE &combine)
{
    const T *all = static_cast<const T *>(emulated_exchange(values, sizeof values, WARP_THREADS));
    for (int i = 0; i < COUNT; i++) {
        T tree[WARP_THREADS];
        for (unsigned lane = 0; lane < WARP_THREADS; lane++)
            tree[lane] = all[lane * COUNT + i];
        for (unsigned half = WARP_THREADS / 2; half > 0; half /= 2)
            for (unsigned lane = 0; lane < half; lane++)
                tree[lane] = combine(tree[lane], tree[lane + half]);
        values[i] = tree[0];
    }
}

/* Bit l: what thread l of the warp says. */
DEVICE_FUNCTION unsigned warp_ballot(bool mine)
{
    const bool *all = static_cast<const bool *>(emulated_exchange(&mine, sizeof mine, WARP_THREADS));
    unsigned bits = 0;
    for (unsigned lane = 0; lane < WARP_THREADS; lane++)
        bits |= (unsigned)all[lane] << lane;
    return bits;
}

DEVICE_FUNCTION int count_of_bits(unsigned bits) { return __builtin_popcount(bits); }

/* 1 / sqrt(x), within an ulp or two. */
DEVICE_FUNCTION float inverse_root(float x) { return 1 / sqrtf(x); }
DEVICE_FUNCTION double inverse_root(double x) { return 1 / sqrt(x); }

/* Threads of several blocks may store there at once, all the same. */
DEVICE_FUNCTION void store_agreed(int *address, int value)
{
    __atomic_store_n(address, value, __ATOMIC_RELAXED);
}

#else

template <typename T, int COUNT, typename COMBINE>
DEVICE_FUNCTION void warp_reduce(T (&values)[COUNT], const COMBINE &combine)
{
    UNROLL
    for (int half = WARP_THREADS / 2; half > 0; half /= 2) {
        UNROLL
        for (int i = 0; i < COUNT; i++)
            values[i] = combine(values[i], __shfl_xor_sync(~0u, values[i], half));
    }
}

DEVICE_FUNCTION unsigned warp_ballot(bool mine) { return __ballot_sync(~0u, mine); }
DEVICE_FUNCTION int count_of_bits(unsigned bits) { return __popc(bits); }
DEVICE_FUNCTION float inverse_root(float x) { return rsqrtf(x); }
DEVICE_FUNCTION double inverse_root(double x) { return rsqrt(x); }
DEVICE_FUNCTION void store_agreed(int *address, int value) { atomicExch(address, value); }

#endif

DEVICE_FUNCTION unsigned lane_index() { return thread_index() % WARP_THREADS; }
DEVICE_FUNCTION unsigned warp_index() { return thread_index() / WARP_THREADS; }
DEVICE_FUNCTION unsigned warp_count() { return thread_count() / WARP_THREADS; }

template <typename T, typename COMBINE> DEVICE_FUNCTION T warp_reduce_one(T value, const COMBINE &combine)
{
    T values[1] = {value};
    warp_reduce(values, combine);
    return values[0];
}

/* A value combined over the block: by warps, then along them. `shared`: room for one of each warp; it is free
 * again at the return. */
template <typename T, typename COMBINE>
DEVICE_FUNCTION T block_reduce(T value, T *shared, const COMBINE &combine)
{
    const T of_warp = warp_reduce_one(value, combine);
    if (lane_index() == 0)
        shared[warp_index()] = of_warp;
    block_barrier();
    T all = shared[0];
    for (unsigned warp = 1; warp < warp_count(); warp++)
        all = combine(all, shared[warp]);
    block_barrier();
    return all;
}

/* How many threads of the block before this one say yes; *all: how many of all. Shared as block_reduce's. */
DEVICE_FUNCTION int block_rank(bool mine, int *shared, int *all)
{
    const unsigned bits = warp_ballot(mine);
    int rank = count_of_bits(bits & ((1u << lane_index()) - 1)), total = 0;
    if (lane_index() == 0)
        shared[warp_index()] = count_of_bits(bits);
    block_barrier();
    for (unsigned warp = 0; warp < warp_count(); warp++) {
        rank += warp < warp_index() ? shared[warp] : 0;
        total += shared[warp];
    }
    block_barrier();
    *all = total;
    return rank;
}

#endif
