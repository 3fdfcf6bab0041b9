/* tile_ops.h - small products of matrices by the double-precision units that multiply tiles, and copies into
 * shared memory that run beside them. In a tile of 8 x 8 thread l of a warp has elements 2 (l % 4) and one
 * more of row l / 4. */
#ifndef MUBLAS_TILE_OPS_H
#define MUBLAS_TILE_OPS_H

#include "gpu/kernels/warp_ops.h"

constexpr int TILE = 8, TILE_PARTS = 2; /* elements of a thread */

#ifdef MUBLAS_EMULATED

#define KERNEL_FUNCTION_OF(threads) KERNEL_FUNCTION

/* The copy lies there only behind the wait; until then nothing that could be taken for it. */
DEVICE_FUNCTION void copy_two_begin(double *to, const double *from)
{
    memset(to, 0xff, 2 * sizeof *to);
    emulated_copy_begin(to, from);
}
DEVICE_FUNCTION void copies_await()
{
    emulated_copy copy;
    while (emulated_copy_end(&copy))
        memcpy(copy.to, copy.from, 2 * sizeof(double));
}
DEVICE_FUNCTION void load_two_shared(const double *address, double (&values)[2])
{
    memcpy(values, __builtin_assume_aligned(address, 16), 16);
}
DEVICE_FUNCTION void store_two_shared(double *address, const double (&values)[2])
{
    memcpy(__builtin_assume_aligned(address, 16), values, 16);
}
DEVICE_FUNCTION void prefetch(const void *) {}

#else

/* A block has so many threads at most: they may have the more registers. */
#define KERNEL_FUNCTION_OF(threads) extern "C" __global__ void __launch_bounds__(threads, 1)

/* Copy 16 aligned bytes into shared memory. They are there behind copies_await, for other threads behind a
 * barrier after that. */
DEVICE_FUNCTION void copy_two_begin(double *to, const double *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :
                 : "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
}
DEVICE_FUNCTION void copies_await() { asm volatile("cp.async.wait_all;" : : : "memory"); }

DEVICE_FUNCTION void load_two_shared(const double *address, double (&values)[2])
{
    const double2 two = *reinterpret_cast<const double2 *>(address);
    values[0] = two.x, values[1] = two.y;
}
DEVICE_FUNCTION void store_two_shared(double *address, const double (&values)[2])
{
    *reinterpret_cast<double2 *>(address) = make_double2(values[0], values[1]);
}

/* Brings memory that is to be read soon into the second-level cache. */
DEVICE_FUNCTION void prefetch(const void *address)
{
    asm volatile("prefetch.global.L2 [%0];" : : "l"(address));
}

#endif

#if !defined MUBLAS_EMULATED && __CUDA_ARCH__ >= 900

/* Two tiles, one below the other, of C = A B' or C += A B'. All of the chain is added to an element in order:
 * first of the even columns of A, then of the odd ones. */
DEVICE_FUNCTION void tiles_product(double (&c)[2][TILE_PARTS], const double (&a)[2][TILE_PARTS],
                                   const double (&b)[TILE_PARTS])
{
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%10, %10, %10, %10};"
        : "=d"(c[0][0]), "=d"(c[0][1]), "=d"(c[1][0]), "=d"(c[1][1])
        : "d"(a[0][0]), "d"(a[1][0]), "d"(a[0][1]), "d"(a[1][1]), "d"(b[0]), "d"(b[1]), "d"(0.0));
}

DEVICE_FUNCTION void tiles_product_added(double (&c)[2][TILE_PARTS], const double (&a)[2][TILE_PARTS],
                                    const double (&b)[TILE_PARTS])
{
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+d"(c[0][0]), "+d"(c[0][1]), "+d"(c[1][0]), "+d"(c[1][1])
        : "d"(a[0][0]), "d"(a[1][0]), "d"(a[0][1]), "d"(a[1][1]), "d"(b[0]), "d"(b[1]));
}

#else

#if !defined MUBLAS_EMULATED && __CUDA_ARCH__ >= 800

DEVICE_FUNCTION void tile_multiply(double (&c)[TILE_PARTS], double a, double b)
{
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(c[0]), "+d"(c[1])
        : "d"(a), "d"(b));
}

#else

DEVICE_FUNCTION void tile_multiply(double (&c)[TILE_PARTS], double a, double b)
{
    const int lane = (int)thread_index() % WARP, row = lane / 4, column = TILE_PARTS * (lane % 4);
#ifdef MUBLAS_EMULATED
    struct operands {
        double a, b;
    } const mine = {a, b};
    const operands *const all = static_cast<const operands *>(emulated_exchange(&mine, sizeof mine, WARP));
    for (int k = 0; k < 4; k++)
        for (int t = 0; t < TILE_PARTS; t++)
            c[t] = fused(all[4 * row + k].a, all[4 * (column + t) + k].b, c[t]);
#else
    UNROLL
    for (int k = 0; k < 4; k++)
        UNROLL
        for (int t = 0; t < TILE_PARTS; t++)
            c[t] = fused(warp_value(a, 4 * row + k), warp_value(b, 4 * (column + t) + k), c[t]);
#endif
}

#endif

DEVICE_FUNCTION void tiles_product_added(double (&c)[2][TILE_PARTS], const double (&a)[2][TILE_PARTS],
                                    const double (&b)[TILE_PARTS])
{
    UNROLL
    for (int t = 0; t < TILE_PARTS; t++)
        UNROLL
        for (int i = 0; i < 2; i++)
            tile_multiply(c[i], a[i][t], b[t]);
}

DEVICE_FUNCTION void tiles_product(double (&c)[2][TILE_PARTS], const double (&a)[2][TILE_PARTS],
                                   const double (&b)[TILE_PARTS])
{
    UNROLL
    for (int i = 0; i < 2; i++)
        c[i][0] = c[i][1] = 0;
    tiles_product_added(c, a, b);
}

#endif
#endif
