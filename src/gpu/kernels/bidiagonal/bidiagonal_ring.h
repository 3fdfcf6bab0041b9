/* bidiagonal_ring.h - the form of a panel (bidiagonal_panel.h) that reads A once a column.
 *
 * Copies bring groups of columns into a ring in shared memory, ahead of the block. A pass goes through them
 * upwards, the next one downwards: what the ring holds at the end of a pass is not read again, and a matrix
 * that fits into all rings is read once a panel. A thread has UNITS times 16 bytes of v, of a column (the longest
 * ones for a moment) and of the sum in registers; SURE of them are below every matrix's end that this form is
 * for. */
#ifndef MUBLAS_BIDIAGONAL_RING_H
#define MUBLAS_BIDIAGONAL_RING_H

#include "gpu/kernels/bidiagonal/bidiagonal_rows.h"

namespace bidiagonal {

#ifdef MUBLAS_EMULATED

/* tests/emulated_driver/slots.c: the copy happens at the first wait; until then nothing lies there that could
 * be taken for it. */
DEVICE_FUNCTION void slot_open(uint64_t *slot) { emulated_slot_open(slot); }
DEVICE_FUNCTION void slots_opened() {}
DEVICE_FUNCTION void slot_expect(uint64_t *slot, unsigned bytes) { emulated_slot_expect(slot, bytes); }
DEVICE_FUNCTION void slot_copy(uint64_t *slot, void *to, const void *from, unsigned bytes)
{
    emulated_slot_copy(slot, to, from, bytes);
}
DEVICE_FUNCTION void slot_await(uint64_t *slot, unsigned parity) { emulated_slot_await(slot, parity); }

#elif __CUDA_ARCH__ >= 900

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
DEVICE_FUNCTION void slot_copy(uint64_t *slot, void *to, const void *from, unsigned bytes)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :
                 : "r"(shared_place(to)), "l"(from), "r"(bytes), "r"(shared_place(slot))
                 : "memory");
}
DEVICE_FUNCTION void slot_await(uint64_t *slot, unsigned parity)
{
    unsigned over = 0;
    UNROLL_BY(1)
    while (!over)
        asm volatile("{\n\t"
                     ".reg .pred over;\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 over, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, over;\n\t"
                     "}"
                     : "=r"(over)
                     : "r"(shared_place(slot)), "r"(parity)
                     : "memory");
}

#else

/* Devices without such copies get the other form. */
DEVICE_FUNCTION void slot_open(uint64_t *) {}
DEVICE_FUNCTION void slots_opened() {}
DEVICE_FUNCTION void slot_expect(uint64_t *, unsigned) {}
DEVICE_FUNCTION void slot_copy(uint64_t *, void *, const void *, unsigned) {}
DEVICE_FUNCTION void slot_await(uint64_t *, unsigned) {}

#endif

constexpr int REQUESTER = THREADS - WARP; /* who requests copies; warp 0 has enough to do */

