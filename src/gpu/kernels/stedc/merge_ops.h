/* merge_ops.h - what the divide and conquer solvers' merges share, of a symmetric tridiagonal matrix (stedc) and of
 * a bidiagonal one (bdsdc): the scale, counts among values, the search for a root of the secular equation as
 * LAPACK's dlaed4 and dlasd4 have it, and a tile of the product that makes a node's vectors. */
#ifndef MUBLAS_KERNEL_MERGE_OPS_H
#define MUBLAS_KERNEL_MERGE_OPS_H

#include "gpu/kernels/route_ops.h"
#include "gpu/kernels/stedc/stedc_arguments.h"

/* The relative distance from 1 of the numbers beside it, halved: LAPACK's eps. */
template <typename T> constexpr T stedc_epsilon = sizeof(T) == 4 ? T(0x1p-24) : T(0x1p-53);

template <typename T> DEVICE_FUNCTION T stedc_modulus(T x) { return x < 0 ? -x : x; }

/* The power of two that brings the largest element into [1/2, 1), if it and its inverse are numbers. */
template <typename T> DEVICE_FUNCTION T stedc_scale_of(T largest)
{
    constexpr int most = sizeof(T) == 4 ? 125 : 1021;
    int exponent = 0;
    if (largest > 0 && is_finite((double)largest))
        frexp(largest, &exponent);
    exponent = exponent > most ? most : exponent < -most ? -most : exponent;
    return ldexp(T(1), -exponent);
}

/* NaN comes last. */
template <typename T> DEVICE_FUNCTION bool stedc_is_less(T a, T b) { return a < b || (a == a && b != b); }

