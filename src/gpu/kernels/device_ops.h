/* device_ops.h - every barrier, shuffle, atomic, PTX and built-in variable of the
 * kernels, one place. With MUBLAS_EMULATED the same operations run on the CPU
 * threads of the emulated driver (threads.h), and kernels are plain functions.
 *
 * Blocks and grids are one-dimensional; a "group" is 8 consecutive threads. All
 * threads of a group or block reach a collective together; groups of one warp
 * may diverge from each other. */
#ifndef MUBLAS_DEVICE_OPS_H
#define MUBLAS_DEVICE_OPS_H

#include <stddef.h>
#include <stdint.h>

constexpr unsigned GROUP_THREADS = 8, WARP_THREADS = 32;
constexpr unsigned BLOCK_THREADS_MAX = 512;
constexpr unsigned SIGN_MASK = 0x80000000u;

#ifdef MUBLAS_EMULATED

#include "threads.h"
#include <math.h>
#include <sched.h>
#include <string.h>

#define KERNEL_FUNCTION extern "C" void
#define DEVICE_FUNCTION static inline
#define DEVICE_METHOD inline
#define UNROLL
#define UNROLL_BY(count)

DEVICE_FUNCTION unsigned thread_index() { return emulated_self()->thread; }
DEVICE_FUNCTION unsigned thread_count() { return emulated_self()->threads; }
DEVICE_FUNCTION unsigned block_index() { return emulated_self()->block; }
DEVICE_FUNCTION unsigned block_count() { return emulated_self()->blocks; }
DEVICE_FUNCTION void *shared_memory() { return emulated_self()->shared; }
DEVICE_FUNCTION void block_barrier() { emulated_barrier(); }
DEVICE_FUNCTION unsigned anew(unsigned value) { return value; }
DEVICE_FUNCTION int64_t anew(int64_t value) { return value; }
DEVICE_FUNCTION int log2_of(unsigned power) { return __builtin_ctz(power); }

/* The threads of an aligned part of a warp, 8, 16 or 32, see what each has written to shared
 * memory. */
DEVICE_FUNCTION void warp_part_barrier(unsigned threads)
{
    emulated_part_barrier(threads);
}

/* What the first thread of an aligned part of a warp, 8 or 32 threads, has. */
DEVICE_FUNCTION unsigned part_first(unsigned value, unsigned threads)
{
    return *static_cast<const unsigned *>(emulated_exchange(&value, sizeof value, threads));
}

/* The old value of a counter in shared memory; takes are not ordered with anything else. */
DEVICE_FUNCTION unsigned shared_take(unsigned *counter) { return __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED); }

/* The `values` of all threads of the group, [thread][value], by one rendezvous. */
template <typename T, int COUNT> DEVICE_FUNCTION const T *group_gather(const T (&values)[COUNT])
{
    return static_cast<const T *>(emulated_exchange(values, sizeof values, GROUP_THREADS));
}

/* Each thread of a warp gets the values of the one 8 before it, the first 8 those of the last. */
template <typename T, int COUNT> DEVICE_FUNCTION void warp_rotate(T (&values)[COUNT])
{
    const unsigned from = (thread_index() + WARP_THREADS - GROUP_THREADS) % WARP_THREADS;
    const T *all = static_cast<const T *>(emulated_exchange(values, sizeof values, WARP_THREADS));
    for (int i = 0; i < COUNT; i++)
        values[i] = all[from * COUNT + i];
}

DEVICE_FUNCTION float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
DEVICE_FUNCTION double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

DEVICE_FUNCTION bool is_finite(double value) { return __builtin_isfinite(value); }

/* mask: SIGN_MASK or 0. */
template <typename R> DEVICE_FUNCTION R flip_sign(R value, unsigned mask) { return mask ? -value : value; }

/* Read-only operands. load_wide: 16 aligned bytes; load_two: 8. */
DEVICE_FUNCTION float load(const float *address) { return *address; }
DEVICE_FUNCTION double load(const double *address) { return *address; }
DEVICE_FUNCTION float load_passing(const float *address) { return *address; }
DEVICE_FUNCTION double load_passing(const double *address) { return *address; }
template <typename T> DEVICE_FUNCTION void load_wide(const T *address, T *values)
{
    memcpy(values, __builtin_assume_aligned(address, 16), 16);
}
DEVICE_FUNCTION void load_passing_two(const float *address, float *values)
{
    memcpy(values, __builtin_assume_aligned(address, 8), 8);
}
DEVICE_FUNCTION void load_two(const float *address, float *values)
{
    memcpy(values, __builtin_assume_aligned(address, 8), 8);
}
template <typename T> DEVICE_FUNCTION void load_result_wide(const T *address, T *values)
{
    memcpy(values, __builtin_assume_aligned(address, 16), 16);
}
template <typename T> DEVICE_FUNCTION void store_wide(T *address, const T *values)
{
    memcpy(__builtin_assume_aligned(address, 16), values, 16);
}