template <typename T, int UNITS, int SURE, int GROUP> struct ring_work : panel_work<T> {
    using R = real_of<T>;
    using base = panel_work<T>;
    using base::a, base::arguments, base::block, base::blocks, base::columns, base::lane, base::lda,
        base::local_parts, base::padded_rows, base::parts, base::shared, base::stride, base::thread, base::warp,
        base::yu;
    /* More of v than registers hold beside what prepare_own does. */
    static constexpr bool V_COMES_LATE = UNITS > 4;
    static constexpr int EACH = WIDE<T>, NUMBERS = EACH * UNITS;
    /* Registers hold v and the sum alone: a column comes from shared memory for its product with v, and again
     * for the sum. Spilled registers would take more of the second-level cache's time than the columns do. */
    static constexpr bool LOADS_TWICE = UNITS > 6;

    T *ring;
    int groups_each, groups, slots; /* groups of a part, and of all the block's */
    int columns_least, columns_rest; /* of a part, and the last part that has one more */
    int step;        /* of the pass: 1 upwards, -1 downwards */
    unsigned parity; /* of each slot's last copy */
    T v[NUMBERS], sum[NUMBERS];

    DEVICE_METHOD explicit ring_work(const bidiagonal_panel_arguments &given)
        : base(given, GROUP), groups_each(stride / GROUP), groups(local_parts * groups_each),
          columns_least((columns - 1) / parts), columns_rest((columns - 1) % parts), step(1), parity(0)
    {
        const uintptr_t end = reinterpret_cast<uintptr_t>(shared.squares + WARPS) -
                              reinterpret_cast<uintptr_t>(shared.slots);
        ring = reinterpret_cast<T *>(reinterpret_cast<unsigned char *>(shared.slots) + (end + 127) / 128 * 128);
        const int most = given.ring / (int)(GROUP * padded_rows * (int)sizeof(T));
        slots = most < BIDIAGONAL_SLOTS_MOST ? most : BIDIAGONAL_SLOTS_MOST;
    }

    /* The columns of a group by its number in its part; where a part has one group less than others its last has none. */
    DEVICE_METHOD int group_columns(int part, int in_part) const
    {
        const int left = columns_least + (part <= columns_rest) - in_part * GROUP;
        return left < 0 ? 0 : left < GROUP ? left : GROUP;
    }
    DEVICE_METHOD T *slot_memory(int slot) const { return ring + slot * (GROUP * padded_rows); }
    /* One thread calls it. */
    DEVICE_METHOD void request(int group, int slot) const
    {
        const unsigned bytes = (unsigned)(padded_rows * (int)sizeof(T));
        const int local = local_parts == 1 ? 0 : group / groups_each, part = block + local * blocks,
                  in_part = group - local * groups_each, count = group_columns(part, in_part);
        slot_expect(shared.slots + slot, bytes * (unsigned)count);
        UNROLL_BY(1)
        for (int i = 0; i < count; i++)
            slot_copy(shared.slots + slot, slot_memory(slot) + i * padded_rows,
                      a + (int64_t)(part + (in_part * GROUP + i) * parts) * lda, bytes);
    }
    /* All threads are done with a group: its slot is for the one that comes so many later in this pass. */
    DEVICE_METHOD void replace(int group, int slot)
    {
        const int next = group + step * slots;
        if (next < 0 || next >= groups)
            return;
        parity ^= 1u << slot;
        if (thread == REQUESTER)
            request(next, slot);
    }
    /* The slot of the group after, `to` 1, or before, -1. */
    DEVICE_METHOD int next_slot(int slot, int to) const
    {
        return to > 0 ? slot + 1 < slots ? slot + 1 : 0 : slot > 0 ? slot - 1 : slots - 1;
    }
    DEVICE_METHOD const T *await(int slot) const
    {
        slot_await(shared.slots + slot, parity >> slot & 1);
        return slot_memory(slot);
    }
    DEVICE_METHOD void open_ring()
    {
        if (thread == REQUESTER) {
            UNROLL_BY(1)
            for (int i = 0; i < slots; i++)
                slot_open(shared.slots + i);
            slots_opened();
            UNROLL_BY(1)
            for (int group = 0; group < groups && group < slots; group++)
                request(group, group);
        }
        block_barrier();
    }
    /* Copies must not land behind the block's end. */
    DEVICE_METHOD void close_ring() const
    {
        UNROLL_BY(1)
        for (int slot = 0; slot < slots && slot < groups; slot++)
            slot_await(shared.slots + slot, parity >> slot & 1);
    }

    DEVICE_METHOD bool has_unit(int unit) const { return unit < SURE || base::row_of(unit) < padded_rows; }
    DEVICE_METHOD void load_v(int c, const panel_reflector<T> &made)
    {
        UNROLL
        for (int i = 0; i < NUMBERS; i++) {
            const int number = base::row_of(i / EACH) + i % EACH;
            v[i] = has_unit(i / EACH) ? load_partial(base::column + number) : T{};
        }
        UNROLL
        for (int i = 0; i < NUMBERS; i++)
            v[i] = base::v_of(c, made, base::row_of(i / EACH) + i % EACH, v[i]);
    }
    DEVICE_METHOD void load_group(const T *memory, int count, T (&part)[GROUP][NUMBERS]) const
    {
        UNROLL
        for (int i = 0; i < GROUP; i++)
            UNROLL
            for (int unit = 0; unit < UNITS; unit++) {
                T side[EACH] = {};
                if (i < count && has_unit(unit))
                    load_result_wide(memory + i * padded_rows + base::row_of(unit), side);
                UNROLL
                for (int k = 0; k < EACH; k++)
                    part[i][EACH * unit + k] = side[k];
            }
    }

    /* The sums over a part's columns of what finish_columns stores. */
    struct row_sums {
        R square;
        T with_y, with_own;
    };

    /* A group's products with v, which give the row's elements; `first` is its first column, of `count`. The
     * barrier in it frees the group before. */
    DEVICE_METHOD void reduce_group(int c, int group, int first, int count, int slot, unsigned turn,
                                    const T *memory, const T (&part)[GROUP][NUMBERS], T (&factor)[GROUP],
                                    row_sums &of_part)
    {
        constexpr int THREADS_EACH = WARP / GROUP; /* that add up for a column */
        T *const set = shared.sums + turn % 2 * WARPS * BIDIAGONAL_GROUP_MOST;
        T dots[GROUP];
        UNROLL
        for (int i = 0; i < GROUP; i++) {
            dots[i] = T{};
            UNROLL
            for (int k = 0; k < NUMBERS; k++)
                dots[i] = fused(conjugate(v[k]), part[i][k], dots[i]);
        }
        const T of_warp = warp_sums(dots, lane);
        if (lane < GROUP)
            set[lane * WARPS + warp] = of_warp;
        block_barrier();
        if (turn > 0)
            replace(group - step, next_slot(slot, -step));
        const int mine = lane / THREADS_EACH, number = group * GROUP + mine;
        T z = T{};
        UNROLL
        for (int from = 0; from < WARPS; from += THREADS_EACH)
            if (from + lane % THREADS_EACH < WARPS)
                z = z + set[mine * WARPS + from + lane % THREADS_EACH];
        z = part_sum<THREADS_EACH>(z);
        T y, element = T{};
        if (mine < count)
            element = memory[mine * padded_rows + c];
        const T r = base::row_element(c, number, first + mine * parts, z, element, &y);
        const warp_values<T> all(conjugate(r));
        UNROLL
        for (int i = 0; i < GROUP; i++)
            factor[i] = all[i * THREADS_EACH];
        if (warp > 0 || lane % THREADS_EACH > 0)
            return;
        base::keep_row_element(c, number, first + mine * parts, r, y);
        if (first + mine * parts > c + 1)
            of_part.square = real_product_added(r, r, of_part.square);
        of_part.with_y = fused(conjugate(r), y, of_part.with_y);
    }

    DEVICE_METHOD void finish_columns(int c, int part, row_sums of_part)
    {
        UNROLL
        for (int unit = 0; unit < UNITS; unit++)
            if (has_unit(unit))
                store_wide(base::sums + part * lda + base::row_of(unit), sum + EACH * unit);
        if (thread < FACTORS && thread % WIDTH < c)
            store_partial(base::column_products + thread * parts + part, of_part.with_own);
        if (warp > 0)
            return;
        const R square = part_sum<WARP>(of_part.square);
        const T with_y = part_sum<WARP>(of_part.with_y);
        if (lane > 0)
            return;
        store_partial(base::column_products + FACTORS * parts + part, element_of<T>(square));
        store_partial(base::column_products + c * parts + part, with_y);
    }

    DEVICE_METHOD void multiply(int c, const panel_reflector<T> &made)
    {
        if constexpr (!V_COMES_LATE)
            load_v(c, made);
        base::prepare_own(c, made);
        if constexpr (V_COMES_LATE)
            load_v(c, made);
        int slot = step > 0 ? 0 : (groups - 1) % slots;
        unsigned turn = 0;
        UNROLL_BY(1)
        for (int left = local_parts; left > 0; left--)
            multiply_columns(c, step > 0 ? local_parts - left : left - 1, slot, turn);
        step = -step;
    }

    /* The columns of one part, whose first or last group has this slot. */
    DEVICE_METHOD void multiply_columns(int c, int local, int &slot, unsigned &turn)
    {
        const bool has_factor = thread < FACTORS && thread % WIDTH < c;
        const int part_number = block + local * blocks;
        row_sums of_part = {};
        UNROLL
        for (int k = 0; k < NUMBERS; k++)
            sum[k] = T{};
        UNROLL_BY(1)
        for (int in_part = step > 0 ? 0 : groups_each - 1; in_part >= 0 && in_part < groups_each;
             in_part += step, slot = next_slot(slot, step), turn++) {
            const int count = group_columns(part_number, in_part),
                      first = part_number + in_part * GROUP * parts;
            T own_y[GROUP] = {}, part[GROUP][NUMBERS], factor[GROUP];
            if (has_factor)
                UNROLL
                for (int i = 0; i < GROUP; i++)
                    own_y[i] = load_partial(yu + (int64_t)(i < count ? first + i * parts : part_number) * FACTORS +
                                            thread);
            const T *const memory = await(slot);
            load_group(memory, count, part);
            reduce_group(c, local * groups_each + in_part, first, count, slot, turn, memory, part, factor,
                         of_part);
            if constexpr (LOADS_TWICE)
                load_group(memory, count, part);
            UNROLL
            for (int i = 0; i < GROUP; i++) {
                UNROLL
                for (int k = 0; k < NUMBERS; k++)
                    sum[k] = fused(factor[i], part[i][k], sum[k]);
                if (has_factor && !equals(factor[i], 0))
                    of_part.with_own = fused(factor[i], own_y[i], of_part.with_own);
            }
        }
        finish_columns(c, part_number, of_part);
    }

    DEVICE_METHOD void run_panel()
    {
        open_ring();
        base::run([&](int c, const panel_reflector<T> &made) { multiply(c, made); });
        close_ring();
    }
};

} /* namespace bidiagonal */

#endif
