/* tridiagonal_panel.h - the work of a block on a panel (tridiagonal_panel.cu): what it has at hand, its runs
 * of tiles, the reflector. */
#ifndef MUBLAS_TRIDIAGONAL_PANEL_H
#define MUBLAS_TRIDIAGONAL_PANEL_H

#include "gpu/kernels/triangle_cut.h"

constexpr int SEGMENT = TRIDIAGONAL_SEGMENT, PANEL = TRIDIAGONAL_PANEL, PARTS = TRIDIAGONAL_PARTS;
constexpr int CHUNK = WARP; /* rows */
constexpr int PANEL_EACH = PANEL / BLOCK_WARPS; /* columns of V and W that a warp multiplies by */

/* A warp has a tile's column by two elements a thread: neighbours, or 32 apart where one fills 16 bytes. */
template <typename T> constexpr int row_apart = sizeof(T) == 16 ? WARP : 1;
template <typename T> DEVICE_FUNCTION int first_row(int lane) { return sizeof(T) == 16 ? lane : 2 * lane; }
DEVICE_FUNCTION void load_rows(const float *from, float (&rows)[2]) { load_two(from, rows); }
template <typename T> DEVICE_FUNCTION void load_rows(const T *from, T (&rows)[2])
{
    load_wide(from, rows);
    if constexpr (sizeof(T) == 16)
        load_wide(from + WARP, rows + 1);
}

template <typename T, int GROUP> struct column_group {
    T element[GROUP][2];
};
template <typename T, int GROUP>
DEVICE_FUNCTION void request(column_group<T, GROUP> &group, const T *from, int64_t ld)
{
    UNROLL
    for (int j = 0; j < GROUP; j++)
        load_rows(from + j * ld, group.element[j]);
}

/* In shared memory. */
template <typename T> struct panel_memory {
    using R = real_of<T>;
    T *sums, *next_sums;                /* WARP rows of each warp: of w0, and of the next column */
    T *with_v, *with_w;                 /* -W'u and -V'u: what V and W are multiplied by */
    T *pivot_v, *pivot_w;               /* -conj of row c + 1 of V and W */
    T *products, *pivots;               /* one of each warp */
    R *squares, *raised, *forms, *whole_forms;
};

template <typename T> DEVICE_FUNCTION panel_memory<T> panel_memory_layout()
{
    using R = real_of<T>;
    panel_memory<T> memory;
    memory.sums = static_cast<T *>(shared_memory());
    memory.next_sums = memory.sums + BLOCK_WARPS * WARP;
    memory.with_v = memory.next_sums + BLOCK_WARPS * WARP;
    memory.with_w = memory.with_v + PANEL;
    memory.pivot_v = memory.with_w + PANEL;
    memory.pivot_w = memory.pivot_v + PANEL;
    memory.products = memory.pivot_w + PANEL;
    memory.pivots = memory.products + BLOCK_WARPS;
    memory.squares = reinterpret_cast<R *>(memory.pivots + BLOCK_WARPS);
    memory.raised = memory.squares + BLOCK_WARPS;
    memory.forms = memory.raised + BLOCK_WARPS;
    memory.whole_forms = memory.forms + BLOCK_WARPS;
    return memory;
}