/* Partials: written by one block, read by another after its ticket. */
template <typename T> DEVICE_FUNCTION void store_partial(T *address, T value) { *address = value; }
template <typename T> DEVICE_FUNCTION T load_partial(const T *address) { return *address; }

/* The counter's old value. Everything the block wrote before the barrier in front
 * of this is visible to the block that takes the last ticket. */
DEVICE_FUNCTION unsigned ticket_take(unsigned *counter)
{
    return __atomic_fetch_add(counter, 1u, __ATOMIC_ACQ_REL);
}

/* Wait for another block to set the counter to this value, and see what it wrote before. */
DEVICE_FUNCTION void counter_await(const unsigned *counter, unsigned value)
{
    while (__atomic_load_n(counter, __ATOMIC_ACQUIRE) != value)
        sched_yield();
}
DEVICE_FUNCTION void counter_set(unsigned *counter, unsigned value)
{
    __atomic_store_n(counter, value, __ATOMIC_RELEASE);
}

#else

#define KERNEL_FUNCTION extern "C" __global__ void __launch_bounds__(BLOCK_THREADS_MAX, 1)
#define DEVICE_FUNCTION static __device__ __forceinline__
#define DEVICE_METHOD __device__ __forceinline__
#define PRAGMA(text) _Pragma(#text)
#define UNROLL _Pragma("unroll")
#define UNROLL_BY(count) PRAGMA(unroll count)

DEVICE_FUNCTION unsigned thread_index() { return threadIdx.x; }
DEVICE_FUNCTION unsigned thread_count() { return blockDim.x; }
DEVICE_FUNCTION unsigned block_index() { return blockIdx.x; }
DEVICE_FUNCTION unsigned block_count() { return gridDim.x; }
DEVICE_FUNCTION void block_barrier() { __syncthreads(); }

DEVICE_FUNCTION int log2_of(unsigned power) { return __ffs((int)power) - 1; }

/* The same value, made anew: what depends on it is not computed ahead of a loop that
 * this is in, to lie in registers meanwhile. */
DEVICE_FUNCTION unsigned anew(unsigned value)
{
    asm volatile("" : "+r"(value));
    return value;
}
DEVICE_FUNCTION int64_t anew(int64_t value)
{
    asm volatile("" : "+l"(value));
    return value;
}
DEVICE_FUNCTION void *shared_memory()
{
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    return shared_bytes;
}

DEVICE_FUNCTION void warp_part_barrier(unsigned threads)
{
    __syncwarp((~0u >> (WARP_THREADS - threads)) << (threadIdx.x & (WARP_THREADS - threads)));
}

DEVICE_FUNCTION unsigned part_first(unsigned value, unsigned threads)
{
    return __shfl_sync((~0u >> (WARP_THREADS - threads)) << (threadIdx.x & (WARP_THREADS - threads)), value, 0,
                       (int)threads);
}

DEVICE_FUNCTION unsigned shared_take(unsigned *counter) { return atomicAdd(counter, 1u); }

/* The value of the thread whose number in the group differs in bit `mask`: float,
 * double, or a struct of two such parts. */
DEVICE_FUNCTION float group_exchange(float value, int mask)
{
    return __shfl_xor_sync(0xffu << (threadIdx.x & 24), value, mask, GROUP_THREADS);
}
DEVICE_FUNCTION double group_exchange(double value, int mask)
{
    return __shfl_xor_sync(0xffu << (threadIdx.x & 24), value, mask, GROUP_THREADS);
}
template <typename T> DEVICE_FUNCTION T group_exchange(const T &value, int mask)
{
    return {group_exchange(value.re, mask), group_exchange(value.im, mask)};
}

DEVICE_FUNCTION float group_before(float value, unsigned from) { return __shfl_sync(~0u, value, from); }
DEVICE_FUNCTION double group_before(double value, unsigned from) { return __shfl_sync(~0u, value, from); }
template <typename T> DEVICE_FUNCTION T group_before(const T &value, unsigned from)
{
    return {group_before(value.re, from), group_before(value.im, from)};
}

/* Each thread of a warp gets the values of the one 8 before it, the first 8 those of the last. */
template <typename T, int COUNT> DEVICE_FUNCTION void warp_rotate(T (&values)[COUNT])
{
    const unsigned from = (threadIdx.x + WARP_THREADS - GROUP_THREADS) % WARP_THREADS;
    UNROLL
    for (int i = 0; i < COUNT; i++)
        values[i] = group_before(values[i], from);
}

DEVICE_FUNCTION float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
DEVICE_FUNCTION double fused(double a, double b, double c) { return __fma_rn(a, b, c); }

/* By integer operations: comparisons take from the double units, too. */
DEVICE_FUNCTION bool is_finite(double value) { return (__double2hiint(value) & 0x7ff00000) != 0x7ff00000; }

