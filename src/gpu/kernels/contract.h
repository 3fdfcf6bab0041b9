/* contract.h - the numerical contract: the one order of summation.
 *
 * Result bits depend on routine, type, shape, flags and operand values only. Every
 * kernel, launch shape and CPU build computes each sum in this order; never change it.
 *
 * s_i is a sum over terms j = 0, 1, ... counted from the operand's origin.
 *  Leaf q: the terms j in [32q, 32q + 32).
 *   - Row leaf: one ascending chain acc = fma(a_j, x_j, acc) from +0.
 *   - Lane leaf: 8 virtual lanes; lane l owns terms 32q + v*l + k + 8*v*c, k < v, with
 *     v = 16 / element bytes (4 for S, 2 for D and C, 1 for Z and W); per lane one
 *     ascending fma chain from +0; then an xor tree over lanes: 1, 2, 4. A lane
 *     without terms brings +0.
 *   Terms that do not exist (beyond the operand, in the unstored triangle of TRMV)
 *   are skipped. A unit diagonal is the term fma(1, x, acc).
 *  Which leaf:
 *   - GEMV and TRMV, not transposed: row leaves. Transposed: lane leaves, the
 *     diagonal leaf of TRMV too.
 *   - SYMV, row i in leaf p = i / 32: q == p is a row leaf, taking the stored one of
 *     A(i,j), A(j,i); lower: q < p row leaf of A(i,j), q > p lane leaf of A(j,i);
 *     upper: q > p row leaf of A(i,j), q < p lane leaf of A(j,i).
 *  Node: 8 leaves [8r, 8r + 8) in an aligned binary tree (edges 32, 64, 128, 256).
 *  Chains: nodes [64t, 64t + 64) added ascending (16384 terms), then 64 of those
 *   (2^20 terms), and so on.
 *  In trees and chains a missing child is skipped and a lone one passes unchanged.
 *  Result: fma(alpha, s, beta * y); with beta == 0: alpha * s, y is not read. TRMV: s.
 *   AXPY: fma(alpha, x, y) for each element.
 *  alpha == 0 (the native API's; the host's otherwise): the products beta * y, with beta == 0
 *   +0, and y itself where beta is 1 and for AXPY. A and x are not read.
 *  Zeros of operands are never skipped. All NaNs count as one value. Nothing else is contracted.
 *
 * Complex types (C, Z): the same orders of leaves, lanes, trees and chains. Written
 * (re, im), the operations on elements are
 *  - sum: (p.re + q.re, p.im + q.im);
 *  - term acc' = fma(a, x, acc), four fma in two chains:
 *      acc'.re = fma(-a.im, x.im, fma(a.re, x.re, acc.re))
 *      acc'.im = fma( a.im, x.re, fma(a.re, x.im, acc.im))
 *    chains of a leaf start from (+0, +0);
 *  - product a * b, where nothing is added to it:
 *      (fma(-a.im, b.im, a.re * b.re), fma(a.im, b.re, a.re * b.im)).
 *  A coefficient a of a term:
 *  - conj(A) and A^H: the sign of a.im is flipped (of zeros too) before the term. So
 *    conj(A) x is conj(A conj(x)), bit for bit but for the signs of zeros.
 *  - HEMV is SYMV with A(i,j) = conj(A(j,i)) wherever the unstored one is called for:
 *    in the mirrored half of the row leaf on the diagonal, and in every lane leaf. The
 *    diagonal is (re, +0) whatever its stored imaginary part, which is not read; its
 *    terms are whole terms, four fma. With `conjugated` the sign of every a.im off the
 *    diagonal is flipped once more.
 *  - Unit diagonal: the term is the sum acc + x (a product with (1, 0) would make a
 *    NaN of an Inf).
 *  Result: fma(alpha, s, b) as a term with a = alpha, x = s, acc = b; b is the product
 *   beta * y, or y itself where beta is (1, 0); where beta is (0, 0): the product
 *   alpha * s, y is not read. Zeros of either sign are meant. TRMV: s.
 *   AXPY: the term fma(alpha, x, y).
 *  A part that is NaN counts as one value; parts are apart in this.
 *
 * Double-double (W): an element is hi + lo, hi the nearest double to the sum. The same
 * orders; v = 1. With every operation below rounded to double once (fma too):
 *  - left_out(a, b, s): b' = s - a; (a - (s - b')) + (b - b'), what s = a + b left out;
 *  - settled(s, w): where s is not finite w is taken as +0; hi = s + w; (hi, w - (hi - s));
 *  - rest(a, b, p): fma(a.lo, b.hi, fma(a.hi, b.lo, fma(a.hi, b.hi, -p)));
 *  - sum a + b: s = a.hi + b.hi; r = a.lo + b.lo;
 *      (h, l) = settled(s, left_out(a.hi, b.hi, s) + r);
 *      settled(h, l + left_out(a.lo, b.lo, r));
 *  - term fma(a, x, acc): p = a.hi * x.hi; s = acc.hi + p;
 *      settled(s, left_out(acc.hi, p, s) + (acc.lo + rest(a, x, p)));
 *  - product a * b: p = a.hi * b.hi; settled(p, rest(a, b, p)).
 *  Chains of a leaf start from (+0, +0). A scalar is 0 or 1 when hi is and lo is zero.
 *  Result: as for real types, fma a term. An error of at most a few 2^-105 of the
 *  magnitudes that meet in an operation, provided that no product is so small that its
 *  rest underflows (below 2^-915 or so).
 *  Inf and NaN: an element whose hi is one of them is that value, its lo is not looked
 *  at, and hi is what real types give; it overflows as theirs. A result has lo = +0 then.
 *  A finite hi with a lo that is not finite is no element; the result is not specified,
 *  but the same everywhere. All NaNs count as one value in hi. */
