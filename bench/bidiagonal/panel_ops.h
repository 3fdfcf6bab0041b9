/* panel_ops.h - copies of whole columns into shared memory, which run beside the block, and the clock. */
#ifndef BIDIAGONAL_PANEL_OPS_H
#define BIDIAGONAL_PANEL_OPS_H

#include "gpu/kernels/grid_ops.h"
#include "gpu/kernels/tile_ops.h"

#ifdef MUBLAS_EMULATED

/* emulated.cc: the copy happens at the first wait; until then there is nothing that could be taken for it. */
extern "C" {
void emulated_slot_open(uint64_t *slot);
void emulated_slot_copy(uint64_t *slot, void *to, const void *from, unsigned bytes);
void emulated_slot_expect(uint64_t *slot, unsigned bytes);
void emulated_slot_await(uint64_t *slot, unsigned parity);
}

DEVICE_FUNCTION void slot_open(uint64_t *slot) { emulated_slot_open(slot); }
DEVICE_FUNCTION void slots_opened() {}
DEVICE_FUNCTION void slot_expect(uint64_t *slot, unsigned bytes) { emulated_slot_expect(slot, bytes); }
DEVICE_FUNCTION void slot_copy(uint64_t *slot, double *to, const double *from, unsigned bytes)
{
    emulated_slot_copy(slot, to, from, bytes);
}
DEVICE_FUNCTION void slot_await(uint64_t *slot, unsigned parity) { emulated_slot_await(slot, parity); }
DEVICE_FUNCTION unsigned long long clock_now() { return 0; }

#else

DEVICE_FUNCTION unsigned shared_place(const void *address)
{
    return (unsigned)__cvta_generic_to_shared(address);
}

DEVICE_FUNCTION void slot_open(uint64_t *slot)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"(shared_place(slot)) : "memory");
}
/* The thread that opened them calls it before its first copy. */
DEVICE_FUNCTION void slots_opened()
{
    asm volatile("fence.mbarrier_init.release.cluster;\n\t"
                 "fence.proxy.async;" : : : "memory");
}
/* So many bytes are to arrive, by slot_copy, before the wait ends. */
DEVICE_FUNCTION void slot_expect(uint64_t *slot, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"(shared_place(slot)), "r"(bytes)
                 : "memory");
}
/* Addresses and bytes are multiples of 16. */
DEVICE_FUNCTION void slot_copy(uint64_t *slot, double *to, const double *from, unsigned bytes)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :
                 : "r"(shared_place(to)), "l"(from), "r"(bytes), "r"(shared_place(slot))
                 : "memory");
}
/* A copy that never ends must not hold the machine: the launch fails after some seconds. */
DEVICE_FUNCTION void slot_await(uint64_t *slot, unsigned parity)
{
    constexpr long long PATIENCE = 6000000000; /* cycles: some three seconds */
    const long long start = clock64();
    unsigned over = 0;
    UNROLL_BY(1)
    while (!over) {
        asm volatile("{\n\t"
                     ".reg .pred over;\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 over, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, over;\n\t"
                     "}"
                     : "=r"(over)
                     : "r"(shared_place(slot)), "r"(parity)
                     : "memory");
        if (!over && clock64() - start > PATIENCE)
            asm volatile("trap;");
    }
}
DEVICE_FUNCTION unsigned long long clock_now() { return (unsigned long long)clock64(); }

#endif

/* H = I - tau v v' with H' (alpha, x) = (beta, 0), v = scale ((alpha, x) - beta e1). The prototype does not
 * rescale: squares must neither overflow nor vanish. */
struct plain_reflector {
    double beta, tau, scale;
};
DEVICE_FUNCTION plain_reflector reflector_from(double alpha, double squares)
{
    if (squares == 0)
        return {alpha, 0, 0};
    const double root = sqrt(fused(alpha, alpha, squares)), beta = alpha >= 0 ? -root : root;
    return {beta, (beta - alpha) / beta, 1 / (alpha - beta)};
}

#endif
