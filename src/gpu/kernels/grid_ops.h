/* grid_ops.h - what the blocks of a cooperative launch do together, and whole warps: operations beside those
 * of device_ops.h that only kernels of routes have. What one block writes and others read behind a barrier of the
 * grid goes through store_partial and load_partial. Recipes are stamped with a hash of what tuned kernels
 * include, so what is added here leaves them valid.
 *
 * All threads of a block reach grid_* and block_* together, all 32 of a warp warp_*. */
#ifndef MUBLAS_GRID_OPS_H
#define MUBLAS_GRID_OPS_H

#include "gpu/kernels/device_ops.h"
#include "gpu/kernels/route_arguments.h"

#ifdef MUBLAS_EMULATED

DEVICE_FUNCTION bool block_any(bool mine) { return emulated_barrier_any(mine); }

DEVICE_FUNCTION void gate_enter(grid_gate *gate) { __atomic_fetch_add(&gate->arrived, 1u, __ATOMIC_RELEASE); }
DEVICE_FUNCTION unsigned gate_arrivals(const grid_gate *gate) { return __atomic_load_n(&gate->arrived, __ATOMIC_ACQUIRE); }
DEVICE_FUNCTION bool gate_is_aborted(const grid_gate *gate) { return __atomic_load_n(&gate->abort, __ATOMIC_RELAXED); }
DEVICE_FUNCTION void gate_pause(unsigned turn) { emulated_spin(turn); }
DEVICE_FUNCTION unsigned counter_value(const unsigned *counter) { return __atomic_load_n(counter, __ATOMIC_ACQUIRE); }

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
DEVICE_FUNCTION unsigned gate_arrivals(const grid_gate *gate)
{
    unsigned arrivals;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(arrivals) : "l"(&gate->arrived) : "memory");
    return arrivals;
}
DEVICE_FUNCTION bool gate_is_aborted(const grid_gate *gate)
{
    unsigned abort;
    asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(abort) : "l"(&gate->abort) : "memory");
    return abort;
}
DEVICE_FUNCTION void gate_pause(unsigned) {}
DEVICE_FUNCTION unsigned counter_value(const unsigned *counter)
{
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(counter) : "memory");
    return value;
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

constexpr unsigned GATE_TURNS = 64; /* between looks at the abort word, which would delay every wait */

/* False, in all threads of the block, where the host has ended the waits: other blocks may have left, so the
 * kernel ends without another barrier of the grid. */
DEVICE_FUNCTION bool grid_await(const grid_gate *gate, unsigned epoch)
{
    const unsigned arrivals = epoch * block_count();
    bool aborted = false;
    if (thread_index() == 0) {
        UNROLL_BY(1)
        for (unsigned turn = 0; !aborted && (int)(gate_arrivals(gate) - arrivals) < 0; turn++) {
            gate_pause(turn);
            aborted = turn % GATE_TURNS == GATE_TURNS - 1 && gate_is_aborted(gate);
        }
    }
    return !block_any(aborted);
}

/* The next barrier of the grid; epoch is 0 at first. */
DEVICE_FUNCTION bool grid_barrier(grid_gate *gate, unsigned &epoch)
{
    grid_arrive(gate);
    return grid_await(gate, ++epoch);
}

/* The counter, which one block alone sets, gets this value: blocks that see it see what any thread of this one did
 * before. */
DEVICE_FUNCTION void counter_publish(unsigned *counter, unsigned value)
{
    block_barrier();
    if (thread_index() == 0)
        counter_set(counter, value);
}

/* Wait until such a counter has this value or a larger one. False as grid_await. */
DEVICE_FUNCTION bool counter_reaches(const grid_gate *gate, const unsigned *counter, unsigned value)
{
    bool aborted = false;
    if (thread_index() == 0) {
        UNROLL_BY(1)
        for (unsigned turn = 0; !aborted && counter_value(counter) < value; turn++) {
            gate_pause(turn);
            aborted = turn % GATE_TURNS == GATE_TURNS - 1 && gate_is_aborted(gate);
        }
    }
    return !block_any(aborted);
}

#endif
