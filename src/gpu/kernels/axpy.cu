/* y[i] = fma(alpha, x[i], y[i]), a complex term for complex types.
 *
 * Vectors without gaps go in pieces, of which a thread has several under way. A block's pieces
 * are neighbours, and its chunks of them begin at y's memory lines whatever the alignment: lines
 * that are written by two blocks cost up to a quarter of the bandwidth. */
#include "gpu/kernels/scalars.h"

constexpr int PIECE_BYTES = 16, LINE_BYTES = 128;

/* 16 bytes, where x and y meet in their alignment. */
template <typename T> struct whole_piece {
    static constexpr int BYTES = PIECE_BYTES, RUN = lane_run<T>;
    T x[RUN], y[RUN];

    DEVICE_METHOD void load_from(const T *from, const T *to, int64_t index)
    {
        load_wide(from + index * RUN, x);
        load_result_wide(to + index * RUN, y);
    }
    DEVICE_METHOD void store_to(T *to, int64_t index, const T &alpha)
    {
        UNROLL
        for (int k = 0; k < RUN; k++)
            y[k] = fused(alpha, x[k], y[k]);
        store_wide(to + index * RUN, y);
    }
};

/* A real number, wherever it lies: an element or a part of one. */
template <typename T> struct part_piece {
    static constexpr int BYTES = (int)sizeof(T);
    T x, y;

    DEVICE_METHOD void load_from(const T *from, const T *to, int64_t index)
    {
        x = load(from + index), y = load_result(to + index);
    }
    DEVICE_METHOD void store_to(T *to, int64_t index, const T &alpha)
    {
        store_result(to + index, fused(alpha, x, y));
    }
};
template <typename R> struct part_piece<complex_number<R>> {
    static constexpr int BYTES = (int)sizeof(R);
    R x, other, y; /* the parts of the element's term: this one's x, the other one's */

    DEVICE_METHOD void load_from(const complex_number<R> *from, const complex_number<R> *to, int64_t index)
    {
        x = load(parts_of(from) + index), other = load(parts_of(from) + (index + 1 - 2 * (index & 1)));
        y = load_result(parts_of(to) + index);
    }
    DEVICE_METHOD void store_to(complex_number<R> *to, int64_t index, const complex_number<R> &alpha)
    {
        const R across = flip_sign(alpha.im, index & 1 ? 0 : SIGN_MASK);
        store_result(parts_of(to) + index, fused(across, other, fused(alpha.re, x, y)));
    }
};

/* COUNT pieces of a thread of a warp. Not WHOLE: only those in [0, count) exist. */
template <typename PIECE, int COUNT, bool WHOLE, typename T>
DEVICE_FUNCTION void axpy_pieces(const T *x, T *y, int64_t first, int64_t count, const T &alpha)
{
    PIECE pieces[COUNT] = {};
    UNROLL
    for (int k = 0; k < COUNT; k++) {
        const int64_t i = first + k * (int)WARP_THREADS;
        if (WHOLE || (i >= 0 && i < count))
            pieces[k].load_from(x, y, i);
    }
    UNROLL
    for (int k = 0; k < COUNT; k++) {
        const int64_t i = first + k * (int)WARP_THREADS;
        if (WHOLE || (i >= 0 && i < count))
            pieces[k].store_to(y, i, alpha);
    }
}

/* A block's chunk: each whole warp has its part of it; fewer threads do one warp's work by turns. */
template <typename PIECE, int AHEAD, typename T>
DEVICE_FUNCTION void axpy_chunks(const T *x, T *y, int64_t count, const T &alpha)
{
    constexpr int pieces = AHEAD * PIECE_BYTES / PIECE::BYTES, warp_pieces = pieces * (int)WARP_THREADS;
    constexpr int many = pieces < 8 ? pieces : 8, few = pieces < 4 ? pieces : 4, warp = (int)WARP_THREADS;
    const int threads = (int)thread_count();
    const int warps = threads < warp ? 1 : threads / warp, chunk = warps * warp_pieces;
    const int64_t apart = (int64_t)block_count() * chunk;
    const int64_t in_line = (int64_t)((uintptr_t)y % LINE_BYTES / PIECE::BYTES);
    UNROLL_BY(1)
    for (int self = (int)thread_index(); self < warps * warp; self += threads) {
        const int offset = self / warp * warp_pieces + self % warp;
        UNROLL_BY(1)
        for (int64_t begin = (int64_t)block_index() * chunk - in_line; begin < count; begin += apart)
            if (begin >= 0 && begin + chunk <= count) {
                UNROLL_BY(1)
                for (int k = 0; k < pieces; k += many)
                    axpy_pieces<PIECE, many, true>(x, y, begin + offset + k * warp, count, alpha);
            } else {
                UNROLL_BY(1)
                for (int k = 0; k < pieces; k += few)
                    axpy_pieces<PIECE, few, false>(x, y, begin + offset + k * warp, count, alpha);
            }
    }
}

