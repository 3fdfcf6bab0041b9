/* C = Q C for the reflectors of bulge chasing: eigenvectors of the tridiagonal matrix become those of the
 * band matrix.
 *
 * Groups of BAND_WIDTH sweeps, the last first. The reflectors of a group's step i have rows of a window of
 * two times BAND_WIDTH; from step to step it goes BAND_WIDTH rows down. Within a step the sweeps go
 * backwards: a reflector meets those of later sweeps in its own step and the step before alone, which are
 * done by then. So C is read and written once for each group, not for each sweep.
 *
 * A block has some columns of C for good; BAND_BACK_ROWS threads share a column, each with every so many-th
 * row of the window in registers, and these rows are its own in all windows. BAND_BACK_AT_ONCE reflectors
 * take their sums over these threads together, not one after the other: what the first of them would have
 * changed in the next one's sum follows from their products with each other. Columns do not depend on each
 * other, so neither do bits on how many there are. */
#include "gpu/kernels/two_stage/band_reflector.h"

constexpr int BACK_PARTS_OF_BLOCK = BAND_BACK_THREADS / BAND_BACK_ROWS,
              BACK_BATCHES = BAND_WIDTH / BAND_BACK_AT_ONCE;
constexpr int BACK_HALF = BAND_WIDTH / BAND_BACK_ROWS, BACK_PARTS = 2 * BACK_HALF;

