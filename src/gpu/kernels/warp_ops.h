/* warp_ops.h - what the 32 threads of a warp give to each other in kernels of LAPACK's routines: real
 * numbers, or structs of two such parts. All threads of the warp reach an operation together. */
#ifndef MUBLAS_WARP_OPS_H
#define MUBLAS_WARP_OPS_H

#include "gpu/kernels/element.h"

constexpr int WARP = 32;

#ifdef MUBLAS_EMULATED

/* The values of all threads of the warp, by one rendezvous; until the second-next one. */
template <typename T> struct warp_values {
    const T *of_all;
    DEVICE_METHOD explicit warp_values(const T &mine)
        : of_all(static_cast<const T *>(emulated_exchange(&mine, sizeof mine, WARP)))
    {
    }
    DEVICE_METHOD T operator[](int from) const { return of_all[from]; }
};

/* The value of the thread with this number in the warp. */
template <typename T> DEVICE_FUNCTION T warp_value(const T &value, int from)
{
    return warp_values<T>(value)[from];
}

/* Adds by halves: the first ones meet the second ones or, NEAREST, neighbours do. */
template <bool NEAREST, int WIDTH, typename T> DEVICE_FUNCTION T tree_sum(T (&numbers)[WIDTH])
{
    for (int half = WIDTH / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            numbers[i] = NEAREST ? numbers[2 * i] + numbers[2 * i + 1] : numbers[i] + numbers[i + half];
    return numbers[0];
}

/* Here a rendezvous is what takes time: one in place of one for each step, and each thread adds up itself. */
template <int WIDTH, typename T> DEVICE_FUNCTION T part_sum(const T &value)
{
    const warp_values<T> all(value);
    T numbers[WIDTH];
    for (int i = 0; i < WIDTH; i++)
        numbers[i] = all[(int)(thread_index() % WARP) / WIDTH * WIDTH + i];
    return tree_sum<false>(numbers);
}

template <typename T, int COUNT> DEVICE_FUNCTION T warp_sums(const T (&values)[COUNT], int lane)
{
    const T *const all = static_cast<const T *>(emulated_exchange(values, sizeof values, WARP));
    T numbers[WARP];
    for (int i = 0; i < WARP; i++)
        numbers[i] = all[i * COUNT + lane % COUNT];
    return tree_sum<true>(numbers);
}

#else

DEVICE_FUNCTION float warp_exchange(float value, int mask) { return __shfl_xor_sync(~0u, value, mask); }
DEVICE_FUNCTION double warp_exchange(double value, int mask) { return __shfl_xor_sync(~0u, value, mask); }
/* The value of the thread whose number in the warp differs in the bits of `mask`. */
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

template <typename T> struct warp_values {
    T mine;
    DEVICE_METHOD explicit warp_values(const T &value) : mine(value) {}
    DEVICE_METHOD T operator[](int from) const { return warp_value(mine, from); }
};

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

#endif
