/* The divide and conquer eigensolver's beginning and end: the matrix scaled and torn, its leaves solved;
 * eigenvalues scaled back. */
#include "gpu/kernels/stedc/stedc_node.h"

/* Does a leaf that is not the first begin at this row? */
DEVICE_FUNCTION bool stedc_is_border(const stedc_arguments &arguments, int64_t row)
{
    const int64_t units = (arguments.n + STEDC_UNIT - 1) / STEDC_UNIT, unit = row / STEDC_UNIT;
    if (row <= 0 || row >= arguments.n || row % STEDC_UNIT != 0)
        return false;
    const int64_t leaf = ((unit << arguments.levels) + units - 1) / units;
    return ((units * leaf) >> arguments.levels) == unit;
}

/* One block runs it. */
template <typename T> DEVICE_FUNCTION void stedc_tear(const stedc_arguments &arguments)
{
    const T *d = static_cast<const T *>(arguments.d), *e = static_cast<const T *>(arguments.e);
    T *values = static_cast<T *>(arguments.reals) + STEDC_VALUES * arguments.stride;
    T *borders = static_cast<T *>(arguments.reals) + STEDC_BORDERS * arguments.stride;
    T largest = 0;
    for (int64_t i = thread_index(); i < arguments.n; i += thread_count()) {
        largest = largest_of()(largest, stedc_modulus(d[i]));
        if (i + 1 < arguments.n)
            largest = largest_of()(largest, stedc_modulus(e[i]));
    }
    const T scale = stedc_scale_of(block_reduce(largest, static_cast<T *>(shared_memory()), largest_of()));
    for (int64_t i = thread_index(); i < arguments.n; i += thread_count()) {
        T value = d[i] * scale;
        if (stedc_is_border(arguments, i))
            value -= stedc_modulus(e[i - 1] * scale);
        if (stedc_is_border(arguments, i + 1))
            value -= stedc_modulus(e[i] * scale);
        values[i] = value;
        if (i + 1 < arguments.n)
            borders[i] = e[i] * scale;
    }
    if (thread_index() == 0)
        static_cast<T *>(arguments.reals)[STEDC_SCALE * arguments.stride] = 1 / scale;
}
STEDC_KERNEL(tear)

/* sqrt(a*a + b*b) and its inverse. */
template <typename T> struct stedc_length {
    T length, inverse;

    DEVICE_METHOD stedc_length(T a, T b)
    {
        const T sum = fused(a, a, b * b);
        inverse = inverse_root(sum);
        length = sum * inverse;
        if (!(sum > (sizeof(T) == 4 ? T(0x1p-80) : T(0x1p-900))))
            set_small(stedc_modulus(a), stedc_modulus(b));
    }

    DEVICE_METHOD void set_small(T one, T other)
    {
        const T more = one < other ? other : one, ratio = (one < other ? one : other) / more;
        length = more > 0 ? more * sqrt(fused(ratio, ratio, T(1))) : more;
        inverse = 1 / length;
    }
};

