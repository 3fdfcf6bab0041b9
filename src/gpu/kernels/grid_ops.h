/* grid_ops.h - what the blocks of a cooperative launch do together: operations beside those of device_ops.h
 * that only kernels of routes have. Data that one block writes and others read behind a barrier of the grid
 * goes through store_partial and load_partial. Recipes are stamped with a hash of what tuned kernels include,
 * so what is added here leaves them valid.
 *
 * All threads of a block reach grid_* and block_* together. */
#ifndef MUBLAS_GRID_OPS_H
#define MUBLAS_GRID_OPS_H

#include "gpu/kernels/device_ops.h"
#include "gpu/kernels/route_arguments.h"

#ifdef MUBLAS_EMULATED

DEVICE_FUNCTION bool block_any(bool mine) { return emulated_barrier_any(mine); }

DEVICE_FUNCTION void gate_enter(grid_gate *gate) { __atomic_fetch_add(&gate->arrived, 1u, __ATOMIC_RELEASE); }
DEVICE_FUNCTION unsigned gate_arrivals(const grid_gate *gate)
{
    return __atomic_load_n(&gate->arrived, __ATOMIC_ACQUIRE);
}
DEVICE_FUNCTION bool gate_is_aborted(const grid_gate *gate)
{
    return gate->abort && __atomic_load_n(gate->abort, __ATOMIC_RELAXED) != 0;
}
DEVICE_FUNCTION void gate_pause(unsigned turn) { emulated_spin(turn); }
DEVICE_FUNCTION unsigned counter_value(const unsigned *counter)
{
    return __atomic_load_n(counter, __ATOMIC_ACQUIRE);
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
/* In one piece, so that it takes no registers from what the block has requested before the barrier. */
DEVICE_FUNCTION bool gate_is_aborted(const grid_gate *gate)
{
    unsigned value;
    asm volatile("{\n\t"
                 ".reg .u64 word;\n\t"
                 ".reg .pred there;\n\t"
                 "mov.u32 %0, 0;\n\t"
                 "ld.relaxed.gpu.global.u64 word, [%1];\n\t"
                 "setp.ne.u64 there, word, 0;\n\t"
                 "@there ld.relaxed.sys.global.u32 %0, [word];\n\t"
                 "}"
                 : "=r"(value)
                 : "l"(&gate->abort)
                 : "memory");
    return value != 0;
}
DEVICE_FUNCTION void gate_pause(unsigned) {}
DEVICE_FUNCTION unsigned counter_value(const unsigned *counter)
{
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(counter) : "memory");
    return value;
}

#endif

/* A barrier of the grid in two halves: what any thread of the block did before arriving is seen by all blocks
 * that waited for the same epoch, 1 for the first barrier. Between the halves a block may do what needs no
 * other block. */
DEVICE_FUNCTION void grid_arrive(grid_gate *gate)
{
    block_barrier();
    if (thread_index() == 0)
        gate_enter(gate);
}

/* Turns between looks at the abort word in pinned memory. A wait goes on only after the look is back. */
constexpr unsigned GATE_TURNS = 4096;

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