#ifndef MUBLAS_CONTRACT_H
#define MUBLAS_CONTRACT_H

#include "gpu/kernels/arguments.h"
#include "gpu/kernels/double_double.h"

constexpr int LEAF = 32;
constexpr int LANES = 8;
constexpr int LANE_TERMS = LEAF / LANES;
constexpr int NODE_LEAVES = 8;
constexpr int NODE = LEAF * NODE_LEAVES;
constexpr int CHAIN = 64;
constexpr int CHAIN_LEVELS = 4; /* 2^32 terms: launch_supported stays below */

/* v: consecutive terms of one lane. */
template <typename T> constexpr int lane_run = 16 / (int)sizeof(T);

/* Position in its leaf of the index-th (ascending) of a lane's LANE_TERMS terms. */
template <typename T> DEVICE_FUNCTION int lane_term(int lane, int index)
{
    constexpr int run = lane_run<T>;
    return run * lane + index % run + LANES * run * (index / run);
}

/* Two columns meet in lanes 2^b apart: each lane gives the half that the other keeps, so
 * that sums meet in other lanes than in a plain xor tree but with the same partners. */
template <typename T> DEVICE_FUNCTION T columns_meet(const T &low, const T &high, int lane, int bit)
{
    const T keep = choose(lane & bit, high, low);
    const T give = choose(lane & bit, low, high);
    return keep + group_exchange(give, bit);
}

/* A group's lane leaves of COUNT columns at once, 2, 4 or 8: each lane brings its chains of
 * the columns and leaves with the whole sum of the column of its own number modulo COUNT. */
template <int COUNT, typename T> DEVICE_FUNCTION T lane_sums(const T (&chains)[COUNT], int lane)
{
#ifdef MUBLAS_EMULATED
    const T *all = group_gather(chains) + lane % COUNT;
    const T low = (all[0] + all[COUNT]) + (all[2 * COUNT] + all[3 * COUNT]);
    const T high = (all[4 * COUNT] + all[5 * COUNT]) + (all[6 * COUNT] + all[7 * COUNT]);
    return low + high;
#else
    constexpr int half = COUNT / 2;
    T two[half], four[half > 1 ? half / 2 : 1];
    UNROLL
    for (int j = 0; j < half; j++)
        two[j] = columns_meet(chains[2 * j], chains[2 * j + 1], lane, 1);
    if constexpr (COUNT == 2) {
        four[0] = two[0] + group_exchange(two[0], 2);
    } else {
        UNROLL
        for (int j = 0; j < half / 2; j++)
            four[j] = columns_meet(two[2 * j], two[2 * j + 1], lane, 2);
    }
    if constexpr (COUNT == 8)
        return columns_meet(four[0], four[1], lane, 4);
    else
        return four[0] + group_exchange(four[0], 4);
#endif
}

/* Aligned binary tree over values[0], values[stride], ... (WIDTH of them), of which
 * [first, end) exist; at least one does. */
template <int WIDTH, typename T>
DEVICE_FUNCTION T tree_sum(const T *values, size_t stride, int first, int end)
{
    if constexpr (WIDTH == 1) {
        return values[0];
    } else {
        constexpr int half = WIDTH / 2;
        if (end <= half)
            return tree_sum<half>(values, stride, first, end);
        if (first >= half)
            return tree_sum<half>(values + half * stride, stride, first - half, end - half);
        return tree_sum<half>(values, stride, first, half) +
               tree_sum<half>(values + half * stride, stride, 0, end - half);
    }
}

/* sum and the nodes of COUNT partials, of which [low, past) exist, one at least. Loads wait for
 * no condition: what does not exist is read where something does. */
