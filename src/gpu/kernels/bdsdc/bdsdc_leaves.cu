/* The bidiagonal solver's beginning and end: the matrix scaled, its leaves solved by implicit QR steps with and
 * without a shift, as LAPACK's dbdsqr; values scaled back. */
#include "gpu/kernels/bdsdc/bdsdc_node.h"

/* One block runs it. INFO tells of elements that are not finite. */
template <typename T> DEVICE_FUNCTION void bdsdc_tear(const bdsdc_arguments &arguments)
{
    const stedc_arguments &merge = arguments.merge;
    const T *d = static_cast<const T *>(merge.d), *e = static_cast<const T *>(merge.e);
    T *reals = static_cast<T *>(merge.reals);
    T *diagonal = reals + BDSDC_DIAGONAL * merge.stride, *borders = reals + STEDC_BORDERS * merge.stride;
    const int64_t rows = merge.n - 1;
    T largest = 0;
    bool is_finite_here = true;
    for (int64_t i = thread_index(); i < rows; i += thread_count()) {
        const T beside = i + 1 < rows ? e[i] : T(0);
        largest = largest_of()(largest, largest_of()(stedc_modulus(d[i]), stedc_modulus(beside)));
        is_finite_here = is_finite_here && is_finite((double)d[i]) && is_finite((double)beside);
    }
    if (!is_finite_here)
        store_agreed(merge.info, 1);
    const T scale = stedc_scale_of(block_reduce(largest, static_cast<T *>(shared_memory()), largest_of()));
    for (int64_t i = thread_index(); i < rows; i += thread_count()) {
        diagonal[i] = d[i] * scale;
        borders[i] = i + 1 < rows ? e[i] * scale : T(0);
    }
    if (thread_index() == 0)
        reals[STEDC_SCALE * merge.stride] = 1 / scale;
}
BDSDC_KERNEL(tear)

/* Turns (f, g) into (length, 0). */
template <typename T> struct bdsdc_turn {
    T cosine, sine, length;

    DEVICE_METHOD bdsdc_turn(T f, T g) : cosine(1), sine(0), length(f)
    {
        constexpr T small = sizeof(T) == 4 ? T(0x1p-50) : T(0x1p-480), more = sizeof(T) == 4 ? T(0x1p100) : T(0x1p600);
        if (g == 0)
            return;
        const bool is_small = stedc_modulus(f) < small && stedc_modulus(g) < small;
        const T scale = is_small ? more : T(1), x = f * scale, y = g * scale, of_both = sqrt(fused(x, x, y * y));
        cosine = x / of_both;
        sine = y / of_both;
        length = is_small ? of_both / more : of_both;
    }
};

/* The smaller singular value of (f g; 0 h), as LAPACK's dlas2. */
template <typename T> DEVICE_FUNCTION T bdsdc_smaller_of_two(T f, T g, T h)
{
    const T one = stedc_modulus(f), other = stedc_modulus(h), beside = stedc_modulus(g);
    const T less = one < other ? one : other, more = one < other ? other : one;
    if (less == 0)
        return 0;
    const T sum = 1 + less / more, difference = (more - less) / more;
    if (beside < more) {
        const T square = (beside / more) * (beside / more);
        return less * (2 / (sqrt(fused(sum, sum, square)) + sqrt(fused(difference, difference, square))));
    }
    const T ratio = more / beside;
    if (ratio == 0)
        return less * more / beside;
    const T a = sum * ratio, b = difference * ratio;
    return 2 * (less * (1 / (sqrt(fused(a, a, T(1))) + sqrt(fused(b, b, T(1)))))) * ratio;
}

/* A leaf as each lane of its warp has it: the whole bidiagonal matrix, and one row of the right vectors in the
 * first half of the warp or of the left ones in the second. A step goes down the block or up it: up it is a step
 * down the transposed one from its end, whose left vectors are the right ones. */
