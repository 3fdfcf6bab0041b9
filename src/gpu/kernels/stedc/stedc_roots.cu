/* A merge's eigenvalues: the roots of the secular equation 1 + rho sum z_j^2 / (d_j - x) = 0, each by a warp,
 * as LAPACK's dlaed4 has them: the nearer pole and the offset from it. Then the z whose roots these are
 * exactly (Gu and Eisenstat), and the order of all the node's eigenvalues. */
#include "gpu/kernels/stedc/stedc_node.h"

enum { STEDC_STEPS_MOST = 100 };

/* The secular equation near a root: between the poles `left` and left + 1, or right of both, the last. */
template <typename T> struct stedc_equation {
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

    DEVICE_METHOD T distance(int pole, T offset) const { return poles[pole] - origin - offset; }

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
template <typename T> struct stedc_search {
    stedc_equation<T> equation;
    T lower, upper, offset; /* the root lies between the first two */

    DEVICE_METHOD T square(int pole) const { return equation.z[pole] * equation.z[pole]; }

    /* The terms of the two poles with the rest as it is in the middle between them. */
    DEVICE_METHOD void begin_between(int left)
    {
        const T gap = equation.poles[left + 1] - equation.poles[left], middle = gap / 2;
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
        const T gap = equation.poles[last] - equation.poles[last - 1], middle = weight / 2;
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
    DEVICE_METHOD T step(const typename stedc_equation<T>::sums &now, T value) const
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

template <typename T>
DEVICE_FUNCTION bool stedc_find_root(const stedc_node<T> &node, int root, int count, T weight)
{
    const T *poles = node.real(STEDC_POLE_VALUE), *z = node.real(STEDC_POLE_Z);
    const bool is_last = root == count - 1;
    stedc_search<T> search = {
        {poles, z, 1 / weight, count, is_last ? root - 1 : root, is_last, poles[root]}, 0, 0, 0};
    bool converged = true;
    if (count == 1) {
        search.offset = weight * z[0] * z[0];
    } else {
        if (is_last)
            search.begin_last(weight);
        else
            search.begin_between(root);
        converged = search.run();
    }
    if (lane_index() == 0) {
        node.real(STEDC_ROOT_ORIGIN)[root] = search.equation.origin;
        node.real(STEDC_ROOT_OFFSET)[root] = search.offset;
    }
    return converged;
}

/* The node and the row that this warp is for; false where there is none. */
DEVICE_FUNCTION bool stedc_warps_row(const stedc_arguments &arguments, int64_t *node, int *row)
{
    const int64_t warp = (int64_t)block_index() * warp_count() + warp_index();
    const int64_t most = stedc_node_most(arguments.n, arguments.level);
    *node = warp / most;
    *row = (int)(warp % most);
    return *node >> arguments.level == 0;
}

template <typename T> DEVICE_FUNCTION void stedc_roots(const stedc_arguments &arguments)
{
    int64_t number;
    int root;
    if (!stedc_warps_row(arguments, &number, &root))
        return;
    const stedc_node<T> node(arguments, number);
    const int count = root < node.rows ? node.poles() : 0;
    if (root < count && !stedc_find_root(node, root, count, node.weight()) && lane_index() == 0)
        store_agreed(arguments.info, 1);
}
STEDC_KERNEL(roots)

template <typename T> DEVICE_FUNCTION T stedc_root(const stedc_node<T> &node, int root)
{
    return node.real(STEDC_ROOT_ORIGIN)[root] + node.real(STEDC_ROOT_OFFSET)[root];
}

/* The pole's element of the z whose secular equation has just these roots. */
template <typename T> DEVICE_FUNCTION T stedc_recomputed_z(const stedc_node<T> &node, int pole, int count)
{
    const T *poles = node.real(STEDC_POLE_VALUE);
    const T *origins = node.real(STEDC_ROOT_ORIGIN), *offsets = node.real(STEDC_ROOT_OFFSET);
    T product = 1;
    for (int j = (int)lane_index(); j < count; j += WARP_THREADS) {
        const T distance = poles[pole] - origins[j] - offsets[j];
        product *= j == pole ? distance : distance / (poles[pole] - poles[j]);
    }
    product = warp_reduce_one(product, product_of());
    const T size = sqrt(product < 0 ? -product : product);
    return node.real(STEDC_POLE_Z)[pole] < 0 ? -size : size;
}

/* Each entry of the pole's chain has the share of its own z. */
template <typename T> DEVICE_FUNCTION void stedc_share_z(const stedc_node<T> &node, int pole, int count)
{
    const T recomputed = stedc_recomputed_z(node, pole, count), value = node.real(STEDC_POLE_VALUE)[pole];
    const int *ends = node.integer(STEDC_POLE_ENTRY);
    const int first = pole > 0 ? ends[pole - 1] + 1 : 0, end = ends[pole];
    const T norm = node.real(STEDC_ENTRY_NORM)[end];
    for (int entry = first + (int)lane_index(); entry <= end; entry += WARP_THREADS) {
        const int row = node.integer(STEDC_ENTRY_ROW)[entry];
        node.real(STEDC_ROW_POLE)[row] = value;
        node.real(STEDC_ROW_Z)[row] = recomputed *
                                      (first == end ? T(1) : node.real(STEDC_ENTRY_Z)[entry] / norm);
    }
}

/* How many of the deflated are less than a root, or come before the deflated `own`. */
template <typename T>
DEVICE_FUNCTION int stedc_deflated_before(const stedc_node<T> &node, T value, int own, int count)
{
    const T *values = node.real(STEDC_DEFLATED_VALUE);
    int before = 0;
    for (int i = (int)lane_index(); i < count; i += WARP_THREADS)
        before += stedc_is_less(values[i], value) || (i < own && !stedc_is_less(value, values[i]));
    return warp_reduce_one(before, sum_of());
}

template <typename T>
DEVICE_FUNCTION void stedc_place(const stedc_node<T> &node, int source, int rank, T value)
{
    if (lane_index() != 0)
        return;
    node.real(STEDC_VALUES)[rank] = value;
    node.integer(STEDC_COLUMN_SOURCE)[rank] = source;
}

/* A warp for each root and each deflated value. */
template <typename T> DEVICE_FUNCTION void stedc_order(const stedc_arguments &arguments)
{
    int64_t number;
    int source;
    if (!stedc_warps_row(arguments, &number, &source))
        return;
    const stedc_node<T> node(arguments, number);
    if (source >= node.rows)
        return;
    const int count = node.poles(), deflated = node.rows - count, own = source - count;
    if (source < count) {
        const T value = stedc_root(node, source);
        stedc_share_z(node, source, count);
        stedc_place(node, source, source + stedc_deflated_before(node, value, 0, deflated), value);
        return;
    }
    const T value = node.real(STEDC_DEFLATED_VALUE)[own];
    const int entry = node.integer(STEDC_DEFLATED_ENTRY)[own];
    int below = 0; /* roots, which ascend */
    for (int more = count; more > 0;) {
        const int half = more / 2, middle = below + half;
        const bool is_below = !stedc_is_less(value, stedc_root(node, middle));
        below = is_below ? middle + 1 : below;
        more = is_below ? more - half - 1 : half;
    }
    if (entry < 0 && lane_index() == 0)
        node.real(STEDC_ROW_Z)[-1 - entry] = node.real(STEDC_ROW_POLE)[-1 - entry] = 0;
    stedc_place(node, source, below + stedc_deflated_before(node, value, own, deflated), value);
}
STEDC_KERNEL(order)
