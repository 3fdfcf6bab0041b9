/* A full matrix or a triangle of it: copied, or looked through for its largest number. A block works on
 * pieces of columns. */
#include "gpu/kernels/device_ops.h"
#include "gpu/kernels/route_arguments.h"

#include "common/blas_call.h"

struct part_piece_rows {
    int64_t column, begin, end;
};

DEVICE_FUNCTION int64_t part_pieces(const part_arguments &arguments)
{
    return (arguments.rows + PART_PIECE - 1) / PART_PIECE * arguments.columns;
}

/* Of the piece's rows those that belong to the part: none where begin >= end. */
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

KERNEL_FUNCTION part_copy(const struct part_arguments arguments)
{
    const int64_t pieces = part_pieces(arguments);
    UNROLL_BY(1)
    for (int64_t piece = block_index(); piece < pieces; piece += block_count()) {
        const part_piece_rows rows = part_rows_of(arguments, piece);
        const unsigned *from = static_cast<const unsigned *>(arguments.from) +
                               rows.column * arguments.from_ld * arguments.unit_words;
        unsigned *to = static_cast<unsigned *>(arguments.to) +
                       rows.column * arguments.to_ld * arguments.unit_words;
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
