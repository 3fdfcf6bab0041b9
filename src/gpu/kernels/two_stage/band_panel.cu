/* QR of a panel of BAND_WIDTH columns by Householder's reflectors, with the triangle T of Q = I - V T V'.
 *
 * A block has chunks of BAND_CHUNK rows, in registers where it has one (band_panel), else in V's memory
 * (band_panel_long). Warp w of a block has columns 4 w to 4 w + 3 of them, so that a column's sum over a
 * chunk stays in one warp. One barrier of the grid a column: the products of the next column with all others,
 * columns of V among them, and the pivot's row are published ahead of it; behind it each warp adds the
 * chunks' products up for itself. They give the column's norm, what the others lose, and T's elements at
 * once. Bits depend on the panel alone. */
#include "gpu/kernels/two_stage/band_reflector.h"

constexpr int PANEL_WARPS = BAND_PANEL_THREADS / WARP, PANEL_COLUMNS = BAND_WIDTH / PANEL_WARPS,
              PANEL_ROWS = BAND_CHUNK / WARP, PANEL_PIVOTS = BAND_WIDTH / WARP;

template <typename R> struct panel_factors {
    band_reflector<R> made;
    R of_v[PANEL_COLUMNS]; /* what a column gets of v */
};

/* LONG: there are more chunks than blocks. */
template <typename R, bool LONG> struct band_panel_work {
    const band_panel_arguments &arguments;
    const int lane, warp, first, rows, chunks, count; /* first: the warp's column; count: of reflectors */
    R *const column, *const gram, *const t, *const tau; /* in shared memory; column: two of BAND_CHUNK rows */
    R element[PANEL_ROWS][PANEL_COLUMNS];

    DEVICE_METHOD band_panel_work(const band_panel_arguments &given)
        : arguments(given), lane((int)thread_index() % WARP), warp((int)thread_index() / WARP),
          first(warp * PANEL_COLUMNS), rows((int)given.rows), chunks((rows + BAND_CHUNK - 1) / BAND_CHUNK),
          count(rows < BAND_WIDTH ? rows : BAND_WIDTH), column(static_cast<R *>(shared_memory())),
          gram(column + 2 * BAND_CHUNK), t(gram + BAND_WIDTH * BAND_T_LD), tau(t + BAND_WIDTH * BAND_T_LD)
    {
    }

    DEVICE_METHOD R *v_element(int row, int k) const
    {
        return static_cast<R *>(arguments.v) + row + k * arguments.v_ld;
    }
    DEVICE_METHOD R *a_element(int row, int k) const
    {
        return static_cast<R *>(arguments.a) + row + k * arguments.ld;
    }
    DEVICE_METHOD R *partials_of(int c, int k) const
    {
        return static_cast<R *>(arguments.partials) + (c % 2 * BAND_WIDTH + k) * arguments.chunks_most;
    }
    DEVICE_METHOD R *pivots_of(int c) const
    {
        return static_cast<R *>(arguments.pivots) + c % 2 * BAND_WIDTH;
    }

    DEVICE_METHOD void load_chunk(int chunk, bool is_first)
    {
        UNROLL
        for (int j = 0; j < PANEL_COLUMNS; j++)
            UNROLL
            for (int i = 0; i < PANEL_ROWS; i++) {
                const int row = chunk * BAND_CHUNK + i * WARP + lane;
                element[i][j] = R(0);
                if (row < rows)
                    element[i][j] =
                        load_partial(is_first ? a_element(row, first + j) : v_element(row, first + j));
            }
    }

    DEVICE_METHOD void keep_chunk(int chunk) const
    {
        UNROLL
        for (int j = 0; j < PANEL_COLUMNS; j++)
            UNROLL
            for (int i = 0; i < PANEL_ROWS; i++) {
                const int row = chunk * BAND_CHUNK + i * WARP + lane;
                if (row < rows)
                    store_partial(v_element(row, first + j), element[i][j]);
            }
    }

    /* Column c of the chunk, for all warps. */
    DEVICE_METHOD void share_column(int c)
    {
        UNROLL
        for (int j = 0; j < PANEL_COLUMNS; j++)
            UNROLL
            for (int i = 0; i < PANEL_ROWS; i++)
                if (first + j == c)
                    column[c % 2 * BAND_CHUNK + i * WARP + lane] = element[i][j];
    }

    /* Products of column c, below its pivot, with each column, and the pivot's row. */
    DEVICE_METHOD void publish(int chunk, int c)
    {
        R sums[PANEL_COLUMNS];
        UNROLL
        for (int j = 0; j < PANEL_COLUMNS; j++)
            sums[j] = R(0);
        UNROLL
        for (int i = 0; i < PANEL_ROWS; i++) {
            const int row = chunk * BAND_CHUNK + i * WARP + lane;
            const R of_column = column[c % 2 * BAND_CHUNK + i * WARP + lane];
            const R value = row > c ? of_column : R(0);
            UNROLL
            for (int j = 0; j < PANEL_COLUMNS; j++) {
                sums[j] = fused(value, element[i][j], sums[j]);
                if (i < PANEL_PIVOTS && row == c)
                    store_partial(pivots_of(c) + first + j, element[i][j]);
            }
        }
        const R sum = warp_sums(sums, lane);
        if (lane < PANEL_COLUMNS)
            store_partial(partials_of(c, first + lane) + chunk, sum);
    }

    DEVICE_METHOD panel_factors<R> factors_of(int c) const
    {
        R sums[PANEL_COLUMNS], squares = R(0), pivots[PANEL_COLUMNS];
        UNROLL
        for (int j = 0; j < PANEL_COLUMNS; j++) {
            sums[j] = R(0);
            pivots[j] = load_partial(pivots_of(c) + first + j);
        }
        const R alpha = load_partial(pivots_of(c) + c);
        UNROLL_BY(2)
        for (int chunk = lane; chunk < chunks; chunk += WARP) {
            squares = squares + load_partial(partials_of(c, c) + chunk);
            UNROLL
            for (int j = 0; j < PANEL_COLUMNS; j++)
                sums[j] = sums[j] + load_partial(partials_of(c, first + j) + chunk);
        }
        const R sum = warp_sums(sums, lane);
        panel_factors<R> factors;
        factors.made = band_reflector_of(alpha, part_sum<WARP>(squares));
        const warp_values<R> sum_of(sum);
        UNROLL
        for (int j = 0; j < PANEL_COLUMNS; j++) {
            const int k = first + j;
            const R with_v = fused(factors.made.scale, sum_of[j], pivots[j]);
            factors.of_v[j] = k > c ? -(factors.made.tau * with_v) : R(0);
            if (block_index() == 0 && lane == 0 && k < c)
                gram[k + c * BAND_T_LD] = with_v;
        }
        if (block_index() == 0 && thread_index() == 0)
            tau[c] = factors.made.tau;
        return factors;
    }

    DEVICE_METHOD void update_chunk(int chunk, int c, const panel_factors<R> &factors)
    {
        UNROLL
        for (int i = 0; i < PANEL_ROWS; i++) {
            const int row = chunk * BAND_CHUNK + i * WARP + lane;
            const R below = factors.made.scale * column[c % 2 * BAND_CHUNK + i * WARP + lane];
            const R v = row > c ? below : row == c ? R(1) : R(0);
            UNROLL
            for (int j = 0; j < PANEL_COLUMNS; j++) {
                element[i][j] = fused(factors.of_v[j], v, element[i][j]);
                if (first + j == c && row >= c)
                    element[i][j] = row > c ? below : factors.made.beta;
            }
        }
    }

    /* Column c is done, and the next one goes ahead. */
    DEVICE_METHOD void advance(int chunk, int c, const panel_factors<R> &factors)
    {
        if (LONG) {
            load_chunk(chunk, false);
            share_column(c);
            block_barrier();
        }
        update_chunk(chunk, c, factors);
        if (c + 1 < count) {
            share_column(c + 1);
            block_barrier();
            publish(chunk, c + 1);
        }
        if (LONG) {
            keep_chunk(chunk);
            block_barrier(); /* the columns may be those of another chunk */
        }
    }

    DEVICE_METHOD void begin()
    {
        UNROLL_BY(1)
        for (int chunk = (int)block_index(); chunk < chunks; chunk += (int)block_count()) {
            load_chunk(chunk, true);
            share_column(0);
            block_barrier();
            publish(chunk, 0);
            if (LONG) {
                keep_chunk(chunk);
                block_barrier();
            }
        }
    }

    DEVICE_METHOD void store_chunk(int chunk)
    {
        UNROLL
        for (int j = 0; j < PANEL_COLUMNS; j++)
            UNROLL
            for (int i = 0; i < PANEL_ROWS; i++) {
                const int row = chunk * BAND_CHUNK + i * WARP + lane, k = first + j;
                if (row >= rows)
                    continue;
                const R v = row > k ? element[i][j] : row == k ? R(1) : R(0);
                store_result(v_element(row, k), v);
                store_result(v_element(row, k + 2 * BAND_WIDTH), v);
                store_result(a_element(row, k), element[i][j]);
            }
    }

    /* Column c of T: tau e(c), and above it -tau T G(c), G(c) the products of v(c) with the columns before.
     * */
    DEVICE_METHOD void store_t() const
    {
        constexpr int EACH = BAND_PANEL_THREADS / BAND_WIDTH;
        const int row = (int)thread_index() / EACH, part = (int)thread_index() % EACH;
        UNROLL_BY(1)
        for (int i = (int)thread_index(); i < BAND_WIDTH * BAND_T_LD; i += BAND_PANEL_THREADS)
            t[i] = R(0);
        block_barrier();
        UNROLL_BY(1)
        for (int c = 0; c < count; c++) {
            R sum = R(0);
            UNROLL_BY(4)
            for (int k = part; k < c; k += EACH)
                sum = fused(t[row + k * BAND_T_LD], gram[k + c * BAND_T_LD], sum);
            sum = part_sum<EACH>(sum);
            if (part == 0 && row <= c)
                t[row + c * BAND_T_LD] = row < c ? -tau[c] * sum : tau[c];
            block_barrier();
        }
        UNROLL_BY(1)
        for (int i = (int)thread_index(); i < BAND_WIDTH * BAND_WIDTH; i += BAND_PANEL_THREADS)
            store_result(static_cast<R *>(arguments.t) + i, t[i % BAND_WIDTH + i / BAND_WIDTH * BAND_T_LD]);
    }

    DEVICE_METHOD void run()
    {
        unsigned epoch = 0;
        begin();
        UNROLL_BY(1)
        for (int c = 0; c < count; c++) {
            if (!grid_barrier(arguments.gate, epoch))
                return;
            const panel_factors<R> factors = factors_of(c);
            UNROLL_BY(1)
            for (int chunk = (int)block_index(); chunk < chunks; chunk += (int)block_count())
                advance(chunk, c, factors);
        }
        UNROLL_BY(1)
        for (int chunk = (int)block_index(); chunk < chunks; chunk += (int)block_count()) {
            if (LONG)
                load_chunk(chunk, false);
            store_chunk(chunk);
        }
        block_barrier();
        if (block_index() == 0)
            store_t();
    }
};

#define BAND_PANEL_KERNEL(name, type, is_long)                         \
    KERNEL_FUNCTION name(const struct band_panel_arguments arguments)  \
    {                                                                  \
        band_panel_work<type, is_long>(arguments).run();               \
    }
BAND_PANEL_KERNEL(ssyband_panel, float, false)
BAND_PANEL_KERNEL(dsyband_panel, double, false)
BAND_PANEL_KERNEL(ssyband_panel_long, float, true)
BAND_PANEL_KERNEL(dsyband_panel_long, double, true)