/* mask: SIGN_MASK or 0. Costs one integer operation, where a product would take from
 * the few double units of small devices. */
DEVICE_FUNCTION float flip_sign(float value, unsigned mask)
{
    return __uint_as_float(__float_as_uint(value) ^ mask);
}
DEVICE_FUNCTION double flip_sign(double value, unsigned mask)
{
    return __hiloint2double(__double2hiint(value) ^ (int)mask, __double2loint(value));
}

DEVICE_FUNCTION float load(const float *address) { return __ldg(address); }
DEVICE_FUNCTION double load(const double *address) { return __ldg(address); }

/* The wide loads are of what is read once: it is not to drive x out of the first-level cache. */
#define READ_ONCE "ld.global.nc.L1::no_allocate"
DEVICE_FUNCTION void load_wide(const float *address, float *values)
{
    asm(READ_ONCE ".v4.f32 {%0, %1, %2, %3}, [%4];"
        : "=f"(values[0]), "=f"(values[1]), "=f"(values[2]), "=f"(values[3])
        : "l"(address));
}
DEVICE_FUNCTION void load_wide(const double *address, double *values)
{
    asm(READ_ONCE ".v2.f64 {%0, %1}, [%2];" : "=d"(values[0]), "=d"(values[1]) : "l"(address));
}
DEVICE_FUNCTION void load_two(const float *address, float *values)
{
    asm(READ_ONCE ".v2.f32 {%0, %1}, [%2];" : "=f"(values[0]), "=f"(values[1]) : "l"(address));
}
/* What is read once, but beside what the next loads read: the first to leave that cache. */
#define READ_PASSING "ld.global.nc.L1::evict_first"
DEVICE_FUNCTION float load_passing(const float *address)
{
    float value;
    asm(READ_PASSING ".f32 %0, [%1];" : "=f"(value) : "l"(address));
    return value;
}
DEVICE_FUNCTION double load_passing(const double *address)
{
    double value;
    asm(READ_PASSING ".f64 %0, [%1];" : "=d"(value) : "l"(address));
    return value;
}
DEVICE_FUNCTION void load_passing_two(const float *address, float *values)
{
    asm(READ_PASSING ".v2.f32 {%0, %1}, [%2];" : "=f"(values[0]), "=f"(values[1]) : "l"(address));
}
/* 16 aligned bytes of what the kernel writes, too. */
DEVICE_FUNCTION void load_result_wide(const float *address, float *values)
{
    const float4 four = *reinterpret_cast<const float4 *>(address);
    values[0] = four.x, values[1] = four.y, values[2] = four.z, values[3] = four.w;
}
DEVICE_FUNCTION void load_result_wide(const double *address, double *values)
{
    const double2 two = *reinterpret_cast<const double2 *>(address);
    values[0] = two.x, values[1] = two.y;
}
DEVICE_FUNCTION void store_wide(float *address, const float *values)
{
    *reinterpret_cast<float4 *>(address) = make_float4(values[0], values[1], values[2], values[3]);
}
DEVICE_FUNCTION void store_wide(double *address, const double *values)
{
    *reinterpret_cast<double2 *>(address) = make_double2(values[0], values[1]);
}

/* Partials live in the second-level cache, where every multiprocessor sees them. */
DEVICE_FUNCTION void store_partial(float *address, float value) { __stcg(address, value); }
DEVICE_FUNCTION void store_partial(double *address, double value) { __stcg(address, value); }
DEVICE_FUNCTION float load_partial(const float *address) { return __ldcg(address); }
DEVICE_FUNCTION double load_partial(const double *address) { return __ldcg(address); }

/* A struct of two parts, whole. */
DEVICE_FUNCTION float2 vector_of(float re, float im) { return make_float2(re, im); }
DEVICE_FUNCTION double2 vector_of(double re, double im) { return make_double2(re, im); }
template <typename T> DEVICE_FUNCTION void store_partial(T *address, const T &value)
{
    __stcg(reinterpret_cast<decltype(vector_of(value.re, value.im)) *>(address), vector_of(value.re, value.im));
}
template <typename T> DEVICE_FUNCTION T load_partial(const T *address)
{
    const auto two = __ldcg(reinterpret_cast<const decltype(vector_of(address->re, address->im)) *>(address));
    return {two.x, two.y};
}

DEVICE_FUNCTION unsigned ticket_take(unsigned *counter)
{
    unsigned before;
    asm volatile("atom.add.acq_rel.gpu.u32 %0, [%1], 1;" : "=r"(before) : "l"(counter) : "memory");
    return before;
}

DEVICE_FUNCTION void counter_await(const unsigned *counter, unsigned value)
{
    unsigned now;
    do {
        asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(counter) : "memory");
    } while (now != value);
}
DEVICE_FUNCTION void counter_set(unsigned *counter, unsigned value)
{
    asm volatile("st.release.gpu.u32 [%0], %1;" : : "l"(counter), "r"(value) : "memory");
}

#endif
#endif