template <typename T> struct bdsdc_leaf {
    T d[STEDC_LEAF_MOST], e[STEDC_LEAF_MOST], row[STEDC_LEAF_MOST];
    int order; /* rows; columns are one more */
    int own;
    bool is_right, goes_up;
    int first, last; /* of the block that the step is for */

    DEVICE_METHOD void load(const T *diagonal, const T *beside, int columns)
    {
        order = columns - 1;
        own = (int)lane_index() % STEDC_LEAF_MOST;
        is_right = lane_index() < STEDC_LEAF_MOST;
        for (int i = 0; i < columns; i++) {
            d[i] = i < order ? diagonal[i] : T(0);
            e[i] = i < order ? beside[i] : T(0);
            row[i] = i == own ? T(1) : T(0);
        }
    }

    DEVICE_METHOD int at(int i) const { return goes_up ? first + last - i : i; }
    DEVICE_METHOD T &diagonal(int i) { return d[at(i)]; }
    DEVICE_METHOD T &beside(int i) { return e[goes_up ? first + last - 1 - i : i]; }

    DEVICE_METHOD void turn_row(int one, int other, const bdsdc_turn<T> &turn)
    {
        const T a = row[one], b = row[other];
        row[one] = fused(turn.cosine, a, turn.sine * b);
        row[other] = fused(turn.cosine, b, -(turn.sine * a));
    }

    /* The last column's element goes up it, row by row, into nothing. */
    DEVICE_METHOD void empty_last_column()
    {
        T rest = order > 0 ? e[order - 1] : T(0);
        for (int i = order - 1; i >= 0; i--) {
            const bdsdc_turn<T> turn(d[i], rest);
            d[i] = turn.length;
            if (is_right)
                turn_row(i, order, turn);
            if (i > 0) {
                rest = -(turn.sine * e[i - 1]);
                e[i - 1] *= turn.cosine;
            }
        }
    }

    DEVICE_METHOD bool is_negligible(int i) const
    {
        constexpr T epsilon = stedc_epsilon<T>;
        const T size = stedc_modulus(e[i]);
        return size <= epsilon * (stedc_modulus(d[i]) + stedc_modulus(d[i + 1])) || size <= epsilon * epsilon;
    }

    /* 0 where a shift would drown what is small. */
    DEVICE_METHOD T shift()
    {
        constexpr T epsilon = stedc_epsilon<T>;
        const T start = stedc_modulus(diagonal(first));
        T least = start, so_far = start, most = start;
        for (int i = first; i < last && least > 0; i++) {
            const T size = stedc_modulus(diagonal(i + 1)), next = stedc_modulus(beside(i));
            so_far = size * (so_far / (so_far + next)); /* LAPACK's estimate of the least value */
            least = so_far < least ? so_far : least;
            most = largest_of()(most, largest_of()(size, next));
        }
        if (least <= 16 * epsilon * most)
            return 0;
        const T found = bdsdc_smaller_of_two(diagonal(last - 1), beside(last - 1), diagonal(last)),
                ratio = found / start;
        return ratio * ratio < epsilon ? T(0) : found;
    }

    DEVICE_METHOD void turn_both(int i, const bdsdc_turn<T> &right, const bdsdc_turn<T> &left)
    {
        turn_row(at(i), at(i + 1), is_right != goes_up ? right : left);
    }

    DEVICE_METHOD void step_without_shift()
    {
        T cosine = 1, left_cosine = 1, left_sine = 0;
        for (int i = first; i < last; i++) {
            const bdsdc_turn<T> right(diagonal(i) * cosine, beside(i));
            if (i > first)
                beside(i - 1) = left_sine * right.length;
            const bdsdc_turn<T> left(left_cosine * right.length, diagonal(i + 1) * right.sine);
            diagonal(i) = left.length;
            cosine = right.cosine, left_cosine = left.cosine, left_sine = left.sine;
            turn_both(i, right, left);
        }
        const T rest = diagonal(last) * cosine;
        diagonal(last) = rest * left_cosine;
        beside(last - 1) = rest * left_sine;
    }

    DEVICE_METHOD void step_with(T by)
    {
        const T start = diagonal(first);
        T f = (stedc_modulus(start) - by) * ((start < 0 ? T(-1) : T(1)) + by / start), g = beside(first);
        for (int i = first; i < last; i++) {
            const bdsdc_turn<T> right(f, g);
            if (i > first)
                beside(i - 1) = right.length;
            const T on = diagonal(i), next = beside(i), below = diagonal(i + 1);
            const T beside_now = fused(right.cosine, next, -(right.sine * on)), below_now = right.cosine * below;
            const bdsdc_turn<T> left(fused(right.cosine, on, right.sine * next), right.sine * below);
            diagonal(i) = left.length;
            f = fused(left.cosine, beside_now, left.sine * below_now);
            diagonal(i + 1) = fused(left.cosine, below_now, -(left.sine * beside_now));
            if (i + 1 < last) {
                g = left.sine * beside(i + 1);
                beside(i + 1) *= left.cosine;
            }
            turn_both(i, right, left);
        }
        beside(last - 1) = f;
    }

    /* False where it does not converge. */
    DEVICE_METHOD bool solve()
    {
        int steps_left = 30 * order, first_before = order, last_before = -1;
        for (last = order - 1; last > 0;) {
            if (is_negligible(last - 1)) {
                last--;
                continue;
            }
            for (first = last - 1; first > 0 && !is_negligible(first - 1); first--)
                ;
            if (steps_left-- == 0)
                return false;
            if (first > last_before || last < first_before) /* another block: towards its small end */
                goes_up = stedc_modulus(d[first]) < stedc_modulus(d[last]);
            first_before = first, last_before = last;
            const T by = shift();
            if (by == 0)
                step_without_shift();
            else
                step_with(by);
        }
        return true;
    }

    DEVICE_METHOD void make_positive()
    {
        for (int i = 0; i < order; i++) {
            if (is_right && d[i] < 0)
                row[i] = -row[i];
            d[i] = stedc_modulus(d[i]);
        }
    }

    DEVICE_METHOD int rank(int of) const
    {
        int below = 0;
        for (int i = 0; i < order; i++)
            below += stedc_is_less(d[i], d[of]) || (i < of && !stedc_is_less(d[of], d[i]));
        return below;
    }
};

