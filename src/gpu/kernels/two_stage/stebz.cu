/* Eigenvalues of a symmetric tridiagonal matrix by bisection: Sturm counts as LAPACK's laebz has them, with
 * several points of an interval at a time. Singular values of a bidiagonal one, too, as eigenvalues of the matrix
 * with zeros on its diagonal and the bidiagonal one's elements, in turn, beside it: each to its own last digits, as
 * the interval is cut among the numbers of the format, whatever their exponents. */
#include "gpu/kernels/route_ops.h"
#include "gpu/kernels/two_stage/stebz_arguments.h"

template <typename R> struct stebz_range;
template <> struct stebz_range<float> {
    using word = int32_t;
    static constexpr float unit = 0x1p-23f, safe_least = 0x1p-126f;
    static constexpr int exponent_most = 125;
};
template <> struct stebz_range<double> {
    using word = int64_t;
    static constexpr double unit = 0x1p-52, safe_least = 0x1p-1022;
    static constexpr int exponent_most = 1021;
};

template <typename R> DEVICE_FUNCTION R stebz_modulus(R x) { return x < 0 ? -x : x; }

template <typename R> DEVICE_FUNCTION R stebz_beside(const stebz_arguments &arguments, int64_t row)
{
    return row >= 0 && row + 1 < arguments.n ? stebz_modulus(static_cast<const R *>(arguments.e)[row]) : R(0);
}

/* The power of two that brings the largest element to 1 or somewhat below. */
template <typename R> DEVICE_FUNCTION R stebz_scale_of(R largest)
{
    constexpr int most = stebz_range<R>::exponent_most;
    int exponent = 0;
    if (largest > 0 && is_finite((double)largest))
        frexp(largest, &exponent);
    return ldexp(R(1), exponent > most ? -most : exponent < -most ? most : -exponent);
}

/* One block computes the scaled matrix, and what is common to all values. */
template <typename R> DEVICE_FUNCTION void stebz_find_bounds(const stebz_arguments &arguments)
{
    const R *const d = static_cast<const R *>(arguments.d);
    R *const rows = static_cast<R *>(arguments.rows), *const bounds = static_cast<R *>(arguments.bounds);
    R *const room = static_cast<R *>(shared_memory());
    const int64_t n = arguments.n, first = thread_index(), step = thread_count();
    R largest = 0, spoilt = 0;
    for (int64_t i = first; i < n; i += step) {
        const R of_row = stebz_modulus(d[i]), beside = stebz_beside<R>(arguments, i);
        largest = largest_of()(largest, largest_of()(of_row, beside));
        spoilt = is_finite((double)of_row) && is_finite((double)beside) ? spoilt : R(1);
    }
    spoilt = block_reduce(spoilt, room, largest_of());
    const R scale = stebz_scale_of(block_reduce(largest, room, largest_of()));
    R against_low = -d[0] * scale, high = d[0] * scale, square_most = 1; /* the largest of -low */
    for (int64_t i = first; i < n; i += step) {
        const R value = d[i] * scale, above = stebz_beside<R>(arguments, i - 1) * scale;
        const R radius = above + stebz_beside<R>(arguments, i) * scale;
        rows[2 * i] = value;
        rows[2 * i + 1] = above * above;
        against_low = largest_of()(against_low, radius - value);
        high = largest_of()(high, value + radius);
        square_most = largest_of()(square_most, above * above);
    }
    against_low = block_reduce(against_low, room, largest_of());
    high = block_reduce(high, room, largest_of());
    square_most = block_reduce(square_most, room, largest_of());
    if (thread_index() != 0)
        return;
    const R norm = largest_of()(stebz_modulus(against_low), stebz_modulus(high));
    const R more = R(2) * (stebz_range<R>::unit * norm) * R(n < 1000 ? n : 1000);
    const R nothing = R(0) / (R(1) - spoilt); /* or NaN, which comparisons would pass over */
    bounds[STEBZ_LOW] = -against_low - more + nothing;
    bounds[STEBZ_HIGH] = high + more + nothing;
    bounds[STEBZ_LEAST_PIVOT] = stebz_range<R>::safe_least * square_most;
    bounds[STEBZ_INVERSE_SCALE] = 1 / scale;
}