template <int COUNT, int PARTS, bool ALL, typename T>
DEVICE_FUNCTION T nodes_added(const T *partials, size_t stride, int low, int past, bool started, T sum)
{
    T part[COUNT];
    UNROLL
    for (int c = 0; c < COUNT; c++)
        part[c] = load_partial(partials + (ALL ? c : c < low ? low : c < past ? c : past - 1) * stride);
    UNROLL
    for (int c = 0; c < COUNT; c += PARTS) {
        const int before = ALL || c >= low ? 0 : low - c, there = ALL || past - c > PARTS ? PARTS : past - c;
        if (!ALL && (before >= PARTS || there <= 0))
            continue;
        const T node = tree_sum<PARTS>(part + c, 1, before, there);
        sum = started ? sum + node : node;
        started = true;
    }
    return sum;
}

/* One chain of at most CHAIN nodes; a node comes in PARTS partial trees. Partial c
 * lies at partials[c * stride]; [first, end) of them exist and belong to this chain. */
template <int PARTS, typename T>
DEVICE_FUNCTION T node_chain(const T *partials, size_t stride, int64_t first, int64_t end)
{
    /* Loads under way; a double-double sum takes much code. */
    constexpr int some = 4, many = is_double_double<T> ? some : sizeof(T) <= 8 ? 16 : 8;
    constexpr int most = sizeof(T) <= 8 ? 2 * many : many;
    T sum = T{};
    UNROLL_BY(1)
    for (int64_t base = first / some * some; base < end;) {
        const T *from = partials + base * stride;
        const int low = base < first ? (int)(first - base) : 0;
        const int past = end - base < most ? (int)(end - base) : most;
        if (low == 0 && past == most) {
            sum = nodes_added<most, PARTS, true>(from, stride, 0, most, base > first, sum);
            base += most;
        } else if (low == 0 && past >= many) {
            sum = nodes_added<many, PARTS, true>(from, stride, 0, many, base > first, sum);
            base += many;
        } else {
            sum = nodes_added<some, PARTS, false>(from, stride, low, past, base > first, sum);
            base += some;
        }
    }
    return sum;
}

/* The whole sum over the partials [first, end), first < end: chains of chains. */
template <int PARTS, int LEVEL, typename T>
DEVICE_FUNCTION T chain_sum(const T *partials, size_t stride, int64_t first, int64_t end)
{
    if constexpr (LEVEL == 1) {
        return node_chain<PARTS>(partials, stride, first, end);
    } else {
        constexpr int64_t span = (int64_t)PARTS << (6 * (LEVEL - 1));
        T sum = T{};
        bool started = false;
        for (int64_t start = first; start < end;) {
            const int64_t aligned = (start / span + 1) * span;
            const int64_t next = aligned < end ? aligned : end;
            const T child = chain_sum<PARTS, LEVEL - 1>(partials, stride, start, next);
            sum = started ? sum + child : child;
            started = true;
            start = next;
        }
        return sum;
    }
}

static_assert(CHAIN == 1 << 6, "chain_sum shifts by 6 bits a level");
static_assert(CHAIN * NODE == 64 * 256, "see chain_children");

/* The same for partials that are trees over `edge` terms: 64, 128 or 256. */
template <typename T>
DEVICE_FUNCTION T segment_sum(const T *partials, unsigned edge, int64_t first, int64_t end)
{
    if (edge == NODE)
        return chain_sum<1, CHAIN_LEVELS>(partials, NODE, first, end);
    if (edge == NODE / 2)
        return chain_sum<2, CHAIN_LEVELS>(partials, NODE / 2, first, end);
    return chain_sum<4, CHAIN_LEVELS>(partials, NODE / 4, first, end);
}

/* The member of a scalar that belongs to the type of the second argument. */
DEVICE_FUNCTION float scalar_as(const union blas_scalar &scalar, float) { return scalar.s; }
DEVICE_FUNCTION double scalar_as(const union blas_scalar &scalar, double) { return scalar.d; }
DEVICE_FUNCTION complex_number<float> scalar_as(const union blas_scalar &scalar, complex_number<float>)
{
    return {scalar.c[0], scalar.c[1]};
}
DEVICE_FUNCTION complex_number<double> scalar_as(const union blas_scalar &scalar, complex_number<double>)
{
    return {scalar.z[0], scalar.z[1]};
}

DEVICE_FUNCTION double_double scalar_as(const union blas_scalar &scalar, double_double)
{
    return {scalar.w[0], scalar.w[1]};
}

/* y of GEMV, SYMV and HEMV; `old`, what it was, does not matter where beta is 0. */
template <typename T> DEVICE_FUNCTION T scaled_result(const T &alpha, const T &sum, const T &beta, const T &old)
{
    if (equals(beta, 0))
        return product(alpha, sum);
    return fused(alpha, sum, equals(beta, 1) ? old : product(beta, old));
}

#endif
