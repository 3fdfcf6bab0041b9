/* kernels.cu - the panel of panel.h for each number of rows, and where its results go. A thread has `pairs`
 * pairs of rows, a block `group` columns at a time. */
#include "panel_rows.h"

#define BIDIAGONAL_PANEL_KERNELS(pairs, group)                                                         \
    KERNEL_FUNCTION bidiagonal_panel_##pairs(const struct bidiagonal_panel_arguments arguments)        \
    {                                                                                                  \
        panel_work<pairs, group, false>(arguments).run();                                              \
    }                                                                                                  \
    KERNEL_FUNCTION bidiagonal_panel_twice_##pairs(const struct bidiagonal_panel_arguments arguments)  \
    {                                                                                                  \
        panel_work<pairs, group, true>(arguments).run();                                               \
    }
BIDIAGONAL_PANEL_KERNELS(1, 8)
BIDIAGONAL_PANEL_KERNELS(2, 4)
BIDIAGONAL_PANEL_KERNELS(3, 2)
BIDIAGONAL_PANEL_KERNELS(4, 2)
BIDIAGONAL_PANEL_KERNELS(5, 1)
BIDIAGONAL_PANEL_KERNELS(6, 1)
BIDIAGONAL_PANEL_KERNELS(7, 1)
BIDIAGONAL_PANEL_KERNELS(8, 1)

KERNEL_FUNCTION bidiagonal_store(const struct bidiagonal_store_arguments arguments)
{
    const int64_t first = (int64_t)block_index() * thread_count() + thread_index();
    const int64_t step = (int64_t)block_count() * thread_count();
    for (int64_t i = first; i < arguments.rows * arguments.width; i += step) {
        const int64_t row = i % arguments.rows, c = i / arguments.rows;
        if (row >= c)
            arguments.a[row + c * arguments.lda] = row == c ? arguments.d[c]
                                                            : arguments.vx[row + c * arguments.ldv];
    }
    for (int64_t i = first; i < arguments.columns * arguments.width; i += step) {
        const int64_t c = i % arguments.width, column = i / arguments.width;
        if (column > c)
            arguments.a[c + column * arguments.lda] =
                column == c + 1 ? arguments.e[c] : arguments.yu[column * 2 * arguments.nb + arguments.nb + c];
    }
}
