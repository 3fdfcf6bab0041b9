/* A band matrix becomes tridiagonal by bulge chasing, in pipelined sweeps.
 *
 * Sweep s makes column s tridiagonal by a reflector of rows s + 1 to s + BAND_WIDTH. Its step i has the
 * reflector of the rows J(i) from s + 1 + i BAND_WIDTH on: it applies it to the diagonal block of these rows
 * from both sides, and from the right to the block below, in which that fills a triangle in. The next
 * reflector clears the first column of that triangle, is applied to the block from the left, and goes on to
 * the next step. The rest of the triangle stays for the next sweep, whose blocks lie one row further down.
 *
 * A block of threads has a sweep at a time. Step i of a sweep needs step i + 1 of the sweep before, so that
 * sweeps follow each other two steps apart. Both blocks of a step are in registers: a thread has two rows and
 * eight columns of each, so that sums along columns stay in a warp; sums along rows go through shared memory.
 * Blocks of threads hold no state between sweeps, and bits do not depend on how many there are. */
#include "gpu/kernels/two_stage/band_reflector.h"

constexpr int CHASE_COLUMNS = BAND_WIDTH / BAND_CHASE_WARPS, CHASE_HALVES = BAND_WIDTH / WARP;

template <typename R> struct band_chase_work {
    const band_chase_arguments &arguments;
    const int lane, warp, first, order; /* first: the warp's column of a block */
    R *const lower_sums, *const below_sums, *const column_sums; /* in shared memory; [warp][row], [column] */
    R *const vectors, *const taus;                              /* of a step and of the next, by turns */
    R lower[CHASE_HALVES][CHASE_COLUMNS], below[CHASE_HALVES][CHASE_COLUMNS];

    DEVICE_METHOD band_chase_work(const band_chase_arguments &given)
        : arguments(given), lane((int)thread_index() % WARP), warp((int)thread_index() / WARP),
          first(warp * CHASE_COLUMNS), order((int)given.order), lower_sums(static_cast<R *>(shared_memory())),
          below_sums(lower_sums + BAND_CHASE_WARPS * BAND_WIDTH),
          column_sums(below_sums + BAND_CHASE_WARPS * BAND_WIDTH), vectors(column_sums + BAND_WIDTH),
          taus(vectors + 2 * BAND_WIDTH)
    {
    }

    /* Row r of column c, r from c on. */
    DEVICE_METHOD R *element(int r, int c) const
    {
        return static_cast<R *>(arguments.band) + (int64_t)c * (BAND_STORED - 1) + r;
    }

    /* Zero where it is not there. The load is none that a branch goes around: all are under way at once. */
    DEVICE_METHOD R element_or_zero(bool is_there, int r, int c) const
    {
        const R value = load_partial(is_there ? element(r, c) : element(0, 0));
        return is_there ? value : R(0);
    }

    DEVICE_METHOD void load_blocks(int begin)
    {
        UNROLL
        for (int j = 0; j < CHASE_COLUMNS; j++)
            UNROLL
            for (int h = 0; h < CHASE_HALVES; h++) {
                const int place = lane + h * WARP, row = begin + place, column = begin + first + j;
                below[h][j] = element_or_zero(row + BAND_WIDTH < order, row + BAND_WIDTH, column);
                lower[h][j] = element_or_zero(place >= first + j && row < order, row, column);
            }
    }

    DEVICE_METHOD void store_lower(int begin) const
    {
        UNROLL
        for (int j = 0; j < CHASE_COLUMNS; j++)
            UNROLL
            for (int h = 0; h < CHASE_HALVES; h++) {
                const int place = lane + h * WARP, row = begin + place;
                if (place >= first + j && row < order)
                    store_partial(element(row, begin + first + j), lower[h][j]);
            }
    }

    DEVICE_METHOD void store_below(int begin) const
    {
        UNROLL
        for (int j = 0; j < CHASE_COLUMNS; j++)
            UNROLL
            for (int h = 0; h < CHASE_HALVES; h++) {
                const int row = begin + BAND_WIDTH + lane + h * WARP;
                if (row < order)
                    store_partial(element(row, begin + first + j), below[h][j]);
            }
    }

    /* One warp makes the reflector of a column of BAND_WIDTH rows, which becomes beta e1. */
    DEVICE_METHOD void make_reflector(R (&column)[CHASE_HALVES], int turn)
    {
        const R alpha = warp_value(column[0], 0);
        R squares = lane > 0 ? column[0] * column[0] : R(0);
        UNROLL
        for (int h = 1; h < CHASE_HALVES; h++)
            squares = fused(column[h], column[h], squares);
        const band_reflector<R> made = band_reflector_of(alpha, part_sum<WARP>(squares));
        UNROLL
        for (int h = 0; h < CHASE_HALVES; h++) {
            const bool is_first = h == 0 && lane == 0;
            vectors[turn * BAND_WIDTH + lane + h * WARP] = is_first ? R(1) : made.scale * column[h];
            column[h] = is_first ? made.beta : R(0);
        }
        if (lane == 0)
            taus[turn] = made.tau;
    }

    /* Makes the reflector of the first column of the block below. */
    DEVICE_METHOD void make_next_reflector(int turn)
    {
        R column[CHASE_HALVES];
        UNROLL
        for (int h = 0; h < CHASE_HALVES; h++)
            column[h] = below[h][0];
        make_reflector(column, turn);
        UNROLL
        for (int h = 0; h < CHASE_HALVES; h++)
            below[h][0] = column[h];
    }

    DEVICE_METHOD void begin_sweep(int sweep)
    {
        if (warp != 0)
            return;
        R column[CHASE_HALVES];
        UNROLL
        for (int h = 0; h < CHASE_HALVES; h++) {
            const int row = sweep + 1 + lane + h * WARP;
            column[h] = element_or_zero(row < order, row, sweep);
        }
        make_reflector(column, 0);
        if (lane == 0)
            store_partial(element(sweep + 1, sweep), column[0]);
    }

    /* Products of both blocks with v: the warp's share of rows' sums, and columns' sums of what is below the
     * diagonal. */
    DEVICE_METHOD void multiply(const R *v)
    {
        R of_columns[CHASE_COLUMNS], column_v[CHASE_COLUMNS];
        UNROLL
        for (int j = 0; j < CHASE_COLUMNS; j++) {
            of_columns[j] = R(0);
            column_v[j] = v[first + j];
        }
        UNROLL
        for (int h = 0; h < CHASE_HALVES; h++) {
            const R row_v = v[lane + h * WARP];
            R of_lower = R(0), of_below = R(0);
            UNROLL
            for (int j = 0; j < CHASE_COLUMNS; j++) {
                of_lower = fused(lower[h][j], column_v[j], of_lower);
                of_below = fused(below[h][j], column_v[j], of_below);
                if (lane + h * WARP > first + j)
                    of_columns[j] = fused(lower[h][j], row_v, of_columns[j]);
            }
            lower_sums[warp * BAND_WIDTH + h * WARP + lane] = of_lower;
            below_sums[warp * BAND_WIDTH + h * WARP + lane] = of_below;
        }
        const R sum = warp_sums(of_columns, lane);
        if (lane < CHASE_COLUMNS)
            column_sums[first + lane] = sum;
    }

    DEVICE_METHOD R sum_of_warps(const R *sums, int row) const
    {
        R sum = R(0);
        UNROLL
        for (int i = 0; i < BAND_CHASE_WARPS; i++)
            sum = sum + sums[i * BAND_WIDTH + row];
        return sum;
    }

    /* The block below from the right. */
    DEVICE_METHOD void apply_below(R tau, const R *v)
    {
        UNROLL
        for (int h = 0; h < CHASE_HALVES; h++) {
            const R of_v = -(tau * sum_of_warps(below_sums, lane + h * WARP));
            UNROLL
            for (int j = 0; j < CHASE_COLUMNS; j++)
                below[h][j] = fused(of_v, v[first + j], below[h][j]);
        }
    }

    /* The diagonal block from both sides. */
    DEVICE_METHOD void apply_lower(R tau, const R *v)
    {
        R w[CHASE_HALVES], row_v[CHASE_HALVES], with_v = R(0);
        UNROLL
        for (int h = 0; h < CHASE_HALVES; h++) {
            row_v[h] = v[lane + h * WARP];
            w[h] = sum_of_warps(lower_sums, lane + h * WARP) + column_sums[lane + h * WARP];
            with_v = fused(w[h], row_v[h], with_v);
        }
        const R of_v = R(-0.5) * (tau * (tau * part_sum<WARP>(with_v)));
        UNROLL
        for (int h = 0; h < CHASE_HALVES; h++)
            w[h] = fused(tau, w[h], of_v * row_v[h]);
        UNROLL
        for (int j = 0; j < CHASE_COLUMNS; j++) {
            const int column = first + j;
            R column_w = w[0];
            UNROLL
            for (int h = 1; h < CHASE_HALVES; h++)
                column_w = choose(column / WARP == h, w[h], column_w);
            column_w = warp_value(column_w, column % WARP);
            UNROLL
            for (int h = 0; h < CHASE_HALVES; h++)
                lower[h][j] = fused(-row_v[h], column_w, fused(-w[h], v[column], lower[h][j]));
        }
    }

    /* The block below from the left, but for its first column, which is done. */
    DEVICE_METHOD void apply_next(R tau, const R *v)
    {
        R row_v[CHASE_HALVES], sums[CHASE_COLUMNS];
        UNROLL
        for (int h = 0; h < CHASE_HALVES; h++)
            row_v[h] = v[lane + h * WARP];
        UNROLL
        for (int j = 0; j < CHASE_COLUMNS; j++) {
            sums[j] = R(0);
            UNROLL
            for (int h = 0; h < CHASE_HALVES; h++)
                sums[j] = fused(below[h][j], row_v[h], sums[j]);
        }
        const warp_values<R> all(-(tau * warp_sums(sums, lane)));
        UNROLL
        for (int j = 0; j < CHASE_COLUMNS; j++) {
            const R of_v = all[j];
            if (first + j == 0)
                continue;
            UNROLL
            for (int h = 0; h < CHASE_HALVES; h++)
                below[h][j] = fused(of_v, row_v[h], below[h][j]);
        }
    }

    DEVICE_METHOD void keep_reflector(int sweep, int step, int turn) const
    {
        const int64_t number = sweep * arguments.kept.steps_most + step;
        if (!arguments.kept.vectors || thread_index() >= BAND_WIDTH)
            return;
        store_result(static_cast<double *>(arguments.kept.vectors) + number * BAND_WIDTH + thread_index(),
                     (double)vectors[turn * BAND_WIDTH + thread_index()]);
        if (thread_index() == 0)
            store_result(static_cast<double *>(arguments.kept.taus) + number, (double)taus[turn]);
    }

    DEVICE_METHOD void step(int begin, int turn)
    {
        const R *const v = vectors + turn * BAND_WIDTH;
        load_blocks(begin);
        multiply(v);
        block_barrier();
        const R tau = taus[turn];
        apply_below(tau, v);
        if (warp == 0)
            make_next_reflector(1 - turn);
        else
            apply_lower(tau, v); /* meanwhile */
        block_barrier();
        apply_next(taus[1 - turn], vectors + (1 - turn) * BAND_WIDTH);
        store_below(begin);
        if (warp == 0)
            apply_lower(tau, v);
        store_lower(begin);
    }

    /* The steps of a sweep, one or more: the last has two rows at least. */
    DEVICE_METHOD int steps_of(int sweep) const { return (order - 3 - sweep) / BAND_WIDTH + 1; }

    DEVICE_METHOD bool run_sweep(int sweep)
    {
        const int steps = steps_of(sweep), steps_before = sweep > 0 ? steps_of(sweep - 1) : 0;
        UNROLL_BY(1)
        for (int i = 0; i < steps; i++) {
            const int needed = i + 2 < steps_before ? i + 2 : steps_before;
            if (sweep > 0 &&
                !counter_reaches(arguments.gate, arguments.progress + sweep - 1, (unsigned)needed))
                return false;
            if (i == 0) {
                begin_sweep(sweep);
                block_barrier();
            }
            keep_reflector(sweep, i, i % 2);
            step(sweep + 1 + i * BAND_WIDTH, i % 2);
            counter_publish(arguments.progress + sweep, (unsigned)i + 1);
        }
        return true;
    }

    DEVICE_METHOD void run()
    {
        UNROLL_BY(1)
        for (int sweep = (int)block_index(); sweep < order - 2; sweep += (int)block_count())
            if (!run_sweep(sweep))
                return;
    }
};

#define BAND_CHASE_KERNEL(name, type)                                 \
    KERNEL_FUNCTION name(const struct band_chase_arguments arguments) \
    {                                                                 \
        band_chase_work<type>(arguments).run();                       \
    }
BAND_CHASE_KERNEL(sband_chase, float)
BAND_CHASE_KERNEL(dband_chase, double)
