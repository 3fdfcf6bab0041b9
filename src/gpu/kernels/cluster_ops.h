/* cluster_ops.h - what the blocks of one cluster do together: they send elements into each other's shared
 * memory. A launch is one cluster, so that a block's number is its rank there; it has at most
 * CLUSTER_BLOCKS_MOST blocks.
 *
 * A mailbox is a word of a block's shared memory. The block uses it again and again: each time one thread
 * says how many bytes are to come, and a wait ends once all of them have, from whichever block. A thread that
 * has waited sees what was sent.
 *
 * Devices before 9.0 have no clusters, and get no such kernel from the host: compiled for them, all of it
 * traps. */
#ifndef MUBLAS_CLUSTER_OPS_H
#define MUBLAS_CLUSTER_OPS_H

#include "gpu/kernels/element.h"

#ifdef MUBLAS_EMULATED

/* Low half: bytes that are missing, negative before they were announced. High half: twice the number of times
 * that are over, and 1 once this time's bytes were announced. */
DEVICE_FUNCTION uint64_t mailbox_word(int32_t missing, uint32_t times)
{
    return times % 2 && missing == 0 ? (uint64_t)(times + 1) << 32
                                     : (uint64_t)times << 32 | (uint32_t)missing;
}
DEVICE_FUNCTION void mailbox_change(uint64_t *box, int32_t bytes, uint32_t announced)
{
    uint64_t before = __atomic_load_n(box, __ATOMIC_RELAXED), after;
    do
        after = mailbox_word((int32_t)(uint32_t)before + bytes, (uint32_t)(before >> 32) + announced);
    while (!__atomic_compare_exchange_n(box, &before, after, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
}
DEVICE_FUNCTION void mailbox_open(uint64_t *box) { __atomic_store_n(box, 0, __ATOMIC_RELEASE); }
DEVICE_FUNCTION void mailbox_expect(uint64_t *box, unsigned bytes) { mailbox_change(box, (int32_t)bytes, 1); }
DEVICE_FUNCTION void mailbox_await(const uint64_t *box, unsigned time)
{
    for (unsigned turn = 0; (__atomic_load_n(box, __ATOMIC_ACQUIRE) >> 33) % 2 == time % 2; turn++)
        emulated_spin(turn);
}
template <typename T> DEVICE_FUNCTION T *address_in(T *address, unsigned block)
{
    unsigned char *const there = static_cast<unsigned char *>(emulated_shared_of(block));
    return reinterpret_cast<T *>(there + (reinterpret_cast<unsigned char *>(address) -
                                          static_cast<unsigned char *>(shared_memory())));
}
template <typename T>
DEVICE_FUNCTION void cluster_send(T *address, const T &value, uint64_t *box, unsigned block)
{
    *address_in(address, block) = value;
    mailbox_change(address_in(box, block), -(int32_t)sizeof value, 0);
}
template <typename T>
DEVICE_FUNCTION void cluster_send_two(T *address, const T &one, const T &other, uint64_t *box, unsigned block)
{
    cluster_send(address, one, box, block);
    cluster_send(address + 1, other, box, block);
}
/* Two words by turns: a block late to leave must not see what others did before the next barrier. */
DEVICE_FUNCTION void cluster_barrier()
{
    unsigned *const words = emulated_cluster_words();
    block_barrier();
    if (thread_index() == 0) {
        const unsigned barrier = __atomic_fetch_add(&words[2], 1u, __ATOMIC_RELAXED) / block_count();
        unsigned *const arrived = &words[barrier % 2];
        __atomic_fetch_add(arrived, 1u, __ATOMIC_RELEASE);
        const unsigned all = (barrier / 2 + 1) * block_count();
        for (unsigned turn = 0; __atomic_load_n(arrived, __ATOMIC_ACQUIRE) < all; turn++)
            emulated_spin(turn);
    }
    block_barrier();
}

#elif !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 900

DEVICE_FUNCTION unsigned shared_address(const void *address)
{
    return (unsigned)__cvta_generic_to_shared(address);
}

/* One thread calls it; a barrier of the cluster must follow before anything is sent. */
DEVICE_FUNCTION void mailbox_open(uint64_t *box)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\t"
                 "fence.mbarrier_init.release.cluster;"
                 :
                 : "r"(shared_address(box))
                 : "memory");
}

/* One thread calls it, once the time before is over. */
DEVICE_FUNCTION void mailbox_expect(uint64_t *box, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"(shared_address(box)), "r"(bytes)
                 : "memory");
}