/* A leaf as each lane of its warp has it: the whole tridiagonal matrix, one row of the eigenvectors. */
template <typename T> struct stedc_leaf {
    T d[STEDC_LEAF_MOST], e[STEDC_LEAF_MOST], row[STEDC_LEAF_MOST];
    int order;

    DEVICE_METHOD void load(const T *diagonal, const T *beside, int count)
    {
        order = count;
        for (int i = 0; i < order; i++) {
            d[i] = diagonal[i];
            e[i] = i + 1 < order ? beside[i] : T(0);
            row[i] = i == (int)lane_index() ? T(1) : T(0);
        }
    }

    /* The last row of the unreduced block that begins at `first`. */
    DEVICE_METHOD int block_end(int first) const
    {
        constexpr T epsilon = stedc_epsilon<T>;
        int last = first;
        for (; last + 1 < order; last++) {
            const T size = stedc_modulus(e[last]);
            if (size <= epsilon * (stedc_modulus(d[last]) + stedc_modulus(d[last + 1])) ||
                size <= epsilon * epsilon)
                break;
        }
        return last;
    }

    DEVICE_METHOD T shifted_last(int first, int last) const
    {
        const T half = (d[first + 1] - d[first]) / (2 * e[first]),
                length = stedc_length<T>(half, T(1)).length;
        return d[last] - d[first] + e[first] / (half + (half < 0 ? -length : length));
    }

    /* One implicit QL step with Wilkinson's shift. The elements that a rotation reads are on their way
     * before the one ahead is done. */
    DEVICE_METHOD void step(int first, int last)
    {
        T bulge = shifted_last(first, last), sine = 1, cosine = 1, taken = 0;
        T d_below = d[last], d_here = d[last - 1], e_here = e[last - 1], row_below = row[last],
          row_here = row[last - 1];
        for (int i = last - 1; i >= first; i--) {
            const int above = i > 0 ? i - 1 : 0;
            const T d_above = d[above], e_above = e[above], row_above = row[above];
            const T f = sine * e_here, b = cosine * e_here;
            const stedc_length<T> length(f, bulge);
            e[i + 1] = length.length;
            if (length.length == 0) { /* the block falls apart here */
                d[i + 1] = d_below - taken;
                e[last] = 0;
                row[i + 1] = row_below;
                return;
            }
            sine = f * length.inverse;
            cosine = bulge * length.inverse;
            const T g = d_below - taken, turned = (d_here - g) * sine + 2 * cosine * b;
            taken = sine * turned;
            d[i + 1] = g + taken;
            bulge = cosine * turned - b;
            row[i + 1] = fused(sine, row_here, cosine * row_below);
            row_below = fused(cosine, row_here, -sine * row_below);
            d_below = d_here, d_here = d_above, e_here = e_above, row_here = row_above;
        }
        d[first] = d_below - taken;
        e[first] = bulge;
        e[last] = 0;
        row[first] = row_below;
    }

    /* False where it does not converge. */
    DEVICE_METHOD bool solve()
    {
        int steps_left = 30 * order;
        for (int first = 0; first < order; first++)
            for (int last; (last = block_end(first)) > first; steps_left--) {
                if (steps_left == 0)
                    return false;
                step(first, last);
            }
        return true;
    }

    DEVICE_METHOD int rank(int of) const
    {
        int below = 0;
        for (int i = 0; i < order; i++)
            below += stedc_is_less(d[i], d[of]) || (i < of && !stedc_is_less(d[of], d[i]));
        return below;
    }
};

/* A leaf a warp. */
template <typename T> DEVICE_FUNCTION void stedc_leaves(const stedc_arguments &arguments)
{
    const int64_t number = (int64_t)block_index() * warp_count() + warp_index();
    if (number >> arguments.levels)
        return;
    const int64_t begin = stedc_begin(arguments.n, arguments.levels, number);
    T *values = static_cast<T *>(arguments.reals) + STEDC_VALUES * arguments.stride + begin;
    stedc_leaf<T> leaf;
    leaf.load(values, values + (STEDC_BORDERS - STEDC_VALUES) * arguments.stride,
              (int)(stedc_begin(arguments.n, arguments.levels, number + 1) - begin));
    if (!leaf.solve() && lane_index() == 0)
        store_agreed(arguments.info, 1);
    warp_part_barrier(WARP_THREADS); /* all have read what is written now */
    const int row = (int)lane_index();
    for (int i = 0; i < leaf.order; i++) {
        const int rank = leaf.rank(i);
        const int64_t column = rank - arguments.first;
        if (row == i)
            values[rank] = leaf.d[i];
        if (row < leaf.order && column >= 0 && column < arguments.columns)
            static_cast<T *>(arguments.product)[begin + row + column * arguments.product_ld] = leaf.row[i];
    }
}
STEDC_KERNEL(leaves)

template <typename T> DEVICE_FUNCTION void stedc_finish(const stedc_arguments &arguments)
{
    const T *reals = static_cast<const T *>(arguments.reals),
            *values = reals + STEDC_VALUES * arguments.stride;
    const int64_t i = (int64_t)block_index() * thread_count() + thread_index();
    if (i < arguments.n)
        static_cast<T *>(arguments.d)[i] = values[i] * reals[STEDC_SCALE * arguments.stride];
}
STEDC_KERNEL(finish)