/* A leaf's vectors in their order. The whole has neither null vector nor the row behind. */
template <typename T>
DEVICE_FUNCTION void bdsdc_store_leaf(const bdsdc_arguments &arguments, const bdsdc_leaf<T> &leaf, int64_t begin)
{
    const stedc_arguments &merge = arguments.merge;
    const bdsdc_side &side = arguments.sides[leaf.is_right ? BDSDC_RIGHT : BDSDC_LEFT];
    const bool is_whole = merge.level == 0;
    T *values = static_cast<T *>(merge.reals) + STEDC_VALUES * merge.stride + begin;
    for (int i = 0; i < leaf.order + !is_whole; i++) {
        const int rank = i < leaf.order ? leaf.rank(i) : i;
        const int64_t column = bdsdc_column(arguments, rank);
        if (leaf.own == i && leaf.is_right && i < leaf.order)
            values[rank] = leaf.d[i];
        if (leaf.own < leaf.order + !is_whole && column >= 0 && column < merge.columns && side.product)
            static_cast<T *>(side.product)[begin + leaf.own + column * side.product_ld] = leaf.row[i];
    }
}

/* A leaf a warp. */
template <typename T> DEVICE_FUNCTION void bdsdc_leaves(const bdsdc_arguments &arguments)
{
    const stedc_arguments &merge = arguments.merge;
    const int64_t number = (int64_t)block_index() * warp_count() + warp_index();
    if (number >> merge.levels)
        return;
    const int64_t begin = stedc_begin(merge.n, merge.levels, number);
    const T *reals = static_cast<const T *>(merge.reals) + begin;
    bdsdc_leaf<T> leaf;
    leaf.load(reals + BDSDC_DIAGONAL * merge.stride, reals + STEDC_BORDERS * merge.stride,
              (int)(stedc_begin(merge.n, merge.levels, number + 1) - begin));
    leaf.empty_last_column();
    if (!leaf.solve() && lane_index() == 0)
        store_agreed(merge.info, 1);
    leaf.make_positive();
    bdsdc_store_leaf(arguments, leaf, begin);
}
BDSDC_KERNEL(leaves)

template <typename T> DEVICE_FUNCTION void bdsdc_finish(const bdsdc_arguments &arguments)
{
    const stedc_arguments &merge = arguments.merge;
    const T *reals = static_cast<const T *>(merge.reals), *values = reals + STEDC_VALUES * merge.stride;
    const int64_t i = (int64_t)block_index() * thread_count() + thread_index(), rows = merge.n - 1;
    if (i < rows)
        static_cast<T *>(merge.d)[rows - 1 - i] = values[i] * reals[STEDC_SCALE * merge.stride];
}
BDSDC_KERNEL(finish)