template <typename T, int GROUP> struct panel_work {
    using R = real_of<T>;
    const tridiagonal_panel_arguments &arguments;
    const panel_memory<T> memory;
    const triangle_cut<GROUP> cut;
    const int thread, lane, warp, rows, order; /* rows: of the padded order; both from the corner on */
    const T *const a;
    T *const v, *const w, *const column, *const row_sums, *const column_sums, *const products;
    R *const norms, *const squares;
    const int64_t ld;
    /* The warp's run, and the elements that it has requested. */
    int64_t begin, end;
    int run, begin_row, begin_group;
    column_group<T, GROUP> group;

    DEVICE_METHOD panel_work(const tridiagonal_panel_arguments &given)
        : arguments(given), memory(panel_memory_layout<T>()),
          cut(triangle_cut_of<GROUP>((int)(given.padded_order - given.first) / SEGMENT)),
          thread((int)thread_index()), lane(thread % WARP), warp(thread / WARP),
          rows((int)(given.padded_order - given.first)), order((int)(given.order - given.first)),
          a(static_cast<const T *>(given.a) + given.first * (given.ld + 1)),
          v(static_cast<T *>(given.v) + given.first), w(static_cast<T *>(given.w) + given.first),
          column(static_cast<T *>(given.column) + given.first), row_sums(static_cast<T *>(given.row_sums)),
          column_sums(static_cast<T *>(given.column_sums)), products(static_cast<T *>(given.products)),
          norms(static_cast<R *>(given.norms)), squares(static_cast<R *>(given.squares)), ld(given.ld),
          begin(0), end(0), run(0), begin_row(0), begin_group(0)
    {
    }

    DEVICE_METHOD T *panel_column(T *panel, int number) const
    {
        return panel + number * arguments.padded_order;
    }
    DEVICE_METHOD void request_group(int row, int number)
    {
        request(group, a + (int64_t)row * SEGMENT + first_row<T>(lane) + (int64_t)number * GROUP * ld, ld);
    }

    DEVICE_METHOD void start_run(int part)
    {
        run = part * BLOCK_WARPS + warp;
        begin = end = 0;
        if (part >= PARTS || run >= cut.runs)
            return;
        begin = cut.run_begin(run);
        end = cut.run_begin(run + 1);
        begin_row = cut.row_of(begin);
        begin_group = (int)(begin - cut.row_begin(begin_row));
        request_group(begin_row, begin_group);
    }

    /* u of the present column c. */
    DEVICE_METHOD T u_of(const reflector<T> &made, int c, int row, const T &value) const
    {
        return made.identity || row <= c ? T{} : row == c + 1 ? made.first : scaled(made.power, value);
    }
    DEVICE_METHOD T u_at(const reflector<T> &made, int c, int row) const
    {
        return u_of(made, c, row, load_partial(column + row));
    }

    /* The panel's first column, as it is in A. */
    DEVICE_METHOD void first_column()
    {
        UNROLL_BY(1)
        for (int chunk = (int)block_index() * BLOCK_WARPS + warp; chunk < rows / CHUNK;
             chunk += (int)block_count() * BLOCK_WARPS) {
            const int row = chunk * CHUNK + lane;
            const T value = load(a + row);
            store_partial(column + row, value);
            if (row == 0)
                store_diagonal(arguments.result, arguments.first, value);
            const R square = part_sum<WARP>(row > 1 ? real_product_added(value, value, R(0)) : R(0));
            if (lane == 0)
                store_partial(norms + chunk, square);
        }
    }

    DEVICE_METHOD reflector<T> make_reflector(int c) const
    {
        R sum = 0;
        UNROLL_BY(1)
        for (int chunk = (c + 1) / CHUNK + thread; chunk < rows / CHUNK; chunk += BLOCK_THREADS)
            sum = sum + load_partial(norms + chunk);
        const T alpha = load_partial(column + c + 1);
        return reflector_of(alpha, block_sum(sum, memory.squares), [&](R up) {
            R raised = 0;
            UNROLL_BY(1)
            for (int row = c + 2 + thread; row < order; row += BLOCK_THREADS) {
                const T value = scaled(up, load_partial(column + row));
                raised = real_product_added(value, value, raised);
            }
            return block_sum(raised, memory.raised);
        });
    }

    /* tridiagonal_panel_products.h: before the first barrier of a column. */
    DEVICE_METHOD T product_with_panel(int part, const reflector<T> &made, int c);
    DEVICE_METHOD T multiply_group(const column_group<T, GROUP> &now, const T &u_column, const T (&u_row)[2],
                                   T (&y)[2], bool on_diagonal, int first_column, int row) const;
    DEVICE_METHOD R multiply_run(const reflector<T> &made, int c);
    DEVICE_METHOD void multiply_part(int part, const reflector<T> &made, int c);

    /* tridiagonal_panel.cu: before the second, and all. */
    /* The pieces that a row's element of A u is made of. */
    struct pieces {
        int of_rows, of_columns;
        const T *row_piece, *column_piece;
    };
    DEVICE_METHOD pieces pieces_of(int row) const;
    template <int COUNT>
    DEVICE_METHOD T sum_of(T sum, const T *piece, int64_t apart, int first, int step, int count) const;
    DEVICE_METHOD T pieces_sum(const pieces &of, int first, int step) const;
    /* The whole block computes what all blocks need: w at row c + 1, and the factors. A barrier in it. */
    struct pivot {
        update_factors<T> factors;
        T w;
    };
    DEVICE_METHOD pivot pivot_of(int c, const T &tau, const T &scale, const pieces &of);
    DEVICE_METHOD T sum_of_warps(const T *sums) const;
    DEVICE_METHOD void finish_chunk(int chunk, int c, const reflector<T> &made, const T &scale,
                                    const pivot &at, const T &u, const T &old);
    DEVICE_METHOD void update_chunks(int c, const reflector<T> &made, const T &tau, const T &scale,
                                     const pieces &of_pivot, pieces of_row);
    DEVICE_METHOD void run_panel();
};

#endif
