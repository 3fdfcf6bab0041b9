/* grid_ops.h - what the blocks of a cooperative launch do together, and whole warps: operations beside those
 * of device_ops.h that only kernels of routes have. Recipes are stamped with a hash of what tuned kernels
 * include, so what is added here leaves them valid.
 *
 * All threads of a block reach grid_* and block_* together, all 32 of a warp warp_*. */
#ifndef MUBLAS_GRID_OPS_H
#define MUBLAS_GRID_OPS_H

#include "gpu/kernels/device_ops.h"
#include "gpu/kernels/route_arguments.h"

struct gate_state {
    unsigned arrived, abort;
};

#ifdef MUBLAS_EMULATED

DEVICE_FUNCTION bool block_any(bool mine) { return emulated_barrier_any(mine); }

DEVICE_FUNCTION void gate_enter(grid_gate *gate) { __atomic_fetch_add(&gate->arrived, 1u, __ATOMIC_RELEASE); }
DEVICE_FUNCTION gate_state gate_look(const grid_gate *gate)
{
    const unsigned abort = __atomic_load_n(&gate->abort, __ATOMIC_RELAXED);
    return {__atomic_load_n(&gate->arrived, __ATOMIC_ACQUIRE), abort};
}
DEVICE_FUNCTION void gate_pause(unsigned turn) { emulated_spin(turn); }

template <typename T> DEVICE_FUNCTION void publish(T *address, T value) { *address = value; }
template <typename T> DEVICE_FUNCTION T load_published(const T *address) { return *address; }
template <typename R> DEVICE_FUNCTION void publish_wide(R *address, const R *values)
{
    store_wide(address, values);
}
template <typename R> DEVICE_FUNCTION void load_published_wide(const R *address, R *values)
{
    load_result_wide(address, values);
}

template <typename R> DEVICE_FUNCTION R warp_sum_real(R value)
{
    const R *all = static_cast<const R *>(emulated_exchange(&value, sizeof value, WARP_THREADS));
    R sums[WARP_THREADS];
    memcpy(sums, all, sizeof sums);
    for (unsigned half = WARP_THREADS / 2; half > 0; half /= 2)
        for (unsigned i = 0; i < half; i++)
            sums[i] += sums[i + half];
    return sums[0];
}

#else

/* A barrier of the block: is it true of any thread? */
DEVICE_FUNCTION bool block_any(bool mine) { return __syncthreads_or(mine); }

DEVICE_FUNCTION void gate_enter(grid_gate *gate)
{
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" : : "l"(&gate->arrived) : "memory");
}
/* The abort word first: behind the acquire its way would come on top of the other's. */
DEVICE_FUNCTION gate_state gate_look(const grid_gate *gate)
{
    gate_state now;
    asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(now.abort) : "l"(&gate->abort) : "memory");
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now.arrived) : "l"(&gate->arrived) : "memory");
    return now;
}
DEVICE_FUNCTION void gate_pause(unsigned) {}

/* What one block writes and others read after a barrier of the grid, in the second-level cache: a
 * real number, or a struct of two such parts. Volatile: after the next barrier there may be another value. */
DEVICE_FUNCTION void publish(float *address, float value)
{
    asm volatile("st.relaxed.gpu.global.f32 [%0], %1;" : : "l"(address), "f"(value) : "memory");
}
DEVICE_FUNCTION void publish(double *address, double value)
{
    asm volatile("st.relaxed.gpu.global.f64 [%0], %1;" : : "l"(address), "d"(value) : "memory");
}
DEVICE_FUNCTION void publish_two(float *address, float first, float second)
{
    asm volatile("st.relaxed.gpu.global.v2.f32 [%0], {%1, %2};"
                 : : "l"(address), "f"(first), "f"(second) : "memory");
}
DEVICE_FUNCTION void publish_two(double *address, double first, double second)
{
    asm volatile("st.relaxed.gpu.global.v2.f64 [%0], {%1, %2};"
                 : : "l"(address), "d"(first), "d"(second) : "memory");
}
template <typename T> DEVICE_FUNCTION void publish(T *address, const T &value)
{
    publish_two(&address->re, value.re, value.im);
}