/* The number of ascending values that are less than `value`, or, with or_equal, not greater. */
template <typename T>
DEVICE_FUNCTION int stedc_count_below(const T *values, int count, T value, bool or_equal)
{
    int below = 0;
    while (count > 0) {
        const int half = count / 2;
        const T middle = values[below + half];
        if (or_equal ? !stedc_is_less(value, middle) : stedc_is_less(middle, value)) {
            below += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return below;
}

enum { STEDC_STEPS_MOST = 100 };

/* The secular equation near a root: between the poles `left` and left + 1, or right of both, the last. SQUARES:
 * its poles are the squares of what is given, and what the root is less by `offset` is the origin's square. */
template <typename T, bool SQUARES> struct stedc_equation {
    const T *poles, *z;
    T inverse_weight;
    int count, left;
    bool is_last;
    T origin;

    /* Sums of z^2 / (pole - x) and of (z / (pole - x))^2 over the poles up to `left` (psi), and over the
     * others (phi). */
    struct sums {
        T psi, phi, psi_slope, phi_slope;
    };

    static DEVICE_METHOD T apart(T pole, T other)
    {
        return SQUARES ? (pole - other) * (pole + other) : pole - other;
    }
    DEVICE_METHOD T distance(int pole, T offset) const { return apart(poles[pole], origin) - offset; }

    DEVICE_METHOD sums at(T offset) const
    {
        T values[4] = {0, 0, 0, 0};
        int j = (int)lane_index();
        for (; j <= left; j += WARP_THREADS) {
            const T ratio = z[j] / distance(j, offset);
            values[0] = fused(z[j], ratio, values[0]);
            values[2] = fused(ratio, ratio, values[2]);
        }
        for (; j < count; j += WARP_THREADS) {
            const T ratio = z[j] / distance(j, offset);
            values[1] = fused(z[j], ratio, values[1]);
            values[3] = fused(ratio, ratio, values[3]);
        }
        warp_reduce(values, sum_of());
        return {values[0], values[1], values[2], values[3]};
    }

    /* The equation's value but for the terms of the poles left and left + 1. */
    DEVICE_METHOD T rest_at(T offset) const
    {
        T sum = 0;
        for (int j = (int)lane_index(); j < count; j += WARP_THREADS)
            if (j != left && j != left + 1)
                sum = fused(z[j], z[j] / distance(j, offset), sum);
        return inverse_weight + warp_reduce_one(sum, sum_of());
    }

    /* The bound of the rounding errors in the equation's value. */
    DEVICE_METHOD T error_bound(const sums &now, T offset) const
    {
        const T modulus = offset < 0 ? -offset : offset;
        const T terms = now.phi - now.psi, many = T(count / WARP_THREADS + 16);
        const T of_terms = is_last ? -now.phi - now.psi : terms;
        return stedc_epsilon<T> *
               (many * of_terms + 2 * inverse_weight + modulus * (now.psi_slope + now.phi_slope));
    }
};

/* The root of a quadratic equation that c x^2 - a x + b is, by the formula without cancellation. */
template <typename T> DEVICE_FUNCTION T stedc_smaller_root(T a, T b, T c)
{
    const T square = fused(a, a, -4 * b * c), root = sqrt(square < 0 ? -square : square);
    return a <= 0 ? (a - root) / (2 * c) : 2 * b / (a + root);
}
template <typename T> DEVICE_FUNCTION T stedc_larger_root(T a, T b, T c)
{
    const T square = fused(a, a, -4 * b * c), root = sqrt(square < 0 ? -square : square);
    return a >= 0 ? (a + root) / (2 * c) : 2 * b / (a - root);
}

/* A root as it is searched for. */
template <typename T, bool SQUARES> struct stedc_search {
    stedc_equation<T, SQUARES> equation;
    T lower, upper, offset; /* the root lies between the first two */

    DEVICE_METHOD T square(int pole) const { return equation.z[pole] * equation.z[pole]; }

    /* The terms of the two poles with the rest as it is in the middle between them. */
    DEVICE_METHOD void begin_between(int left)
    {
        const T gap = equation.apart(equation.poles[left + 1], equation.poles[left]), middle = gap / 2;
        equation.origin = equation.poles[left];
        const T rest = equation.rest_at(middle), one = square(left), other = square(left + 1);
        const bool is_left = rest - one / middle + other / (gap - middle) > 0;
        if (is_left) {
            lower = 0, upper = middle;
            offset = stedc_smaller_root(rest * gap + one + other, one * gap, rest);
        } else {
            equation.origin = equation.poles[left + 1];
            lower = -middle, upper = 0;
            offset = stedc_smaller_root(-rest * gap + one + other, -other * gap, rest);
        }
    }

    DEVICE_METHOD void begin_last(T weight)
    {
        const int last = equation.count - 1;
        const T gap = equation.apart(equation.poles[last], equation.poles[last - 1]), middle = weight / 2;
        equation.origin = equation.poles[last];
        const T rest = equation.rest_at(middle), one = square(last - 1), other = square(last);
        const bool is_near = rest - one / (gap + middle) - other / middle > 0;
        lower = is_near ? T(0) : middle;
        upper = is_near ? middle : weight;
        if (!is_near && rest <= one / (gap + weight) + other / weight)
            offset = weight;
        else
            offset = stedc_larger_root(-rest * gap + one + other, -other * gap, rest);
    }

    DEVICE_METHOD T middle() const { return lower + (upper - lower) / 2; }

    /* The step to the root of c + s / (pole - x) + t / (next pole - x) that agrees with psi and with phi here
     * in value and slope: Li's middle way. */
    DEVICE_METHOD T step(const typename stedc_equation<T, SQUARES>::sums &now, T value) const
    {
        const T here = equation.distance(equation.left, offset),
                next = equation.distance(equation.left + 1, offset);
        const T a = (here + next) * value - here * next * (now.psi_slope + now.phi_slope),
                b = here * next * value;
        const T c = value - here * now.psi_slope - next * now.phi_slope;
        if (equation.is_last)
            return stedc_larger_root(a, b, c < 0 ? -c : c);
        return c == 0 ? b / a : stedc_smaller_root(a, b, c);
    }

    /* False where it does not converge. */
    DEVICE_METHOD bool run()
    {
        if (!(offset > lower && offset < upper))
            offset = middle();
        for (int i = 0; i < STEDC_STEPS_MOST; i++) {
            const auto now = equation.at(offset);
            const T value = equation.inverse_weight + now.psi + now.phi, size = value < 0 ? -value : value;
            if (size <= equation.error_bound(now, offset))
                return true;
            if (value < 0)
                lower = offset;
            else
                upper = offset;
            T change = step(now, value);
            if (!(change * value < 0))
                change = -value / (now.psi_slope + now.phi_slope);
            T next = offset + change;
            if (!(next > lower && next < upper))
                next = middle();
            if (value == value && (next == lower || next == upper))
                return true; /* no number is left between the two */
            offset = next;
        }
        return false;
    }
};

enum { STEDC_PANEL = 16, STEDC_SIDE = 16, STEDC_EACH = STEDC_TILE / STEDC_SIDE };

/* A tile of a child's rows of the product, in panels of the sum. */
template <typename T> struct stedc_tile {
    struct panel {
        T q[STEDC_PANEL][STEDC_TILE], s[STEDC_PANEL][STEDC_TILE + 1];
    };
    const T *q, *s; /* of the tile's first row, and of its first column */
    T *product;
    int64_t q_ld, s_ld, product_ld;
    int rows, columns, terms; /* that are left of the child's, from the tile on */

    DEVICE_METHOD void load(panel &into, int first) const
    {
        UNROLL
        for (int i = 0; i < STEDC_EACH; i++) {
            const int at = (int)thread_index() + i * STEDC_SIDE * STEDC_SIDE;
            const int row = at % STEDC_TILE, of_row = at / STEDC_TILE;
            const int column = at / STEDC_PANEL, of_column = at % STEDC_PANEL;
            into.q[of_row][row] = row < rows && first + of_row < terms ? q[row + (first + of_row) * q_ld]
                                                                       : T(0);
            into.s[of_column][column] = column < columns && first + of_column < terms
                                            ? s[first + of_column + column * s_ld]
                                            : T(0);
        }
    }

    DEVICE_METHOD void add(const panel &of, T (&sums)[STEDC_EACH][STEDC_EACH]) const
    {
        const int row = (int)thread_index() % STEDC_SIDE, column = (int)thread_index() / STEDC_SIDE;
        UNROLL_BY(4)
        for (int term = 0; term < STEDC_PANEL; term++) {
            UNROLL
            for (int j = 0; j < STEDC_EACH; j++) {
                UNROLL
                for (int i = 0; i < STEDC_EACH; i++)
                    sums[j][i] = fused(of.q[term][row + i * STEDC_SIDE], of.s[term][column + j * STEDC_SIDE],
                                       sums[j][i]);
            }
        }
    }

    DEVICE_METHOD void store(const T (&sums)[STEDC_EACH][STEDC_EACH]) const
    {
        const int first_row = (int)thread_index() % STEDC_SIDE,
                  first_column = (int)thread_index() / STEDC_SIDE;
        UNROLL
        for (int j = 0; j < STEDC_EACH; j++) {
            UNROLL
            for (int i = 0; i < STEDC_EACH; i++) {
                const int row = first_row + i * STEDC_SIDE, column = first_column + j * STEDC_SIDE;
                if (row < rows && column < columns)
                    product[row + column * product_ld] = sums[j][i];
            }
        }
    }

    DEVICE_METHOD void compute() const
    {
        panel &shared = *static_cast<panel *>(shared_memory());
        T sums[STEDC_EACH][STEDC_EACH] = {};
        for (int first = 0; first < terms; first += STEDC_PANEL) {
            load(shared, first);
            block_barrier();
            add(shared, sums);
            block_barrier();
        }
        store(sums);
    }
};

#endif
