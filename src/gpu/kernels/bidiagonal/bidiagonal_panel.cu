/* The kernels of a panel (bidiagonal_panel.h): by a ring, for each number of rows that a thread has, and without.
 *
 * The form without reads A twice a column: for v'A by pieces of a column that a warp keeps the sums of in shared
 * memory, and for A times the row once all of the row is known. */
#include "gpu/kernels/bidiagonal/bidiagonal_ring.h"

namespace bidiagonal {

template <typename T> struct long_work : panel_work<T> {
    using R = real_of<T>;
    using base = panel_work<T>;
    using base::a, base::columns, base::lane, base::lda, base::local_parts, base::padded_rows, base::parts,
        base::shared, base::stride, base::thread, base::warp;
    static constexpr int COLUMNS = 4, EACH = WIDE<T>;
    T *const of_warps; /* one for each warp of each own column */

    DEVICE_METHOD explicit long_work(const bidiagonal_panel_arguments &given)
        : base(given, 1), of_warps(reinterpret_cast<T *>(
                              static_cast<unsigned char *>(shared_memory()) +
                              (reinterpret_cast<uintptr_t>(shared.squares + WARPS) -
                               reinterpret_cast<uintptr_t>(shared.slots) + 127) / 128 * 128))
    {
    }

    DEVICE_METHOD void multiply_with_v(int c, const panel_reflector<T> &made) const
    {
        const int own = base::own_count();
        UNROLL_BY(1)
        for (int unit = c / (EACH * THREADS); base::row_of(unit) - EACH * thread < padded_rows; unit++) {
            const bool is_there = base::row_of(unit) < padded_rows;
            T v[EACH];
            UNROLL
            for (int k = 0; k < EACH; k++)
                v[k] = is_there ? conjugate(base::v_of(c, made, base::row_of(unit) + k,
                                                       load_partial(base::column + base::row_of(unit) + k)))
                                : T{};
            UNROLL_BY(1)
            for (int number = 0; number < own; number += COLUMNS) {
                T part[COLUMNS][EACH], dots[COLUMNS];
                UNROLL
                for (int i = 0; i < COLUMNS; i++) {
                    const int of = number + i < own ? base::column_of(number + i) : columns;
                    UNROLL
                    for (int k = 0; k < EACH; k++)
                        part[i][k] = T{};
                    if (is_there && of < columns)
                        load_wide(a + (int64_t)of * lda + base::row_of(unit), part[i]);
                }
                UNROLL
                for (int i = 0; i < COLUMNS; i++) {
                    dots[i] = product(v[0], part[i][0]);
                    UNROLL
                    for (int k = 1; k < EACH; k++)
                        dots[i] = fused(v[k], part[i][k], dots[i]);
                }
                const T whole = warp_sums(dots, lane);
                if (lane < COLUMNS && number + lane < own) {
                    T *const at = of_warps + (number + lane) * WARPS + warp;
                    *at = unit == c / (EACH * THREADS) ? whole : *at + whole;
                }
            }
        }
    }

    /* The row's elements of one part, and their square. */
    DEVICE_METHOD void find_row(int c, int local) const
    {
        R square = 0;
        UNROLL_BY(1)
        for (int number = local * stride + thread; number < (local + 1) * stride; number += THREADS) {
            const int of = base::column_of(number);
            T z = of_warps[number * WARPS], y;
            UNROLL_BY(1)
            for (int from = 1; from < WARPS; from++)
                z = z + of_warps[number * WARPS + from];
            const T element = of < columns ? load(a + (int64_t)of * lda + c) : T{};
            const T r = base::row_element(c, number, of, z, element, &y);
            base::keep_row_element(c, number, of, r, y);
            square = of > c + 1 ? real_product_added(r, r, square) : square;
        }
        square = base::block_sum(square);
        if (thread == 0)
            store_partial(base::column_products + FACTORS * parts + base::block + local * base::blocks,
                          element_of<T>(square));
    }

    DEVICE_METHOD void run_panel()
    {
        base::run([&](int c, const panel_reflector<T> &made) {
            base::prepare_own(c, made);
            multiply_with_v(c, made);
            block_barrier();
            UNROLL_BY(1)
            for (int local = 0; local < local_parts; local++)
                find_row(c, local);
            block_barrier();
            base::multiply_rows(c, R(1));
        });
    }
};

} /* namespace bidiagonal */

#if defined MUBLAS_EMULATED || __CUDA_ARCH__ >= 900
#define RUN_RING(type, units, sure, group) bidiagonal::ring_work<type, units, sure, group>(arguments).run_panel();
#else
#define RUN_RING(type, units, sure, group)
#endif
#define RING_KERNEL(letter, type, units, sure, group)                                                  \
    KERNEL_FUNCTION letter##gebrd_panel_##units(const struct bidiagonal_panel_arguments arguments)     \
    {                                                                                                  \
        RUN_RING(type, units, sure, group)                                                             \
    }
/* The `sure` part is whole in all columns that the kernel before has no room for; the groups are
 * bidiagonal_group's. */
#define PANEL_KERNELS(letter, type)                                                             \
    RING_KERNEL(letter, type, 1, 0, 8)                                                          \
    RING_KERNEL(letter, type, 2, 1, 4)                                                          \
    RING_KERNEL(letter, type, 4, 2, 2)                                                          \
    RING_KERNEL(letter, type, 6, 4, 1)                                                          \
    RING_KERNEL(letter, type, 8, 6, 1)                                                          \
    KERNEL_FUNCTION letter##gebrd_panel_long(const struct bidiagonal_panel_arguments arguments) \
    {                                                                                           \
        bidiagonal::long_work<type>(arguments).run_panel();                                               \
    }
PANEL_KERNELS(s, float)
PANEL_KERNELS(d, double)
PANEL_KERNELS(c, complex_number<float>)
PANEL_KERNELS(z, complex_number<double>)