/* How many eigenvalues are less than x, or as good as x. All threads of the block go through the rows
 * together. */
template <typename R>
DEVICE_FUNCTION int stebz_count(const stebz_arguments &arguments, R x, R least_pivot, R *tile)
{
    const R *const rows = static_cast<const R *>(arguments.rows);
    const int64_t n = arguments.n;
    int count = 0;
    R pivot = 1;
    UNROLL_BY(1)
    for (int64_t begin = 0; begin < n; begin += STEBZ_TILE) {
        const int there = n - begin < STEBZ_TILE ? (int)(n - begin) : STEBZ_TILE;
        block_barrier(); /* the tile is no longer used */
        UNROLL_BY(1)
        for (int i = (int)thread_index(); i < 2 * there; i += (int)thread_count())
            tile[i] = load(rows + 2 * begin + i);
        block_barrier();
        UNROLL_BY(4)
        for (int i = 0; i < there; i++) {
            pivot = (tile[2 * i] - x) - tile[2 * i + 1] / pivot;
            const bool is_negative = pivot <= least_pivot;
            count += is_negative;
            pivot = is_negative && pivot > -least_pivot ? -least_pivot : pivot;
        }
    }
    return count;
}

template <typename R> DEVICE_FUNCTION void stebz_find_values(const stebz_arguments &arguments)
{
    const R *const bounds = static_cast<const R *>(arguments.bounds);
    const int lanes = arguments.lanes, lane = (int)lane_index(), point = lane % lanes;
    const int64_t number = ((int64_t)block_index() * thread_count() + thread_index()) / lanes;
    const unsigned points = ~0u >> (WARP_THREADS - lanes);
    const R least_pivot = bounds[STEBZ_LEAST_PIVOT], parts = R(lanes + 1);
    R low = bounds[STEBZ_LOW], high = bounds[STEBZ_HIGH];
    UNROLL_BY(1)
    for (int pass = 0; pass < arguments.passes; pass++) {
        const R width = high - low;
        const int count = stebz_count(arguments, fused(width, R(point + 1) / parts, low), least_pivot,
                                      static_cast<R *>(shared_memory()));
        const unsigned above = warp_ballot((int64_t)count <= number);
        const int behind = count_of_bits(above >> (lane - point) & points); /* points below the value */
        const R from = low;
        low = behind > 0 ? fused(width, R(behind) / parts, from) : from;
        high = behind < lanes ? fused(width, R(behind + 1) / parts, from) : high;
    }
    if (point == 0 && number < arguments.n)
        static_cast<R *>(arguments.w)[number] = fused(R(0.5), high - low, low) * bounds[STEBZ_INVERSE_SCALE];
}

/* One block computes the scaled elements in turn. */
template <typename R> DEVICE_FUNCTION void bdsvx_scale(const stebz_arguments &arguments)
{
    const R *const d = static_cast<const R *>(arguments.d);
    R *const rows = static_cast<R *>(arguments.rows), *const bounds = static_cast<R *>(arguments.bounds);
    R *const room = static_cast<R *>(shared_memory());
    const int64_t n = arguments.n, first = thread_index(), step = thread_count();
    R largest = 0, spoilt = 0;
    for (int64_t i = first; i < n; i += step) {
        const R of_row = stebz_modulus(d[i]), beside = stebz_beside<R>(arguments, i);
        largest = largest_of()(largest, largest_of()(of_row, beside));
        spoilt = is_finite((double)of_row) && is_finite((double)beside) ? spoilt : R(1);
    }
    spoilt = block_reduce(spoilt, room, largest_of());
    const R scale = stebz_scale_of(block_reduce(largest, room, largest_of()));
    for (int64_t i = first; i < n; i += step) {
        rows[2 * i] = stebz_modulus(d[i]) * scale;
        rows[2 * i + 1] = stebz_beside<R>(arguments, i) * scale;
    }
    if (thread_index() == 0)
        bounds[STEBZ_INVERSE_SCALE] = 1 / scale + R(0) / (R(1) - spoilt); /* or NaN */
}