/* Without gaps. Of x and y that meet in their alignment less than 16 bytes are left at each end. */
template <int AHEAD, typename T>
DEVICE_FUNCTION void axpy_dense(const vector_arguments &arguments, const T *x, T *y, const T &alpha)
{
    const uintptr_t at = (uintptr_t)y, before = (0 - at) % PIECE_BYTES / sizeof(T);
    if (at % sizeof(T) != 0 || ((uintptr_t)x - at) % PIECE_BYTES != 0 || arguments.count < (int64_t)before) {
        constexpr int parts = (int)sizeof(T) / part_piece<T>::BYTES;
        axpy_chunks<part_piece<T>, AHEAD>(x, y, arguments.count * parts, alpha);
        return;
    }
    const int64_t whole = (arguments.count - (int64_t)before) / lane_run<T>;
    const int64_t rest = arguments.count - whole * lane_run<T>;
    axpy_chunks<whole_piece<T>, AHEAD>(x + before, y + before, whole, alpha);
    if (block_index() + 1 == block_count() && thread_index() < rest) {
        const int64_t i = thread_index() < before ? thread_index() : thread_index() + whole * lane_run<T>;
        store_result(y + i, fused(alpha, load(x + i), load_result(y + i)));
    }
}

/* Elements one by one, several of a thread's under way at once. */
template <typename T>
DEVICE_FUNCTION void axpy_gapped(const vector_arguments &arguments, const T *x, T *y, const T &alpha)
{
    constexpr int TOGETHER = 4;
    const int64_t step = (int64_t)block_count() * thread_count();
    UNROLL_BY(1)
    for (int64_t base = (int64_t)block_index() * thread_count() + thread_index(); base < arguments.count;
         base += TOGETHER * step) {
        T from[TOGETHER], to[TOGETHER];
        UNROLL
        for (int k = 0; k < TOGETHER; k++) {
            const int64_t i = base + k * step < arguments.count ? base + k * step : base;
            from[k] = load(x + i * arguments.x_increment);
            to[k] = load_result(y + i * arguments.y_increment);
        }
        UNROLL
        for (int k = 0; k < TOGETHER; k++)
            if (base + k * step < arguments.count)
                store_result(y + (base + k * step) * arguments.y_increment, fused(alpha, from[k], to[k]));
    }
}

template <typename T> DEVICE_FUNCTION void axpy(const vector_arguments &arguments)
{
    const T alpha = alpha_of<T>(arguments);
    const T *x = static_cast<const T *>(arguments.x);
    T *y = static_cast<T *>(arguments.y);
    if (equals(alpha, 0))
        return;
    if (arguments.x_increment != 1 || arguments.y_increment != 1)
        axpy_gapped(arguments, x, y, alpha);
    else if (arguments.ahead >= 4)
        axpy_dense<4>(arguments, x, y, alpha);
    else if (arguments.ahead >= 2)
        axpy_dense<2>(arguments, x, y, alpha);
    else
        axpy_dense<1>(arguments, x, y, alpha);
}

#define AXPY(name, type) \
    KERNEL_FUNCTION name(const struct vector_arguments arguments) { axpy<type>(arguments); }

AXPY(saxpy, float)
AXPY(daxpy, double)
AXPY(caxpy, complex_number<float>)
AXPY(zaxpy, complex_number<double>)
