/* The rest of a merge, as LAPACK's dlasd3 and dlasd4: the roots, each by a warp; the z whose roots these are exactly,
 * and the order of all the node's values; the coefficients of both sides' vectors in the children's; products for
 * small nodes. */
#include "gpu/kernels/bdsdc/bdsdc_node.h"

template <typename T> DEVICE_FUNCTION T bdsdc_weight(const T *z, int count)
{
    T sum = 0;
    for (int j = (int)lane_index(); j < count; j += WARP_THREADS)
        sum = fused(z[j], z[j], sum);
    return warp_reduce_one(sum, sum_of());
}

/* False where it does not converge. */
template <typename T> DEVICE_FUNCTION bool bdsdc_find_root(const bdsdc_node<T> &node, int root, int count)
{
    const T *poles = node.real(STEDC_POLE_VALUE), *z = node.real(STEDC_POLE_Z);
    const bool is_last = root == count - 1;
    stedc_search<T, true> search = {
        {poles, z, T(1), count, is_last ? root - 1 : root, is_last, poles[root]}, 0, 0, 0};
    bool converged = true;
    if (count == 1) {
        search.offset = z[0] * z[0];
    } else {
        if (is_last)
            search.begin_last(bdsdc_weight(z, count));
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

template <typename T> DEVICE_FUNCTION void bdsdc_roots(const bdsdc_arguments &arguments)
{
    int64_t number;
    int root;
    if (!stedc_warps_row(arguments.merge, &number, &root))
        return;
    const bdsdc_node<T> node(arguments, number);
    const int count = root < node.rows ? node.poles() : 0;
    if (root < count && !bdsdc_find_root(node, root, count) && lane_index() == 0)
        store_agreed(arguments.merge.info, 1);
}
BDSDC_KERNEL(roots)

/* The pole's element of the z whose secular equation has just these roots. */
template <typename T> DEVICE_FUNCTION T bdsdc_recomputed_z(const bdsdc_node<T> &node, int pole, int count)
{
    const T *poles = node.real(STEDC_POLE_VALUE);
    T product = 1;
    for (int j = (int)lane_index(); j < count; j += WARP_THREADS) {
        const T distance = node.distance(poles[pole], j);
        product *= j == pole ? distance : distance / stedc_equation<T, true>::apart(poles[pole], poles[j]);
    }
    product = warp_reduce_one(product, product_of());
    const T size = sqrt(product < 0 ? -product : product);
    return node.real(STEDC_POLE_Z)[pole] < 0 ? -size : size;
}

/* Each entry of the pole's chain has the share of its own z. A pole that is alone has the vectors of its entries. */
template <typename T> DEVICE_FUNCTION void bdsdc_share_z(const bdsdc_node<T> &node, int pole, int count)
{
    const T recomputed = count == 1 ? T(1) : bdsdc_recomputed_z(node, pole, count),
            value = node.real(STEDC_POLE_VALUE)[pole];
    const int *ends = node.integer(STEDC_POLE_ENTRY);
    const int first = pole > 0 ? ends[pole - 1] + 1 : 0, end = ends[pole];
    const T norm = node.real(STEDC_ENTRY_NORM)[end];
    for (int entry = first + (int)lane_index(); entry <= end; entry += WARP_THREADS) {
        const int row = node.integer(STEDC_ENTRY_ROW)[entry];
        const T z = recomputed * (first == end ? T(1) : node.real(STEDC_ENTRY_Z)[entry] / norm);
        node.real(STEDC_ROW_POLE)[row] = value;
        node.real(STEDC_ROW_Z)[row] = z * node.share(row);
        if (entry == 0) {
            node.real(STEDC_ROW_POLE)[node.last()] = 0;
            node.real(STEDC_ROW_Z)[node.last()] = z * node.share(node.last());
        }
    }
}

/* A warp for each root and each deflated value. */
template <typename T> DEVICE_FUNCTION void bdsdc_order(const bdsdc_arguments &arguments)
{
    int64_t number;
    int source;
    if (!stedc_warps_row(arguments.merge, &number, &source))
        return;
    const bdsdc_node<T> node(arguments, number);
    if (source >= node.values())
        return;
    const int count = node.poles(), deflated = node.values() - count, own = source - count;
    if (source < count) {
        const T value = node.value(source);
        bdsdc_share_z(node, source, count);
        stedc_place(node, source, source + stedc_deflated_before(node, value, 0, deflated), value);
        return;
    }
    const T value = node.real(STEDC_DEFLATED_VALUE)[own];
    const int entry = node.integer(STEDC_DEFLATED_ENTRY)[own];
    int below = 0; /* roots, which ascend */
    for (int more = count; more > 0;) {
        const int half = more / 2, middle = below + half;
        const bool is_below = !stedc_is_less(value, node.value(middle));
        below = is_below ? middle + 1 : below;
        more = is_below ? more - half - 1 : half;
    }
    if (entry < 0 && lane_index() == 0)
        node.real(STEDC_ROW_Z)[-1 - entry] = node.real(STEDC_ROW_POLE)[-1 - entry] = 0;
    stedc_place(node, source, below + stedc_deflated_before(node, value, own, deflated), value);
}
BDSDC_KERNEL(order)

/* An element of a column of S by its row. */
template <typename T> struct bdsdc_root_element {
    const bdsdc_node<T> &node;
    bool is_right, is_alone;
    T origin, offset; /* of the root */

    /* Right: z over the distances from the root's square, times that of the nearest pole, which keeps the largest
     * near to z; left: z times the poles over the distances, and -1 in the middle row. */
    DEVICE_METHOD T operator()(int row) const
    {
        const T z = node.real(STEDC_ROW_Z)[row], pole = node.real(STEDC_ROW_POLE)[row];
        if (!is_right && row == node.middle())
            return is_alone ? T(1) : T(-1);
        if (is_alone)
            return is_right ? z : T(0);
        if (z == 0 || (!is_right && pole == 0))
            return 0;
        const T distance = stedc_equation<T, true>::apart(pole, origin) - offset;
        return is_right ? z * (stedc_modulus(offset) / distance) : pole * z / distance;
    }
};

/* A root's column, of norm 1. */
template <typename T>
DEVICE_FUNCTION void bdsdc_root_column(const bdsdc_node<T> &node, int root, bool is_right, T *column)
{
    const bdsdc_root_element<T> element = {node, is_right, node.poles() == 1, node.real(STEDC_ROOT_ORIGIN)[root],
                                           node.real(STEDC_ROOT_OFFSET)[root]};
    T squares = 0;
    for (int row = (int)thread_index(); row < node.rows; row += (int)thread_count()) {
        const T here = element(row);
        squares = fused(here, here, squares);
        column[row] = here;
    }
    const T factor = 1 / sqrt(block_reduce(squares, stedc_of_warps<T>(), sum_of()));
    for (int row = (int)thread_index(); row < node.rows; row += (int)thread_count())
        column[row] *= factor;
}

/* The column of an entry which its chain's rotations deflated, as stedc's. The first chain, the 0's, has rotations
 * of right vectors alone, and deflates the next entry. */
template <typename T>
DEVICE_FUNCTION void bdsdc_chain_column(const bdsdc_node<T> &node, int entry, bool is_right, T *column)
{
    const T *z = node.real(STEDC_ENTRY_Z), *norms = node.real(STEDC_ENTRY_NORM);
    const int *entries = node.integer(STEDC_ROW_ENTRY), *ends = node.integer(STEDC_POLE_ENTRY);
    const int chains_before = stedc_count_below(ends, node.poles(), entry, false);
    const int first = chains_before > 0 ? ends[chains_before - 1] + 1 : 0;
    const T sign = chains_before > 0 ? T(1) : T(-1);
    const bool is_turned = is_right || chains_before > 0;
    const T cosine = z[entry + 1] / norms[entry + 1], sine = norms[entry] / norms[entry + 1];
    for (int row = (int)thread_index(); row < node.rows; row += (int)thread_count()) {
        const int of_row = entries[row];
        const bool is_carried = of_row >= first && of_row <= entry;
        const T part = entry == first ? T(1) : is_carried ? z[of_row] / norms[entry] : T(0);
        const T carried = is_carried ? sign * cosine * part * node.share(row) : T(0);
        column[row] = of_row == entry + 1 ? (is_turned ? -sign * sine : T(1)) : is_turned ? carried : T(0);
    }
}

template <typename T> DEVICE_FUNCTION void bdsdc_unit_column(const bdsdc_node<T> &node, int one, T *column)
{
    for (int row = (int)thread_index(); row < node.rows; row += (int)thread_count())
        column[row] = row == one ? T(1) : T(0);
}

/* The last column: what of the null vectors is not in the first pole's; on the left, the row behind. */
template <typename T> DEVICE_FUNCTION void bdsdc_null_column(const bdsdc_node<T> &node, bool is_right, T *column)
{
    const T of_middle = is_right ? -node.share(node.last()) : T(0),
            of_last = is_right ? node.share(node.middle()) : T(1);
    for (int row = (int)thread_index(); row < node.rows; row += (int)thread_count())
        column[row] = row == node.middle() ? of_middle : row == node.last() ? of_last : T(0);
}

/* A block for each column that is wanted of each side. */
template <typename T> DEVICE_FUNCTION void bdsdc_vectors(const bdsdc_arguments &arguments)
{
    const stedc_arguments &merge = arguments.merge;
    const int64_t index = block_index() % merge.columns, others = block_index() / merge.columns;
    const int which = arguments.first_side + (int)(others % arguments.side_count);
    const bool is_right = which == BDSDC_RIGHT;
    const bdsdc_node<T> node(arguments, others / arguments.side_count);
    const int64_t rank = merge.level == 0 ? node.values() - 1 - merge.first - index : index;
    if (rank < 0 || rank >= node.rows)
        return;
    T *column = static_cast<T *>(arguments.sides[which].s) + node.begin + index * merge.s_ld;
    const int source = node.integer(STEDC_COLUMN_SOURCE)[rank], poles = node.poles();
    if (rank == node.last()) {
        bdsdc_null_column(node, is_right, column);
        return;
    }
    if (source < poles) {
        bdsdc_root_column(node, source, is_right, column);
        return;
    }
    const int entry = node.integer(STEDC_DEFLATED_ENTRY)[source - poles];
    if (entry >= 0)
        bdsdc_chain_column(node, entry, is_right, column);
    else
        bdsdc_unit_column(node, -1 - entry, column);
}
BDSDC_KERNEL(vectors)

/* Each child's rows of the node's vectors: its own times its rows of S. A block a tile; 256 threads. */
template <typename T> DEVICE_FUNCTION void bdsdc_multiply(const bdsdc_arguments &arguments)
{
    const stedc_arguments &merge = arguments.merge;
    const int64_t row_tiles = (stedc_node_most(merge.n, merge.level + 1) + STEDC_TILE - 1) / STEDC_TILE;
    const int64_t column_tiles = (merge.columns + STEDC_TILE - 1) / STEDC_TILE;
    const int64_t tile_row = block_index() % row_tiles * STEDC_TILE;
    const int64_t tile_column = block_index() / row_tiles % column_tiles * STEDC_TILE;
    const int64_t others = block_index() / row_tiles / column_tiles;
    const bdsdc_side &side = arguments.sides[arguments.first_side + others % arguments.side_count];
    const int64_t child = others / arguments.side_count;
    const bdsdc_node<T> node(arguments, child / 2);
    const int64_t begin = stedc_begin(merge.n, merge.level + 1, child);
    const int64_t end = stedc_begin(merge.n, merge.level + 1, child + 1);
    const int64_t kept = merge.level == 0 && end == merge.n ? end - 1 : end; /* of the whole no row behind */
    const int64_t columns = merge.level == 0 || node.rows > merge.columns ? merge.columns : node.rows;
    const stedc_tile<T> tile = {
        static_cast<const T *>(side.q) + begin + tile_row,
        static_cast<const T *>(side.s) + begin + tile_column * merge.s_ld,
        static_cast<T *>(side.product) + begin + tile_row + tile_column * side.product_ld,
        side.q_ld,
        merge.s_ld,
        side.product_ld,
        (int)(kept - begin - tile_row),
        (int)(columns - tile_column),
        (int)(end - begin)};
    if (tile.rows > 0 && tile.columns > 0)
        tile.compute();
}
BDSDC_KERNEL(multiply)