/* How many singular values are less than x, which is greater than 0. No element is squared: what is tiny beside the
 * others stays a number. */
template <typename R> DEVICE_FUNCTION int64_t bdsvx_count(const stebz_arguments &arguments, R x, R *tile)
{
    constexpr R least_pivot = stebz_range<R>::safe_least;
    const R *const elements = static_cast<const R *>(arguments.rows);
    const int64_t count = 2 * arguments.n - 1; /* beside the diagonal */
    R pivot = x > least_pivot ? -x : -least_pivot;
    int64_t negative = 1;
    UNROLL_BY(1)
    for (int64_t begin = 0; begin < count; begin += 2 * STEBZ_TILE) {
        const int there = count - begin < 2 * STEBZ_TILE ? (int)(count - begin) : 2 * STEBZ_TILE;
        block_barrier(); /* the tile is no longer used */
        UNROLL_BY(1)
        for (int i = (int)thread_index(); i < there; i += (int)thread_count())
            tile[i] = load(elements + begin + i);
        block_barrier();
        UNROLL_BY(4)
        for (int i = 0; i < there; i++) {
            pivot = fused(-tile[i], tile[i] / pivot, -x);
            const bool is_negative = pivot <= least_pivot;
            negative += is_negative;
            pivot = is_negative && pivot > -least_pivot ? -least_pivot : pivot;
        }
    }
    return negative - arguments.n;
}

template <typename R> DEVICE_FUNCTION void bdsvx_find_values(const stebz_arguments &arguments)
{
    using word = typename stebz_range<R>::word;
    const int lanes = arguments.lanes, lane = (int)lane_index(), point = lane % lanes;
    const int64_t number = ((int64_t)block_index() * thread_count() + thread_index()) / lanes;
    const unsigned points = ~0u >> (WARP_THREADS - lanes);
    word low = 0, high = (word)1 << (8 * sizeof(R) - 2); /* 0 and 2 as they lie in memory */
    UNROLL_BY(1)
    for (int pass = 0; pass < arguments.passes; pass++) {
        const word width = high - low, part = (width + lanes) / (lanes + 1), behind_low = part * (point + 1);
        const word here = low + (behind_low < width ? behind_low : width);
        R x;
        memcpy(&x, &here, sizeof x);
        const int64_t count = bdsvx_count(arguments, x, static_cast<R *>(shared_memory()));
        const unsigned above = warp_ballot(count <= number && here < high);
        const int behind = count_of_bits(above >> (lane - point) & points); /* points up to the value */
        const word from = low, next = part * (behind + 1);
        low = from + part * behind;
        high = behind < lanes && next < width ? from + next : high;
    }
    R value;
    memcpy(&value, &low, sizeof value);
    if (point == 0 && number < arguments.n)
        static_cast<R *>(arguments.w)[arguments.n - 1 - number] =
            value * static_cast<const R *>(arguments.bounds)[STEBZ_INVERSE_SCALE];
}

#define STEBZ_KERNEL(name, step, type)                           \
    KERNEL_FUNCTION name(const struct stebz_arguments arguments) \
    {                                                            \
        step<type>(arguments);                                   \
    }
STEBZ_KERNEL(sstebz_bounds, stebz_find_bounds, float)
STEBZ_KERNEL(dstebz_bounds, stebz_find_bounds, double)
STEBZ_KERNEL(sstebz_values, stebz_find_values, float)
STEBZ_KERNEL(dstebz_values, stebz_find_values, double)
STEBZ_KERNEL(sbdsvx_scale, bdsvx_scale, float)
STEBZ_KERNEL(dbdsvx_scale, bdsvx_scale, double)
STEBZ_KERNEL(sbdsvx_values, bdsvx_find_values, float)
STEBZ_KERNEL(dbdsvx_values, bdsvx_find_values, double)
