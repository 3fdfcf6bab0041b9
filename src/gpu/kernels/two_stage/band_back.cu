/* C = Q C for the reflectors of bulge chasing: eigenvectors of the tridiagonal matrix become those of the
 * band matrix. In double precision, whatever C is stored in.
 *
 * Groups of BAND_WIDTH sweeps, the last first. The reflectors of a group's step i have rows of a window of
 * two times BAND_WIDTH; from step to step it goes BAND_WIDTH rows down. Within a step the sweeps go
 * backwards: a reflector meets those of later sweeps in its own step and the step before alone, which are
 * done by then. So C is read and written once for each group, and a step is I - V T V'.
 *
 * band_triangles makes T of each group and step, in the slots of `kept` that no sweep reaches.
 *
 * In band_back a warp has BAND_BACK_COLUMNS columns of C for good, as rows of tiles of C' in registers. What
 * a product leaves in them is what the next one takes as its left operand; V and T, the right ones, are in
 * shared memory, the next step's on their way meanwhile. Columns do not depend on each other, so neither do
 * bits on how many there are. */
#include "gpu/kernels/tile_ops.h"
#include "gpu/kernels/two_stage/band_reflector.h"

constexpr int BACK_TILES = BAND_WIDTH / TILE, WINDOW_TILES = 2 * BACK_TILES;

/* Sweep s has steps as band_chase.cu has them; none: it does nothing. */
DEVICE_FUNCTION int back_steps_of(int order, int sweep)
{
    return sweep < order - 2 ? (order - 3 - sweep) / BAND_WIDTH + 1 : 0;
}

/* V of sweep `at` of a group; T's row of this number. */
DEVICE_FUNCTION double *kept_vector(const band_reflectors &kept, int group, int step, int at)
{
    return static_cast<double *>(kept.vectors) +
           ((int64_t)(group * BAND_WIDTH + at) * kept.steps_most + step) * BAND_WIDTH;
}
DEVICE_FUNCTION double *kept_triangle_row(const band_reflectors &kept, int group, int step, int row)
{
    return kept_vector(kept, (int)kept.steps_most - group, (int)kept.steps_most - 1 - step, row);
}

/* A block for a group and a step, a thread for each row. */
struct band_triangle_work {
    const band_reflectors &kept;
    const int order, group, step, row;
    double *const vectors, *const products, *const taus; /* [sweep][element], [later][earlier sweep] */

    DEVICE_METHOD band_triangle_work(const band_triangles_arguments &given)
        : kept(given.kept), order((int)given.order), group((int)(block_index() / kept.steps_most)),
          step((int)(block_index() % kept.steps_most)), row((int)thread_index()),
          vectors(static_cast<double *>(shared_memory())), products(vectors + BAND_WIDTH * BAND_T_LD),
          taus(products + BAND_WIDTH * BAND_T_LD)
    {
    }

    DEVICE_METHOD bool has_step(int at) const { return step < back_steps_of(order, group * BAND_WIDTH + at); }

    DEVICE_METHOD void load_reflectors() const
    {
        UNROLL_BY(4)
        for (int at = 0; at < BAND_WIDTH; at++)
            vectors[at * BAND_T_LD + row] =
                has_step(at) ? load_result(kept_vector(kept, group, step, at) + row) : 0;
        const int64_t sweep = group * BAND_WIDTH + row;
        taus[row] = has_step(row)
                        ? load_result(static_cast<const double *>(kept.taus) + sweep * kept.steps_most + step)
                        : 0;
    }

    /* Of the row's reflector with later ones. */
    DEVICE_METHOD void multiply() const
    {
        UNROLL_BY(1)
        for (int later = row + 1; later < BAND_WIDTH; later++) {
            const int apart = later - row;
            double sum = 0;
            UNROLL_BY(4)
            for (int i = 0; i < BAND_WIDTH - apart; i++)
                sum = fused(vectors[later * BAND_T_LD + i], vectors[row * BAND_T_LD + i + apart], sum);
            products[later * BAND_T_LD + row] = sum;
        }
    }

    /* The row of T, one column after the other, into V's place: [column][row]. */
    DEVICE_METHOD void make_row() const
    {
        UNROLL_BY(1)
        for (int column = 0; column < BAND_WIDTH; column++) {
            double sum = column == row ? -1 : 0;
            UNROLL_BY(4)
            for (int k = row; k < column; k++)
                sum = fused(vectors[k * BAND_T_LD + row], products[column * BAND_T_LD + k], sum);
            vectors[column * BAND_T_LD + row] = -taus[column] * sum;
        }
    }

