/* panel.h - a panel of the reduction to bidiagonal form, A = Q B P', by a cooperative launch. A is read once
 * a column (LAPACK working note 174: Howell, Demmel, Fulton, Hammarling, Marmol, Cache efficient
 * bidiagonalization using BLAS 2.5 operators).
 *
 * Within the panel A stays as it was; what it should have become is A - V Y' - X U'. For each column there
 * are two barriers of the grid:
 *  - before the first, by columns of A, which each block has for good: z_j = A(:,j)'v, from it y_j and r_j,
 *    the row's element that is up to date, and at once A r += r_j A(:,j), while the column is at hand;
 *  - before the second, by chunks of rows: the sum of all blocks' A r, from it x = A u and so on, the next
 *    column up to date, and its products with V and X.
 * Copies bring groups of columns into a ring in shared memory, ahead of the block. A pass goes through them
 * upwards, the next one downwards: what the ring holds at the end of a pass is not read again, and a matrix
 * that fits into all rings is read once a panel.
 *
 * TWICE: the peer that reads A twice a column, once for A'v and once for A r. All else is the same.
 *
 * All sums have an order that depends on the sizes and on the number of blocks, never on time. */
#ifndef BIDIAGONAL_PANEL_H
#define BIDIAGONAL_PANEL_H

#include "panel_arguments.h"
#include "panel_ops.h"

constexpr int PANEL_WARPS = BIDIAGONAL_THREADS / WARP, CHUNK = BIDIAGONAL_CHUNK;
constexpr int FACTORS_EACH = BIDIAGONAL_PANEL_MOST / PANEL_WARPS; /* columns of V and of X that a warp has */
constexpr int REQUESTER = BIDIAGONAL_THREADS - WARP; /* who requests copies; warp 0 has enough to do */
constexpr int BATCH = 4, LOADS_OF_BLOCKS = BIDIAGONAL_BLOCKS_MOST / WARP;

/* In shared memory, before the ring. */
struct panel_shared {
    uint64_t *slots;
    unsigned long long *cycles;       /* by the first thread of block 0 */
    double *sums;                     /* of warps, two sets by turns */
    double *products;                 /* sums over blocks: 2 nb + 1 */
    double *with_z, *with_a;          /* what Y and U are multiplied by: p, q and row c of V, X */
    double *own_p, *own_a, *own_row;  /* one of each own column */
    double *rows;                     /* three of each warp and row of a chunk */
    double *x, *next;                 /* of a chunk */
};

/* A chunk's row, of one thread; its warp has columns warp, warp + 16 ... of V and X. */
struct chunk_row {
    double v[FACTORS_EACH], x[FACTORS_EACH], sum, head, old;
};

struct chunk_factors;
struct next_products;

