/* The triangles T of the reflectors of bulge chasing: H(0) H(1) ... = I - V T V' of a group of BAND_WIDTH
 * sweeps in a step. V and T are left as band_back.cu has them in shared memory. */
#include "gpu/kernels/two_stage/band_kept.h"

/* A block for a group and a step, a thread for each row. */
struct band_triangle_work {
    const band_reflectors &kept;
    const int order, group, step, row;
    double *const vectors, *const products, *const taus; /* [sweep][element], [later][earlier sweep] */

    DEVICE_METHOD band_triangle_work(const band_triangles_arguments &given)
        : kept(given.kept), order((int)given.order), group((int)(block_index() / kept.steps_most)),
          step((int)(block_index() % kept.steps_most)), row((int)thread_index()),
          vectors(static_cast<double *>(shared_memory())), products(vectors + BAND_WIDTH * BAND_T_LD),
          taus(products + BAND_WIDTH * BAND_T_LD)
    {
    }

    DEVICE_METHOD bool has_step(int at) const { return step < kept_steps_of(order, group * BAND_WIDTH + at); }

    DEVICE_METHOD void load_reflectors() const
    {
        UNROLL_BY(4)
        for (int at = 0; at < BAND_WIDTH; at++)
            vectors[at * BAND_T_LD + row] =
                has_step(at) ? load_result(kept_vector(kept, group, step, at) + row) : 0;
        const int64_t sweep = group * BAND_WIDTH + row;
        taus[row] = has_step(row)
                        ? load_result(static_cast<const double *>(kept.taus) + sweep * kept.steps_most + step)
                        : 0;
    }

    /* Adds by four chains. */
    template <typename FACTORS> static DEVICE_METHOD double sum_of(int first, int end, FACTORS &&added)
    {
        double sums[4] = {};
        UNROLL_BY(1)
        for (int i = first; i < end; i += 4)
            UNROLL
            for (int k = 0; k < 4; k++)
                if (i + k < end)
                    sums[k] = added(i + k, sums[k]);
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }

    /* Makes the products of the row's reflector with later ones. */
    DEVICE_METHOD void multiply() const
    {
        UNROLL_BY(1)
        for (int later = row + 1; later < BAND_WIDTH; later++) {
            const int apart = later - row;
            const double *const v = vectors + later * BAND_T_LD, *const w = vectors + row * BAND_T_LD + apart;
            products[later * BAND_T_LD + row] =
                sum_of(0, BAND_WIDTH - apart, [&](int i, double sum) { return fused(v[i], w[i], sum); });
        }
    }

    /* The row of T, one column after the other, into V's place: [column][row]. */
    DEVICE_METHOD void make_row() const
    {
        UNROLL_BY(1)
        for (int column = 0; column < BAND_WIDTH; column++) {
            const double sum = sum_of(row, column, [&](int k, double before) {
                return fused(vectors[k * BAND_T_LD + row], products[column * BAND_T_LD + k], before);
            });
            vectors[column * BAND_T_LD + row] = taus[column] * (column == row ? 1 : -sum);
        }
    }

    DEVICE_METHOD void store_triangle() const
    {
        UNROLL_BY(4)
        for (int at = 0; at < BAND_WIDTH; at++)
            store_result(kept_triangle_row(kept, group, step, at) + (row ^ kept_swizzle(at)),
                         vectors[row * BAND_T_LD + at]);
    }

    /* With zero in the place of those that are not there. */
    DEVICE_METHOD void store_reflectors() const
    {
        UNROLL_BY(4)
        for (int at = 0; at < BAND_WIDTH; at++)
            store_result(kept_vector(kept, group, step, at) + ((at + row) % BAND_WIDTH ^ kept_swizzle(at)),
                         vectors[at * BAND_T_LD + row]);
    }

    DEVICE_METHOD void run() const
    {
        if (!has_step(0))
            return;
        load_reflectors();
        block_barrier();
        store_reflectors();
        multiply();
        block_barrier();
        make_row();
        block_barrier();
        store_triangle();
    }
};

KERNEL_FUNCTION band_triangles(const struct band_triangles_arguments arguments)
{
    band_triangle_work(arguments).run();
}