DEVICE_FUNCTION float load_published(const float *address)
{
    float value;
    asm volatile("ld.relaxed.gpu.global.f32 %0, [%1];" : "=f"(value) : "l"(address));
    return value;
}
DEVICE_FUNCTION double load_published(const double *address)
{
    double value;
    asm volatile("ld.relaxed.gpu.global.f64 %0, [%1];" : "=d"(value) : "l"(address));
    return value;
}
DEVICE_FUNCTION void load_published_two(const float *address, float &first, float &second)
{
    asm volatile("ld.relaxed.gpu.global.v2.f32 {%0, %1}, [%2];" : "=f"(first), "=f"(second) : "l"(address));
}
DEVICE_FUNCTION void load_published_two(const double *address, double &first, double &second)
{
    asm volatile("ld.relaxed.gpu.global.v2.f64 {%0, %1}, [%2];" : "=d"(first), "=d"(second) : "l"(address));
}
template <typename T> DEVICE_FUNCTION T load_published(const T *address)
{
    T value;
    load_published_two(&address->re, value.re, value.im);
    return value;
}

/* The same of 16 aligned bytes. */
DEVICE_FUNCTION void publish_wide(float *address, const float *values)
{
    asm volatile("st.relaxed.gpu.global.v4.f32 [%0], {%1, %2, %3, %4};"
                 : : "l"(address), "f"(values[0]), "f"(values[1]), "f"(values[2]), "f"(values[3]) : "memory");
}
DEVICE_FUNCTION void publish_wide(double *address, const double *values)
{
    publish_two(address, values[0], values[1]);
}
DEVICE_FUNCTION void load_published_wide(const float *address, float *values)
{
    asm volatile("ld.relaxed.gpu.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(values[0]), "=f"(values[1]), "=f"(values[2]), "=f"(values[3]) : "l"(address));
}
DEVICE_FUNCTION void load_published_wide(const double *address, double *values)
{
    load_published_two(address, values[0], values[1]);
}

template <typename R> DEVICE_FUNCTION R warp_sum_real(R value)
{
    UNROLL
    for (int mask = WARP_THREADS / 2; mask > 0; mask /= 2)
        value += __shfl_xor_sync(~0u, value, mask);
    return value;
}

#endif

/* The sum of a warp's 32 values by one fixed tree, the same bits in each of its threads: of real numbers, or
 * of structs of two such parts. */
DEVICE_FUNCTION float warp_sum(float value) { return warp_sum_real(value); }
DEVICE_FUNCTION double warp_sum(double value) { return warp_sum_real(value); }
template <typename T> DEVICE_FUNCTION T warp_sum(const T &value)
{
    return {warp_sum_real(value.re), warp_sum_real(value.im)};
}

/* What thread `from` of the block has; `room` is shared memory. */
template <typename T> DEVICE_FUNCTION T block_broadcast(T value, unsigned from, T *room)
{
    if (thread_index() == from)
        *room = value;
    block_barrier();
    value = *room;
    block_barrier(); /* the room may be used again */
    return value;
}

/* A barrier of the grid in two halves: what any thread of the block did before arriving is seen by all blocks
 * that waited for the same epoch, 1 for the first barrier. Between the halves a block may do what needs no
 * other block. */
DEVICE_FUNCTION void grid_arrive(grid_gate *gate)
{
    block_barrier();
    if (thread_index() == 0)
        gate_enter(gate);
}

/* False, in all threads of the block, where the host has ended the waits: other blocks may have left, so the
 * kernel ends without another barrier of the grid. */
DEVICE_FUNCTION bool grid_await(const grid_gate *gate, unsigned epoch)
{
    const unsigned arrivals = epoch * block_count();
    bool aborted = false;
    if (thread_index() == 0) {
        gate_state now = gate_look(gate);
        UNROLL_BY(1)
        for (unsigned turn = 0; (int)(now.arrived - arrivals) < 0 && !now.abort; turn++) {
            gate_pause(turn);
            now = gate_look(gate);
        }
        aborted = (int)(now.arrived - arrivals) < 0;
    }
    return !block_any(aborted);
}

/* The next barrier of the grid; epoch is 0 at first. */
DEVICE_FUNCTION bool grid_barrier(grid_gate *gate, unsigned &epoch)
{
    grid_arrive(gate);
    return grid_await(gate, ++epoch);
}

#endif