template <typename R> struct band_back_work {
    const band_back_arguments &arguments;
    const int first_row, order;
    const int64_t first_column;
    R *const vectors, *const taus, *const grams; /* in shared memory: of a group's step */
    R window[BAND_BACK_EACH][BACK_PARTS];

    DEVICE_METHOD band_back_work(const band_back_arguments &given)
        : arguments(given), first_row((int)thread_index() % BAND_BACK_ROWS), order((int)given.order),
          first_column((int64_t)block_index() * BAND_BACK_COLUMNS +
                       (int64_t)(thread_index() / BAND_BACK_ROWS) * BAND_BACK_EACH),
          vectors(static_cast<R *>(shared_memory())), taus(vectors + BAND_WIDTH * BAND_WIDTH),
          grams(taus + BAND_WIDTH)
    {
    }

    /* As the sweep has them in band_chase.cu; none: it does nothing. */
    DEVICE_METHOD int steps_of(int sweep) const
    {
        return sweep < order - 2 ? (order - 3 - sweep) / BAND_WIDTH + 1 : 0;
    }

    DEVICE_METHOD R *element(int row, int column) const
    {
        return static_cast<R *>(arguments.c) + row + (first_column + column) * arguments.ld;
    }

    /* Half of the window, from this row on. */
    DEVICE_METHOD void load_half(int half, int begin)
    {
        UNROLL
        for (int j = 0; j < BAND_BACK_EACH; j++)
            UNROLL
            for (int k = 0; k < BACK_HALF; k++) {
                const int row = begin + k * BAND_BACK_ROWS + first_row;
                const bool is_there = row < order && first_column + j < arguments.columns;
                window[j][half * BACK_HALF + k] = is_there ? load_partial(element(row, j)) : R(0);
            }
    }

    DEVICE_METHOD void store_first_half(int begin) const
    {
        UNROLL
        for (int j = 0; j < BAND_BACK_EACH; j++)
            UNROLL
            for (int k = 0; k < BACK_HALF; k++) {
                const int row = begin + k * BAND_BACK_ROWS + first_row;
                if (row < order && first_column + j < arguments.columns)
                    store_result(element(row, j), window[j][k]);
            }
    }

    DEVICE_METHOD void move_up()
    {
        UNROLL
        for (int j = 0; j < BAND_BACK_EACH; j++)
            UNROLL
            for (int k = 0; k < BACK_HALF; k++)
                window[j][k] = window[j][BACK_HALF + k];
    }

    DEVICE_METHOD void load_reflectors(int sweep, int step)
    {
        block_barrier();
        UNROLL_BY(4)
        for (int i = (int)thread_index(); i < BAND_WIDTH * BAND_WIDTH; i += BAND_BACK_THREADS) {
            const int at = i / BAND_WIDTH;
            const int64_t number = (sweep + at) * arguments.kept.steps_most + step;
            vectors[i] = step < steps_of(sweep + at)
                             ? load_result(static_cast<const R *>(arguments.kept.vectors) +
                                           number * BAND_WIDTH + i % BAND_WIDTH)
                             : R(0);
        }
        if (thread_index() < BAND_WIDTH) {
            const int at = (int)thread_index();
            taus[at] = step < steps_of(sweep + at)
                           ? load_result(static_cast<const R *>(arguments.kept.taus) +
                                         (sweep + at) * arguments.kept.steps_most + step)
                           : R(0);
        }
        block_barrier();
        fill_grams();
        block_barrier();
    }

    /* The product of the reflectors of two sweeps, the later one `apart` behind. */
    DEVICE_METHOD R product_of(int at, int apart) const
    {
        R sum = R(0);
        UNROLL
        for (int k = 0; k < BACK_HALF; k++) {
            const int i = k * BAND_BACK_ROWS + first_row;
            const R later = vectors[(at + apart) * BAND_WIDTH + i];
            const R other = i + apart < BAND_WIDTH ? vectors[at * BAND_WIDTH + i + apart] : R(0);
            sum = fused(later, other, sum);
        }
        return part_sum<BAND_BACK_ROWS>(sum);
    }

    /* Pairs of a batch: (0, 1), (0, 2), (1, 2), (0, 3) and so on. */
    static DEVICE_METHOD int pair_of(int earlier, int later) { return later * (later - 1) / 2 + earlier; }

    DEVICE_METHOD void fill_grams() const
    {
        const int part = (int)thread_index() / BAND_BACK_ROWS;
        UNROLL
        for (int batch = part; batch < BACK_BATCHES; batch += BACK_PARTS_OF_BLOCK)
            UNROLL
            for (int later = 1; later < BAND_BACK_AT_ONCE; later++)
                UNROLL
                for (int earlier = 0; earlier < later; earlier++) {
                    const R product = product_of(batch * BAND_BACK_AT_ONCE + earlier, later - earlier);
                    if (first_row == 0)
                        grams[batch * BAND_BACK_PAIRS + pair_of(earlier, later)] = product;
                }
    }

    /* v of this sweep, from a part of the window on. */
    template <int PART> DEVICE_METHOD void load_vector(int at, R (&v)[BACK_HALF + 1]) const
    {
        UNROLL
        for (int k = 0; k <= BACK_HALF; k++) {
            const int i = (PART + k) * BAND_BACK_ROWS + first_row - at;
            const bool is_there = (k > 0 || i >= 0) && (k < BACK_HALF || i < BAND_WIDTH);
            v[k] = is_there ? vectors[at * BAND_WIDTH + i] : R(0);
        }
    }

    /* What a column loses of each of a batch's v, given its products with them; the last sweep is the first.
     * */
    DEVICE_METHOD void correct(int at, R (&sums)[BAND_BACK_AT_ONCE]) const
    {
        const R *const gram = grams + at / BAND_BACK_AT_ONCE * BAND_BACK_PAIRS;
        UNROLL
        for (int i = BAND_BACK_AT_ONCE - 1; i >= 0; i--) {
            UNROLL
            for (int later = BAND_BACK_AT_ONCE - 1; later > i; later--)
                sums[i] = fused(-gram[pair_of(i, later)], sums[later], sums[i]);
            sums[i] = taus[at + i] * sums[i];
        }
    }

    /* Those of BAND_BACK_ROWS sweeps, which begin in the same part of the window. */
    template <int PART> DEVICE_METHOD void apply_some()
    {
        UNROLL_BY(1)
        for (int at = (PART + 1) * BAND_BACK_ROWS - BAND_BACK_AT_ONCE; at >= PART * BAND_BACK_ROWS;
             at -= BAND_BACK_AT_ONCE) {
            R v[BAND_BACK_AT_ONCE][BACK_HALF + 1], sums[BAND_BACK_EACH][BAND_BACK_AT_ONCE];
            UNROLL
            for (int i = 0; i < BAND_BACK_AT_ONCE; i++) {
                load_vector<PART>(at + i, v[i]);
                UNROLL
                for (int j = 0; j < BAND_BACK_EACH; j++) {
                    sums[j][i] = R(0);
                    UNROLL
                    for (int k = 0; k <= BACK_HALF; k++)
                        sums[j][i] = fused(v[i][k], window[j][PART + k], sums[j][i]);
                    sums[j][i] = part_sum<BAND_BACK_ROWS>(sums[j][i]);
                }
            }
            UNROLL
            for (int j = 0; j < BAND_BACK_EACH; j++) {
                correct(at, sums[j]);
                UNROLL
                for (int i = BAND_BACK_AT_ONCE - 1; i >= 0; i--)
                    UNROLL
                    for (int k = 0; k <= BACK_HALF; k++)
                        window[j][PART + k] = fused(-sums[j][i], v[i][k], window[j][PART + k]);
            }
        }
    }

    template <int PART> DEVICE_METHOD void apply_from()
    {
        apply_some<PART>();
        if constexpr (PART > 0)
            apply_from<PART - 1>();
    }

    DEVICE_METHOD void run_group(int sweep)
    {
        const int begin = sweep + 1, steps = steps_of(sweep);
        load_half(0, begin);
        UNROLL_BY(1)
        for (int step = 0; step < steps; step++) {
            load_half(1, begin + (step + 1) * BAND_WIDTH);
            load_reflectors(sweep, step);
            apply_from<BACK_HALF - 1>();
            store_first_half(begin + step * BAND_WIDTH);
            move_up();
        }
        store_first_half(begin + steps * BAND_WIDTH);
    }

    DEVICE_METHOD void run()
    {
        UNROLL_BY(1)
        for (int sweep = (order - 3) / BAND_WIDTH * BAND_WIDTH; sweep >= 0; sweep -= BAND_WIDTH)
            run_group(sweep);
    }
};

#define BAND_BACK_KERNEL(name, type)                                 \
    KERNEL_FUNCTION name(const struct band_back_arguments arguments) \
    {                                                                \
        band_back_work<type>(arguments).run();                       \
    }
BAND_BACK_KERNEL(sband_back, float)
BAND_BACK_KERNEL(dband_back, double)