    DEVICE_METHOD void store_triangle() const
    {
        UNROLL_BY(4)
        for (int at = 0; at < BAND_WIDTH; at++)
            store_result(kept_triangle_row(kept, group, step, at) + row, vectors[row * BAND_T_LD + at]);
    }

    DEVICE_METHOD void run() const
    {
        if (!has_step(0))
            return;
        load_reflectors();
        block_barrier();
        multiply();
        block_barrier();
        make_row();
        block_barrier();
        store_triangle();
    }
};

KERNEL_FUNCTION band_triangles(const struct band_triangles_arguments arguments)
{
    band_triangle_work(arguments).run();
}

/* An operand in shared memory, 64 x 64: row a's element i is at a place that no thread of the same load
 * shares a bank with, whether a warp reads along rows or along columns. */
DEVICE_FUNCTION int back_swizzle(int a) { return (a & 4) | ((a ^ a >> 1) & 1) << 3; }

template <typename R> struct band_back_work {
    const band_back_arguments &arguments;
    const int order, pair, line; /* the thread's two elements of a tile's row, and that row */
    const int64_t first_column;
    double *const stages; /* each V and T */
    double window[WINDOW_TILES][2][TILE_PARTS], sums[BACK_TILES][2][TILE_PARTS];

    DEVICE_METHOD band_back_work(const band_back_arguments &given)
        : arguments(given), order((int)given.order), pair(TILE_PARTS * ((int)thread_index() % 4)),
          line((int)thread_index() % WARP / 4),
          first_column(((int64_t)block_index() * (thread_count() / WARP) + thread_index() / WARP) *
                           BAND_BACK_COLUMNS +
                       line),
          stages(static_cast<double *>(shared_memory()))
    {
    }

    DEVICE_METHOD R *element(int row, int side) const
    {
        return static_cast<R *>(arguments.c) + row + (first_column + side * TILE) * arguments.ld;
    }

    DEVICE_METHOD bool is_there(int row, int side) const
    {
        return row < order && first_column + side * TILE < arguments.columns;
    }

    DEVICE_METHOD void load_half(int half, int begin)
    {
        UNROLL
        for (int r = 0; r < BACK_TILES; r++)
            UNROLL
            for (int side = 0; side < 2; side++)
                UNROLL
                for (int t = 0; t < TILE_PARTS; t++) {
                    const int row = begin + r * TILE + pair + t;
                    window[half * BACK_TILES + r][side][t] =
                        is_there(row, side) ? (double)load_partial(element(row, side)) : 0;
                }
    }

    DEVICE_METHOD void store_first_half(int begin) const
    {
        UNROLL
        for (int r = 0; r < BACK_TILES; r++)
            UNROLL
            for (int side = 0; side < 2; side++)
                UNROLL
                for (int t = 0; t < TILE_PARTS; t++) {
                    const int row = begin + r * TILE + pair + t;
                    if (is_there(row, side))
                        store_result(element(row, side), (R)window[r][side][t]);
                }
    }

    DEVICE_METHOD void move_up()
    {
        UNROLL
        for (int r = 0; r < BACK_TILES; r++)
            UNROLL
            for (int side = 0; side < 2; side++)
                UNROLL
                for (int t = 0; t < TILE_PARTS; t++)
                    window[r][side][t] = window[BACK_TILES + r][side][t];
    }

    /* A row of V lies at its rows of the window modulo 64. */
    DEVICE_METHOD void copy_operands(int group, int step, int stage) const
    {
        double *const v = stages + stage * BAND_BACK_STAGE, *const triangle = v + BAND_WIDTH * BAND_WIDTH;
        const int lane = (int)thread_index() % WARP;
        UNROLL_BY(2)
        for (int at = (int)thread_index() / WARP; at < BAND_WIDTH; at += (int)thread_count() / WARP) {
            const bool has = step < back_steps_of(order, group * BAND_WIDTH + at);
            const double *const from = kept_vector(arguments.kept, group, step, at);
            const double *const row = kept_triangle_row(arguments.kept, group, step, at);
            UNROLL
            for (int i = lane; i < BAND_WIDTH; i += WARP) {
                copy_begin(v + at * BAND_WIDTH + ((at + i) % BAND_WIDTH ^ back_swizzle(at)), from + i, has);
                if (i >= at / TILE * TILE)
                    copy_begin(triangle + at * BAND_WIDTH + (i ^ back_swizzle(at)), row + i, true);
            }
        }
    }

    /* Rows 8 a and columns 8 b on of an operand, of which a thread has two elements of a row. */
    DEVICE_METHOD void load_along_rows(const double *operand, int a, int b, double (&tile)[TILE_PARTS]) const
    {
        const double *const from =
            operand + (a * TILE + line) * BAND_WIDTH + ((b * TILE + pair) ^ back_swizzle(line));
        load_two_shared(from, tile);
    }

    /* The same of the transposed operand. */
    DEVICE_METHOD void load_along_columns(const double *operand, int a, int b, double (&tile)[TILE_PARTS]) const
    {
        UNROLL
        for (int t = 0; t < TILE_PARTS; t++)
            tile[t] = operand[(a * TILE + pair + t) * BAND_WIDTH + ((b * TILE + line) ^ back_swizzle(pair + t))];
    }

    /* W' = C' V: a row of tiles of V has those of its sweeps that have begun, and of the second half those
     * that have not ended. */
    DEVICE_METHOD void multiply_window(const double *v)
    {
        UNROLL
        for (int a = 0; a < BACK_TILES; a++)
            UNROLL
            for (int side = 0; side < 2; side++)
                sums[a][side][0] = sums[a][side][1] = 0;
        UNROLL
        for (int r = 0; r < WINDOW_TILES; r++)
            UNROLL
            for (int a = 0; a < BACK_TILES; a++) {
                if (r < a || r > a + BACK_TILES)
                    continue;
                double tile[TILE_PARTS];
                load_along_rows(v, a, r % BACK_TILES, tile);
                UNROLL
                for (int t = 0; t < TILE_PARTS; t++)
                    if (r % BACK_TILES == a && (r == a) != (pair + t >= line))
                        tile[t] = 0;
                tiles_multiply(sums[a], window[r], tile);
            }
    }

    /* C' -= W' T' V', by tiles of the sweeps. */
    DEVICE_METHOD void update_window(const double *v, const double *triangle)
    {
        UNROLL
        for (int a = 0; a < BACK_TILES; a++) {
            double share[2][TILE_PARTS] = {};
            UNROLL
            for (int b = 0; b < BACK_TILES; b++) {
                if (b < a)
                    continue;
                double tile[TILE_PARTS];
                load_along_rows(triangle, a, b, tile);
                tiles_multiply(share, sums[b], tile);
            }
            UNROLL
            for (int side = 0; side < 2; side++)
                UNROLL
                for (int t = 0; t < TILE_PARTS; t++)
                    share[side][t] = -share[side][t];
            UNROLL
            for (int r = 0; r < WINDOW_TILES; r++) {
                if (r < a || r > a + BACK_TILES)
                    continue;
                double tile[TILE_PARTS];
                load_along_columns(v, a, r % BACK_TILES, tile);
                UNROLL
                for (int t = 0; t < TILE_PARTS; t++)
                    if (r % BACK_TILES == a && (r == a) != (line >= pair + t))
                        tile[t] = 0;
                tiles_multiply(window[r], share, tile);
            }
        }
    }

    DEVICE_METHOD void await_operands(int group, int step, int stage) const
    {
        if (arguments.stages == 1) {
            block_barrier();
            copy_operands(group, step, 0);
        }
        copies_await();
        block_barrier();
        if (arguments.stages == 1)
            return;
        if (step + 1 < back_steps_of(order, group * BAND_WIDTH))
            copy_operands(group, step + 1, 1 - stage);
        else if (group > 0)
            copy_operands(group - 1, 0, 1 - stage);
    }

    DEVICE_METHOD void run()
    {
        const int last = (order - 3) / BAND_WIDTH;
        int stage = 0;
        if (arguments.stages > 1)
            copy_operands(last, 0, 0);
        UNROLL_BY(1)
        for (int group = last; group >= 0; group--) {
            const int steps = back_steps_of(order, group * BAND_WIDTH);
            int begin = group * BAND_WIDTH + 1;
            load_half(0, begin);
            UNROLL_BY(1)
            for (int step = 0; step < steps; step++, begin += BAND_WIDTH) {
                load_half(1, begin + BAND_WIDTH);
                await_operands(group, step, stage);
                const double *const v = stages + stage * BAND_BACK_STAGE;
                multiply_window(v);
                update_window(v, v + BAND_WIDTH * BAND_WIDTH);
                store_first_half(begin);
                move_up();
                stage = arguments.stages > 1 ? 1 - stage : 0;
            }
            store_first_half(begin);
        }
    }
};

#define BAND_BACK_KERNEL(name, type)                                                     \
    KERNEL_FUNCTION_OF(BAND_BACK_THREADS) name(const struct band_back_arguments arguments) \
    {                                                                                    \
        band_back_work<type>(arguments).run();                                           \
    }
BAND_BACK_KERNEL(sband_back, float)
BAND_BACK_KERNEL(dband_back, double)