/* Times count from 0; to be waited for before the next one can be over. */
DEVICE_FUNCTION void mailbox_await(const uint64_t *box, unsigned time)
{
    unsigned over;
    do {
        asm volatile("{\n\t"
                     ".reg .pred over;\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 over, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, over;\n\t"
                     "}"
                     : "=r"(over)
                     : "r"(shared_address(box)), "r"(time % 2)
                     : "memory");
    } while (!over);
}

/* The same place of another block's shared memory, or of this one's. */
DEVICE_FUNCTION unsigned address_in(const void *address, unsigned block)
{
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(address)), "r"(block));
    return there;
}

/* The address is this block's own; the element comes to the same place of `block`, the bytes to its box. */
#define SEND "st.async.shared::cluster.mbarrier::complete_tx::bytes"
DEVICE_FUNCTION void cluster_send(float *address, float value, uint64_t *box, unsigned block)
{
    asm volatile(SEND ".f32 [%0], %1, [%2];"
                 :
                 : "r"(address_in(address, block)), "f"(value), "r"(address_in(box, block))
                 : "memory");
}
DEVICE_FUNCTION void cluster_send(double *address, double value, uint64_t *box, unsigned block)
{
    asm volatile(SEND ".f64 [%0], %1, [%2];"
                 :
                 : "r"(address_in(address, block)), "d"(value), "r"(address_in(box, block))
                 : "memory");
}
DEVICE_FUNCTION void cluster_send(complex_number<float> *address, const complex_number<float> &value,
                                  uint64_t *box, unsigned block)
{
    asm volatile(SEND ".v2.f32 [%0], {%1, %2}, [%3];"
                 :
                 : "r"(address_in(address, block)), "f"(value.re), "f"(value.im), "r"(address_in(box, block))
                 : "memory");
}
DEVICE_FUNCTION void cluster_send(complex_number<double> *address, const complex_number<double> &value,
                                  uint64_t *box, unsigned block)
{
    asm volatile(SEND ".v2.f64 [%0], {%1, %2}, [%3];"
                 :
                 : "r"(address_in(address, block)), "d"(value.re), "d"(value.im), "r"(address_in(box, block))
                 : "memory");
}
/* Two elements, one behind the other, aligned like 16 bytes or like both. */
DEVICE_FUNCTION void cluster_send_two(float *address, float one, float other, uint64_t *box, unsigned block)
{
    cluster_send(reinterpret_cast<complex_number<float> *>(address), complex_number<float>{one, other}, box,
                 block);
}
DEVICE_FUNCTION void cluster_send_two(double *address, double one, double other, uint64_t *box,
                                      unsigned block)
{
    cluster_send(reinterpret_cast<complex_number<double> *>(address), complex_number<double>{one, other},
                 box, block);
}
DEVICE_FUNCTION void cluster_send_two(complex_number<float> *address, const complex_number<float> &one,
                                      const complex_number<float> &other, uint64_t *box, unsigned block)
{
    asm volatile(SEND ".v4.f32 [%0], {%1, %2, %3, %4}, [%5];"
                 :
                 : "r"(address_in(address, block)), "f"(one.re), "f"(one.im), "f"(other.re), "f"(other.im),
                   "r"(address_in(box, block))
                 : "memory");
}
DEVICE_FUNCTION void cluster_send_two(complex_number<double> *address, const complex_number<double> &one,
                                      const complex_number<double> &other, uint64_t *box, unsigned block)
{
    cluster_send(address, one, box, block);
    cluster_send(address + 1, other, box, block);
}
#undef SEND

/* All threads of all blocks. */
DEVICE_FUNCTION void cluster_barrier()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\n\t"
                 "barrier.cluster.wait.acquire.aligned;"
                 :
                 :
                 : "memory");
}

#else

DEVICE_FUNCTION void mailbox_open(uint64_t *) { __trap(); }
DEVICE_FUNCTION void mailbox_expect(uint64_t *, unsigned) { __trap(); }
DEVICE_FUNCTION void mailbox_await(const uint64_t *, unsigned) { __trap(); }
template <typename T> DEVICE_FUNCTION void cluster_send(T *, const T &, uint64_t *, unsigned) { __trap(); }
template <typename T>
DEVICE_FUNCTION void cluster_send_two(T *, const T &, const T &, uint64_t *, unsigned)
{
    __trap();
}
DEVICE_FUNCTION void cluster_barrier() { __trap(); }

#endif
#endif
