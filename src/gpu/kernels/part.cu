/* A full matrix or a triangle of it: copied, looked through for its largest number, or scaled. A block works
 * on pieces of columns. */
#include "gpu/kernels/route_ops.h"
#include "gpu/kernels/route_arguments.h"

#include "common/blas_call.h"

struct part_piece_rows {
    int64_t column, begin, end;
};

DEVICE_FUNCTION int64_t part_pieces(const part_arguments &arguments)
{
    return (arguments.rows + PART_PIECE - 1) / PART_PIECE * arguments.columns;
}

/* The piece's rows that belong to the part: none where begin >= end. */
DEVICE_FUNCTION part_piece_rows part_rows_of(const part_arguments &arguments, int64_t piece)
{
    const int64_t in_column = (arguments.rows + PART_PIECE - 1) / PART_PIECE, column = piece / in_column;
    const int64_t diagonal = column * arguments.element_units, behind = diagonal + arguments.element_units;
    int64_t begin = piece % in_column * PART_PIECE, end = begin + PART_PIECE;
    end = end < arguments.rows ? end : arguments.rows;
    if (arguments.part == PART_LOWER)
        begin = begin > diagonal ? begin : diagonal;
    if (arguments.part == PART_UPPER)
        end = end < behind ? end : behind;
    return {column, begin, end};
}

/* In units, from the first column on. */
DEVICE_FUNCTION int64_t part_column(int64_t column, int64_t ld, int64_t bend)
{
    return column * ld + column * (column - 1) / 2 * bend;
}

KERNEL_FUNCTION part_copy(const struct part_arguments arguments)
{
    const int64_t pieces = part_pieces(arguments);
    UNROLL_BY(1)
    for (int64_t piece = block_index(); piece < pieces; piece += block_count()) {
        const part_piece_rows rows = part_rows_of(arguments, piece);
        const unsigned *from =
            static_cast<const unsigned *>(arguments.from) +
            part_column(rows.column, arguments.from_ld, arguments.from_bend) * arguments.unit_words;
        unsigned *to = static_cast<unsigned *>(arguments.to) +
                       part_column(rows.column, arguments.to_ld, arguments.to_bend) * arguments.unit_words;
        const int64_t end = rows.end * arguments.unit_words;
        UNROLL_BY(4)
        for (int64_t i = rows.begin * arguments.unit_words + thread_index(); i < end; i += thread_count())
            to[i] = from[i];
    }
}

/* Numbers are compared by the upper 32 bits of each without its sign: of a double the exponent and 20 bits
 * more. */
KERNEL_FUNCTION part_largest(const struct part_arguments arguments)
{
    const int64_t pieces = part_pieces(arguments), units = arguments.unit_words;
    unsigned largest = 0, *const of_threads = static_cast<unsigned *>(shared_memory());
    UNROLL_BY(1)
    for (int64_t piece = block_index(); piece < pieces; piece += block_count()) {
        const part_piece_rows rows = part_rows_of(arguments, piece);
        const unsigned *from = static_cast<const unsigned *>(arguments.from) +
                               (rows.column * arguments.from_ld + 1) * units - 1;
        UNROLL_BY(4)
        for (int64_t i = rows.begin + thread_index(); i < rows.end; i += thread_count()) {
            const unsigned word = from[i * units] & ~SIGN_MASK;
            largest = word > largest ? word : largest;
        }
    }
    of_threads[thread_index()] = largest;
    block_barrier();
    if (thread_index() > 0)
        return;
    UNROLL_BY(1)
    for (unsigned i = 1; i < thread_count(); i++)
        largest = of_threads[i] > largest ? of_threads[i] : largest;
    arguments.largest[block_index()] = largest;
}

DEVICE_FUNCTION double power_of_two(int exponent)
{
    return ldexp(1.0, exponent);
}

/* One block runs it. A subnormal number counts as one in their middle; zero may be multiplied by anything. */
KERNEL_FUNCTION part_scale_choose(const struct scale_choice_arguments arguments)
{
    unsigned largest = 0;
    UNROLL_BY(1)
    for (int64_t i = thread_index(); i < arguments.count; i += thread_count())
        largest = largest_of()(largest, arguments.largest[i]);
    largest = block_reduce(largest, static_cast<unsigned *>(shared_memory()), largest_of());
    if (thread_index() > 0)
        return;
    const int fraction = arguments.is_single ? 23 : 20, bias = arguments.is_single ? 127 : 1023;
    const int subnormal = arguments.is_single ? -137 : -1048, biased = (int)(largest >> fraction);
    const int exponent = biased > 0 ? biased - bias : subnormal, half = exponent / 2;
    struct part_scale scale = {{power_of_two(-half), power_of_two(half - exponent)},
                               {power_of_two(half), power_of_two(exponent - half)},
                               exponent < arguments.exponent_least || exponent > arguments.exponent_most,
                               biased <= 2 * bias};
    if (!scale.is_finite)
        scale.there[0] = 0, scale.back[0] = nan("");
    *arguments.scale = scale;
}

template <typename R> DEVICE_FUNCTION void scale_part(const scaling_arguments &arguments)
{
    const struct part_scale scale = *arguments.scale;
    if (!scale.is_needed)
        return;
    const int64_t pieces = part_pieces(arguments.part);
    UNROLL_BY(1)
    for (int64_t piece = block_index(); piece < pieces; piece += block_count()) {
        const part_piece_rows rows = part_rows_of(arguments.part, piece);
        R *const column = static_cast<R *>(arguments.part.to) + rows.column * arguments.part.to_ld;
        UNROLL_BY(4)
        for (int64_t i = rows.begin + thread_index(); i < rows.end; i += thread_count())
            column[i] = scale.is_finite ? column[i] * (R)scale.there[0] * (R)scale.there[1] : R(0);
    }
}
KERNEL_FUNCTION spart_scale(const struct scaling_arguments arguments)
{
    scale_part<float>(arguments);
}
KERNEL_FUNCTION dpart_scale(const struct scaling_arguments arguments)
{
    scale_part<double>(arguments);
}

template <typename R> DEVICE_FUNCTION void scale_vectors_back(const scaling_back_arguments &arguments)
{
    const struct part_scale scale = *arguments.scale;
    const int64_t first = (int64_t)block_index() * thread_count() + thread_index();
    if (!scale.is_needed)
        return;
    UNROLL_BY(1)
    for (int v = 0; v < SCALED_VECTORS; v++) {
        R *const vector = static_cast<R *>(arguments.vectors[v]);
        const int64_t count = arguments.counts[v], step = arguments.steps[v];
        UNROLL_BY(1)
        for (int64_t i = first; i < count; i += (int64_t)block_count() * thread_count())
            vector[i * step] = vector[i * step] * (R)scale.back[0] * (R)scale.back[1];
    }
    if (first == 0 && !scale.is_finite && arguments.info)
        *arguments.info = -1;
}
KERNEL_FUNCTION sscale_back(const struct scaling_back_arguments arguments)
{
    scale_vectors_back<float>(arguments);
}
KERNEL_FUNCTION dscale_back(const struct scaling_back_arguments arguments)
{
    scale_vectors_back<double>(arguments);
}
