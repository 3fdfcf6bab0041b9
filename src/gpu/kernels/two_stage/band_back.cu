/* C = Q C for the reflectors of bulge chasing: eigenvectors of the tridiagonal matrix become those of the
 * band matrix. In double precision, whatever C is stored in.
 *
 * Groups of BAND_WIDTH sweeps, the last first. The reflectors of a group's step i have rows of a window of
 * two times BAND_WIDTH; from step to step it goes BAND_WIDTH rows down. Within a step the sweeps go
 * backwards: a reflector meets those of later sweeps in its own step and the step before alone, which are
 * done by then. So C is read and written once for each group, and a step is I - V T V'.
 *
 * Two warps have BAND_BACK_COLUMNS columns of C for good, each half of the window as rows of tiles of C' in
 * registers. A product leaves in them the left operand of the next one; V and T, the right
 * ones, are in shared memory, the next step's on their way meanwhile. Columns do not depend on each other, so
 * neither do bits on how many there are. */
#include "gpu/kernels/tile_ops.h"
#include "gpu/kernels/two_stage/band_kept.h"

constexpr int BACK_TILES = BAND_WIDTH / TILE; /* of half a window */

template <typename R> struct band_back_work {
    const band_back_arguments &arguments;
    const int order, lane, pair, line; /* the thread's two elements of a tile's row, and that row */
    const int in_pair;                 /* the warp's number in its pair */
    const int64_t first_column;
    double *const stages;              /* V and T of each */
    double *const own, *const other;   /* where a warp leaves sums for the other one of its pair */
    double window[BACK_TILES][2][TILE_PARTS], sums[BACK_TILES][2][TILE_PARTS];

    DEVICE_METHOD band_back_work(const band_back_arguments &given)
        : arguments(given), order((int)given.order), lane((int)thread_index() % WARP),
          pair(TILE_PARTS * (lane % 4)), line(lane / 4), in_pair((int)thread_index() / WARP % 2),
          first_column(BAND_BACK_COLUMNS * ((int64_t)block_index() * (thread_count() / (2 * WARP)) +
                                            thread_index() / (2 * WARP))),
          stages(static_cast<double *>(shared_memory())),
          own(stages + arguments.stages * BAND_BACK_STAGE + thread_index() / WARP * BAND_BACK_EXCHANGE),
          other(own + (1 - 2 * in_pair) * BAND_BACK_EXCHANGE)
    {
    }

    DEVICE_METHOD R *element(int row, int column) const
    {
        return static_cast<R *>(arguments.c) + row + (first_column + column) * arguments.ld;
    }

    DEVICE_METHOD bool is_there(int row, int column) const
    {
        return row < order && first_column + column < arguments.columns;
    }

    /* Conversions wait until all loads are under way. */
    DEVICE_METHOD void load_window(int begin)
    {
        R loaded[BACK_TILES][2][TILE_PARTS];
        UNROLL
        for (int r = 0; r < BACK_TILES; r++)
            UNROLL
            for (int side = 0; side < 2; side++)
                UNROLL
                for (int t = 0; t < TILE_PARTS; t++) {
                    const int row = begin + r * TILE + pair + t, column = side * TILE + line;
                    loaded[r][side][t] = is_there(row, column) ? load_partial(element(row, column)) : R(0);
                }
        UNROLL
        for (int r = 0; r < BACK_TILES; r++)
            UNROLL
            for (int side = 0; side < 2; side++)
                UNROLL
                for (int t = 0; t < TILE_PARTS; t++)
                    window[r][side][t] = (double)loaded[r][side][t];
    }

    DEVICE_METHOD void store_window(int begin) const
    {
        UNROLL
        for (int r = 0; r < BACK_TILES; r++)
            UNROLL
            for (int side = 0; side < 2; side++)
                UNROLL
                for (int t = 0; t < TILE_PARTS; t++) {
                    const int row = begin + r * TILE + pair + t, column = side * TILE + line;
                    if (is_there(row, column))
                        store_result(element(row, column), (R)window[r][side][t]);
                }
    }

    DEVICE_METHOD void prefetch_window(int begin) const
    {
        UNROLL_BY(1)
        for (int row = begin + lane / 16 * 16; row < begin + BAND_WIDTH + 16; row += 32)
            if (is_there(row, lane % 16))
                prefetch(element(row, lane % 16));
    }

    /* V, and of T what is behind the diagonal. */
    DEVICE_METHOD void copy_operands(int group, int step, int stage) const
    {
        double *const v = stages + stage * BAND_BACK_STAGE + 2 * lane;
        const int first = (int)thread_index() / WARP, warps = (int)thread_count() / WARP;
        const double *const from = kept_vector(arguments.kept, group, step, 0) + 2 * lane,
                            *const triangle = kept_triangle_row(arguments.kept, group, step, 0) + 2 * lane;
        const int64_t stride = arguments.kept.steps_most * BAND_WIDTH;
        UNROLL_BY(4)
        for (int at = first; at < BAND_WIDTH; at += warps) {
            copy_two_begin(v + at * BAND_WIDTH, from + at * stride);
            if (2 * lane >= at / 16 * 16)
                copy_two_begin(v + (at + BAND_WIDTH) * BAND_WIDTH, triangle + at * stride);
        }
    }

    /* Rows 8 a and columns 8 b on of an operand, of which a thread has two elements of a row. */
    DEVICE_METHOD void load_along_rows(const double *operand, int a, int b, double (&tile)[TILE_PARTS]) const
    {
        load_two_shared(operand + (a * TILE + line) * BAND_WIDTH + ((b * TILE + pair) ^ kept_swizzle(line)),
                        tile);
    }

    /* The same of the transposed operand. */
    DEVICE_METHOD void load_along_columns(const double *operand, int a, int b,
                                          double (&tile)[TILE_PARTS]) const
    {
        UNROLL
        for (int t = 0; t < TILE_PARTS; t++)
            tile[t] = operand[(a * TILE + pair + t) * BAND_WIDTH +
                              ((b * TILE + line) ^ kept_swizzle(pair + t))];
    }

    /* Does V's tile (r, a) in the window's half have elements, and where it is the first or the last of its
     * sweeps, this one? */
    template <bool SECOND> static DEVICE_METHOD bool has_tile(int r, int a)
    {
        return SECOND ? a >= r : a <= r;
    }
    template <bool SECOND> static DEVICE_METHOD bool has_element(int r, int a, int row, int sweep)
    {
        return r != a || (SECOND ? row < sweep : row >= sweep);
    }

    /* A chain of a sum is of two tiles, 16 products: a longer one loses more to rounding. */
    static DEVICE_METHOD void multiply(bool begins, double (&chain)[2][TILE_PARTS],
                                       const double (&left)[2][TILE_PARTS], const double (&right)[TILE_PARTS])
    {
        if (begins)
            tiles_product(chain, left, right);
        else
            tiles_product_added(chain, left, right);
    }
    static DEVICE_METHOD void add(bool begins, double (&sum)[2][TILE_PARTS],
                                  const double (&chain)[2][TILE_PARTS])
    {
        UNROLL
        for (int side = 0; side < 2; side++)
            UNROLL
            for (int t = 0; t < TILE_PARTS; t++)
                sum[side][t] = begins ? chain[side][t] : sum[side][t] + chain[side][t];
    }

    /* The half's part of W' = C' V. */
    template <bool SECOND> DEVICE_METHOD void multiply_window(const double *v)
    {
        UNROLL
        for (int first = 0; first < BACK_TILES; first += 2)
            UNROLL
            for (int a = 0; a < BACK_TILES; a++) {
                const int begin = has_tile<SECOND>(first, a) ? first : first + 1;
                if (!has_tile<SECOND>(begin, a))
                    continue;
                double chain[2][TILE_PARTS];
                UNROLL
                for (int r = begin; r < first + 2; r++) {
                    if (!has_tile<SECOND>(r, a))
                        continue;
                    double tile[TILE_PARTS];
                    load_along_rows(v, a, r, tile);
                    UNROLL
                    for (int t = 0; t < TILE_PARTS; t++)
                        tile[t] = has_element<SECOND>(r, a, pair + t, line) ? tile[t] : 0;
                    multiply(r == begin, chain, window[r], tile);
                }
                add(first == (SECOND ? 0 : a / 2 * 2), sums[a], chain);
            }
    }

    DEVICE_METHOD void leave(double *to, int a) const
    {
        UNROLL
        for (int side = 0; side < 2; side++)
            store_two_shared(to + ((a * 2 + side) * WARP + lane) * TILE_PARTS, sums[a][side]);
    }
    DEVICE_METHOD void take(const double *from, int a, double (&to)[2][TILE_PARTS]) const
    {
        UNROLL
        for (int side = 0; side < 2; side++)
            load_two_shared(from + ((a * 2 + side) * WARP + lane) * TILE_PARTS, to[side]);
    }

    /* The tiles of T W that a warp of the pair makes, as much work as the others. */
    template <bool SECOND> static DEVICE_METHOD bool makes(int a) { return ((a ^ a >> 1) & 1) == SECOND; }

    /* -W' T', half of it, in the place of W' = the sum of both parts. */
    template <bool SECOND> DEVICE_METHOD void multiply_triangle(const double *triangle)
    {
        UNROLL
        for (int a = 0; a < BACK_TILES; a++) {
            double part[2][TILE_PARTS];
            take(other, a, part);
            add(false, sums[a], part);
        }
        UNROLL
        for (int a = 0; a < BACK_TILES; a++) {
            if (!makes<SECOND>(a))
                continue;
            double share[2][TILE_PARTS];
            UNROLL
            for (int first = a / 2 * 2; first < BACK_TILES; first += 2) {
                const int begin = first < a ? a : first;
                double chain[2][TILE_PARTS];
                UNROLL
                for (int b = begin; b < first + 2; b++) {
                    double tile[TILE_PARTS];
                    load_along_rows(triangle, a, b, tile);
                    multiply(b == begin, chain, sums[b], tile);
                }
                add(first == a / 2 * 2, share, chain);
            }
            UNROLL
            for (int side = 0; side < 2; side++)
                UNROLL
                for (int t = 0; t < TILE_PARTS; t++)
                    sums[a][side][t] = -share[side][t];
            leave(other, a);
        }
    }

    /* C' -= W' T' V', the half's rows. */
    template <bool SECOND> DEVICE_METHOD void update_window(const double *v)
    {
        UNROLL
        for (int a = 0; a < BACK_TILES; a++)
            if (!makes<SECOND>(a))
                take(own, a, sums[a]);
        UNROLL
        for (int r = 0; r < BACK_TILES; r++) {
            double share[2][TILE_PARTS];
            UNROLL
            for (int first = 0; first < BACK_TILES; first += 2) {
                const int begin = has_tile<SECOND>(r, first) ? first : first + 1;
                if (!has_tile<SECOND>(r, begin))
                    continue;
                double chain[2][TILE_PARTS];
                UNROLL
                for (int a = begin; a < first + 2; a++) {
                    if (!has_tile<SECOND>(r, a))
                        continue;
                    double tile[TILE_PARTS];
                    load_along_columns(v, a, r, tile);
                    UNROLL
                    for (int t = 0; t < TILE_PARTS; t++)
                        tile[t] = has_element<SECOND>(r, a, line, pair + t) ? tile[t] : 0;
                    multiply(a == begin, chain, sums[a], tile);
                }
                add(first == (SECOND ? r / 2 * 2 : 0), share, chain);
            }
            add(false, window[r], share);
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
        if (step + 1 < kept_steps_of(order, group * BAND_WIDTH))
            copy_operands(group, step + 1, 1 - stage);
        else if (group > 0)
            copy_operands(group - 1, 0, 1 - stage);
    }

    DEVICE_METHOD void run_step(bool second, const double *v)
    {
        const double *const triangle = v + BAND_WIDTH * BAND_WIDTH;
        if (second)
            multiply_window<true>(v);
        else
            multiply_window<false>(v);
        UNROLL
        for (int a = 0; a < BACK_TILES; a++)
            leave(own, a);
        block_barrier();
        if (second)
            multiply_triangle<true>(triangle);
        else
            multiply_triangle<false>(triangle);
        block_barrier();
        if (second)
            update_window<true>(v);
        else
            update_window<false>(v);
    }

    /* A warp's rows are the window's second half in a step, and the first one in the next. */
    DEVICE_METHOD void run_group(int group, int &stage)
    {
        const int steps = kept_steps_of(order, group * BAND_WIDTH),
                  half = (group + in_pair) % 2; /* a row is the same warp's in all groups */
        int begin = group * BAND_WIDTH + 1;
        load_window(begin + half * BAND_WIDTH);
        UNROLL_BY(1)
        for (int step = 0; step < steps; step++, begin += BAND_WIDTH) {
            const bool second = (step + half) % 2 != 0, goes_on = !second && step + 1 < steps;
            if (goes_on)
                prefetch_window(begin + 2 * BAND_WIDTH);
            await_operands(group, step, stage);
            run_step(second, stages + stage * BAND_BACK_STAGE);
            if (!second)
                store_window(begin);
            if (goes_on)
                load_window(begin + 2 * BAND_WIDTH);
            stage = arguments.stages > 1 ? 1 - stage : 0;
        }
        if ((steps + half) % 2 == 0)
            store_window(begin);
    }

    DEVICE_METHOD void run()
    {
        const int last = (order - 3) / BAND_WIDTH;
        int stage = 0;
        if (arguments.stages > 1)
            copy_operands(last, 0, 0);
        UNROLL_BY(1)
        for (int group = last; group >= 0; group--)
            run_group(group, stage);
    }
};

#define BAND_BACK_KERNEL(name, type)                                                     \
    KERNEL_FUNCTION_OF(64 * BAND_BACK_PAIRS) name(const struct band_back_arguments arguments) \
    {                                                                                    \
        band_back_work<type>(arguments).run();                                           \
    }
BAND_BACK_KERNEL(sband_back, float)
BAND_BACK_KERNEL(dband_back, double)