template <int PAIRS, int GROUP, bool TWICE> struct panel_work {
    /* More of v than registers hold beside what prepare_own does. */
    static constexpr bool V_COMES_LATE = PAIRS > 4;

    const bidiagonal_panel_arguments &arguments;
    panel_shared shared;
    double *ring;
    const int thread, lane, warp, block, blocks, rows, columns, nb;
    const int even_rows, chunks, row_blocks, own, groups, slots;
    int passes;      /* over A, so far */
    unsigned parity; /* of each slot's last copy */
    unsigned epoch;
    double v[2 * PAIRS], sum[2 * PAIRS];

    DEVICE_METHOD panel_work(const bidiagonal_panel_arguments &given)
        : arguments(given), ring(nullptr), thread((int)thread_index()),
          lane(thread % WARP), warp(thread / WARP), block((int)block_index()), blocks((int)block_count()),
          rows((int)given.rows), columns((int)given.columns), nb(given.nb), even_rows((rows + 1) / 2 * 2),
          chunks((rows + CHUNK - 1) / CHUNK), row_blocks(chunks < blocks ? chunks : blocks),
          own(block < columns ? (columns - block - 1) / blocks + 1 : 0), groups((own + GROUP - 1) / GROUP),
          slots(slots_of(given.ring, even_rows)), passes(0), parity(0), epoch(0)
    {
        shared.slots = static_cast<uint64_t *>(shared_memory());
        shared.cycles = reinterpret_cast<unsigned long long *>(shared.slots + BIDIAGONAL_SLOTS_MOST);
        shared.sums = reinterpret_cast<double *>(shared.cycles + BIDIAGONAL_PHASES);
        shared.products = shared.sums + 2 * PANEL_WARPS * 8;
        shared.with_z = shared.products + 2 * BIDIAGONAL_PANEL_MOST + 2;
        shared.with_a = shared.with_z + 2 * BIDIAGONAL_PANEL_MOST + 2;
        shared.own_p = shared.with_a + 2 * BIDIAGONAL_PANEL_MOST + 2;
        shared.own_a = shared.own_p + BIDIAGONAL_OWN_MOST;
        shared.own_row = shared.own_a + BIDIAGONAL_OWN_MOST;
        shared.rows = shared.own_row + BIDIAGONAL_OWN_MOST;
        shared.x = shared.rows + 3 * PANEL_WARPS * CHUNK;
        shared.next = shared.x + CHUNK;
        ring = static_cast<double *>(shared_memory()) + BIDIAGONAL_SHARED_BESIDE / 8;
    }
    DEVICE_METHOD static int slots_of(int ring_size, int column_size)
    {
        const int most = ring_size / (GROUP * column_size);
        return most < BIDIAGONAL_SLOTS_MOST ? most : BIDIAGONAL_SLOTS_MOST;
    }

    DEVICE_METHOD void phase_ends(int phase)
    {
        if (block > 0 || thread > 0)
            return;
        const unsigned long long now = clock_now();
        shared.cycles[phase] += now - shared.cycles[BIDIAGONAL_PHASES - 1];
        shared.cycles[BIDIAGONAL_PHASES - 1] = now;
    }

    /* The block's own columns. */
    DEVICE_METHOD int column_of(int own_number) const { return block + own_number * blocks; }
    DEVICE_METHOD int group_columns(int group) const
    {
        return group + 1 < groups ? GROUP : own - group * GROUP;
    }
    DEVICE_METHOD double *slot_memory(int group) const
    {
        return ring + (int64_t)(group % slots) * GROUP * even_rows;
    }
    /* One thread calls it. */
    DEVICE_METHOD void request(int group)
    {
        const unsigned bytes = (unsigned)even_rows * 8;
        const int count = group_columns(group);
        slot_expect(shared.slots + group % slots, bytes * (unsigned)count);
        UNROLL_BY(1)
        for (int i = 0; i < count; i++)
            slot_copy(shared.slots + group % slots, slot_memory(group) + (int64_t)i * even_rows,
                      arguments.a + column_of(group * GROUP + i) * arguments.lda, bytes);
    }
    /* All threads are done with a group: its slot is for the one that comes so many later in this pass. */
    DEVICE_METHOD void replace(int group)
    {
        const int next = passes % 2 == 0 ? group + slots : group - slots;
        if (next < 0 || next >= groups)
            return;
        parity ^= 1u << next % slots;
        if (thread == REQUESTER)
            request(next);
    }
    DEVICE_METHOD int group_at(int turn) const { return passes % 2 == 0 ? turn : groups - 1 - turn; }
    DEVICE_METHOD const double *await(int group)
    {
        slot_await(shared.slots + group % slots, parity >> group % slots & 1);
        return slot_memory(group);
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
                request(group);
        }
        block_barrier();
    }

    DEVICE_METHOD int row_of(int pair) const { return 2 * thread + 1024 * pair; }
    DEVICE_METHOD void load_group(const double *memory, int count, double (&part)[GROUP][2 * PAIRS]) const
    {
        UNROLL
        for (int i = 0; i < GROUP; i++)
            UNROLL
            for (int pair = 0; pair < PAIRS; pair++) {
                double two[2] = {0, 0};
                if (i < count && (pair + 1 < PAIRS || row_of(pair) < even_rows))
                    load_two_shared(memory + (int64_t)i * even_rows + row_of(pair), two);
                part[i][2 * pair] = two[0], part[i][2 * pair + 1] = two[1];
            }
    }
    DEVICE_METHOD void add_group(const double (&part)[GROUP][2 * PAIRS], const double (&factor)[GROUP])
    {
        UNROLL
        for (int i = 0; i < GROUP; i++)
            UNROLL
            for (int k = 0; k < 2 * PAIRS; k++)
                sum[k] = fused(factor[i], part[i][k], sum[k]);
    }

    /* Sums over blocks, of `first` quantities from 0 on, `second` from nb on, and perhaps the one at 2 nb. */
    DEVICE_METHOD void sum_products(const double *products, int apart, int count, int first, int second,
                                    bool last) const
    {
        const int all = first + second + last;
        UNROLL_BY(1)
        for (int item = warp * BATCH; item < all; item += PANEL_WARPS * BATCH) {
            double part[BATCH][LOADS_OF_BLOCKS], sums[BATCH];
            UNROLL
            for (int i = 0; i < BATCH; i++) {
                const int number = item + i < all ? item + i : item;
                const double *const of = products + (int64_t)quantity_of(number, first, second) * apart;
                UNROLL
                for (int k = 0; k < LOADS_OF_BLOCKS; k++)
                    part[i][k] = lane + k * WARP < count ? load_partial(of + lane + k * WARP) : 0;
            }
            UNROLL
            for (int i = 0; i < BATCH; i++) {
                sums[i] = part[i][0];
                UNROLL
                for (int k = 1; k < LOADS_OF_BLOCKS; k++)
                    sums[i] = sums[i] + part[i][k];
            }
            const double whole = warp_sums(sums, lane);
            if (lane < BATCH && item + lane < all)
                shared.products[quantity_of(item + lane, first, second)] = whole;
        }
    }
    DEVICE_METHOD int quantity_of(int number, int first, int second) const
    {
        return number < first ? number : number < first + second ? nb + number - first : 2 * nb;
    }

    /* panel_columns.h: before the first barrier. */
    DEVICE_METHOD plain_reflector column_reflector(int c);
    DEVICE_METHOD void load_v(int c, const plain_reflector &made);
    DEVICE_METHOD void prepare_own(int c, const plain_reflector &made);
    DEVICE_METHOD void multiply_once(int c, const plain_reflector &made);
    DEVICE_METHOD void multiply_twice(int c, const plain_reflector &made);
    DEVICE_METHOD double row_element(int c, int number, double z, double element, const plain_reflector &made,
                                     double *y) const;
    DEVICE_METHOD void reduce_group(int c, int group, int turn, const plain_reflector &made,
                                    const double *memory, const double (&part)[GROUP][2 * PAIRS],
                                    double (&factor)[GROUP], double &square, double &with_y);
    DEVICE_METHOD void request_own(int group, double (&own_y)[GROUP]) const;
    DEVICE_METHOD void finish_columns(int c, double square, double with_y, double with_own);

    /* panel_rows.h: before the second. */
    DEVICE_METHOD void first_column();
    DEVICE_METHOD chunk_row load_chunk(int chunk, int c) const;
    DEVICE_METHOD void finish_rows(int c, const plain_reflector &of_column, bool is_last);
    DEVICE_METHOD void finish_chunk(int chunk, int c, chunk_row &at, const chunk_factors &factors,
                                    const plain_reflector &of_column, const plain_reflector &of_row,
                                    bool is_last, next_products &products);
    DEVICE_METHOD void store_own_u(int c, const plain_reflector &of_row) const;
    DEVICE_METHOD void store_column(int c, const plain_reflector &of_column) const;

    DEVICE_METHOD void run()
    {
        open_ring();
        first_column();
        if (!grid_barrier(arguments.gate, epoch))
            return;
        if (thread == 0)
            for (int i = 0; i < BIDIAGONAL_PHASES; i++)
                shared.cycles[i] = i + 1 < BIDIAGONAL_PHASES ? 0 : clock_now();
        UNROLL_BY(1)
        for (int c = 0; c < arguments.width; c++) {
            const plain_reflector made = column_reflector(c);
            if (c + 1 == columns) {
                store_column(c, made);
                break;
            }
            if constexpr (!V_COMES_LATE)
                load_v(c, made);
            prepare_own(c, made);
            if constexpr (V_COMES_LATE)
                load_v(c, made);
            phase_ends(0);
            if constexpr (TWICE)
                multiply_twice(c, made);
            else
                multiply_once(c, made);
            phase_ends(1);
            grid_arrive(arguments.gate);
            if (!grid_await(arguments.gate, ++epoch))
                return;
            phase_ends(2);
            finish_rows(c, made, c + 1 == arguments.width);
            phase_ends(3);
            if (c + 1 < arguments.width && !grid_barrier(arguments.gate, epoch))
                return;
            phase_ends(4);
        }
        if (block == 0 && thread == 0 && arguments.cycles)
            for (int i = 0; i + 1 < BIDIAGONAL_PHASES; i++)
                arguments.cycles[i] += shared.cycles[i];
        /* Copies must not land behind the block's end. */
        UNROLL_BY(1)
        for (int slot = 0; slot < slots && slot < groups; slot++)
            slot_await(shared.slots + slot, parity >> slot & 1);
    }
};

#endif
