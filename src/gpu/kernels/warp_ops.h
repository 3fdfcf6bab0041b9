/* warp_ops.h - what the 32 threads of a warp give to each other in kernels of LAPACK's routines: real
 * numbers, or structs of two such parts. All threads of the warp reach an operation together. */
#ifndef MUBLAS_WARP_OPS_H
#define MUBLAS_WARP_OPS_H

#include "gpu/kernels/element.h"

constexpr int WARP = 32;

#ifdef MUBLAS_EMULATED

/* The value of the thread whose number in the warp differs in the bits of `mask`. */
template <typename T> DEVICE_FUNCTION T warp_exchange(const T &value, int mask)
{
    return static_cast<const T *>(
        emulated_exchange(&value, sizeof value, WARP))[(int)(thread_index() % WARP) ^ mask];
}

/* The value of the thread with this number in the warp. */
template <typename T> DEVICE_FUNCTION T warp_value(const T &value, int from)
{
    return static_cast<const T *>(emulated_exchange(&value, sizeof value, WARP))[from];
}

#else

DEVICE_FUNCTION float warp_exchange(float value, int mask) { return __shfl_xor_sync(~0u, value, mask); }
DEVICE_FUNCTION double warp_exchange(double value, int mask) { return __shfl_xor_sync(~0u, value, mask); }
template <typename T> DEVICE_FUNCTION T warp_exchange(const T &value, int mask)
{
    return {warp_exchange(value.re, mask), warp_exchange(value.im, mask)};
}

DEVICE_FUNCTION float warp_value(float value, int from) { return __shfl_sync(~0u, value, from); }
DEVICE_FUNCTION double warp_value(double value, int from) { return __shfl_sync(~0u, value, from); }
template <typename T> DEVICE_FUNCTION T warp_value(const T &value, int from)
{
    return {warp_value(value.re, from), warp_value(value.im, from)};
}

#endif

/* The sum over aligned parts of WIDTH threads, in each of them: the same tree, and so the same bits, wherever
 * a value came from. */
template <int WIDTH, typename T> DEVICE_FUNCTION T part_sum(T value)
{
    UNROLL
    for (int mask = WIDTH / 2; mask > 0; mask /= 2)
        value = value + warp_exchange(value, mask);
    return value;
}

/* Two sums meet in threads 2^b apart: each gives the one that the other keeps. */
template <typename T> DEVICE_FUNCTION T sums_meet(const T &even, const T &odd, int lane, int bit)
{
    return choose(lane & bit, odd, even) + warp_exchange(choose(lane & bit, even, odd), bit);
}

/* COUNT sums over the warp at once, 2, 4 or 8: each thread leaves with that of its own number modulo COUNT.
 * The tree is the same for each of them. */
template <typename T, int COUNT> DEVICE_FUNCTION T warp_sums(const T (&values)[COUNT], int lane, int bit = 1)
{
    if constexpr (COUNT == 1) {
        T one = values[0];
        UNROLL
        for (; bit < WARP; bit *= 2)
            one = one + warp_exchange(one, bit);
        return one;
    } else {
        T half[COUNT / 2];
        UNROLL
        for (int i = 0; i < COUNT / 2; i++)
            half[i] = sums_meet(values[2 * i], values[2 * i + 1], lane, bit);
        return warp_sums(half, lane, 2 * bit);
    }
}

#endif
