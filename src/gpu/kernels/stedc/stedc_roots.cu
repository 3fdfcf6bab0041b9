/* A merge's eigenvalues: the roots of the secular equation 1 + rho sum z_j^2 / (d_j - x) = 0, each by a warp,
 * as LAPACK's dlaed4 has them: the nearer pole and the offset from it. Then the z whose roots these are
 * exactly (Gu and Eisenstat), and the order of all the node's eigenvalues. */
#include "gpu/kernels/stedc/stedc_node.h"

template <typename T>
DEVICE_FUNCTION bool stedc_find_root(const stedc_node<T> &node, int root, int count, T weight)
{
    const T *poles = node.real(STEDC_POLE_VALUE), *z = node.real(STEDC_POLE_Z);
    const bool is_last = root == count - 1;
    stedc_search<T, false> search = {
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
