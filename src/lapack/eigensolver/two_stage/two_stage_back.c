#include "lapack/eigensolver/two_stage/two_stage_back.h"
#include "lapack/eigensolver/two_stage/plain_launch.h"
#include "lapack/eigensolver/two_stage/real_product.h"
#include "lapack/workspace.h"

enum { TAKE_THREADS = 512, ROWS_UNIT = 64 };

struct kernels {
    enum kernel back, take;
};
static const struct kernels kernels_of[] = {
    [TYPE_S] = {KERNEL_sband_back, KERNEL_ssyband_take},
    [TYPE_D] = {KERNEL_dband_back, KERNEL_dsyband_take},
};

/* V of a panel, V' C, and T times that. */
struct layout {
    int64_t ld;
    size_t v, product, scaled, end;
};

static struct layout lay_out(const struct two_stage_back *back)
{
    const size_t element = blas_element_bytes(back->reduction->type),
                 product_bytes = BAND_WIDTH * (size_t)back->columns * element;
    struct layout layout = {.ld = (back->reduction->n + ROWS_UNIT - 1) / ROWS_UNIT * ROWS_UNIT};
    layout.v = workspace_take(&layout.end, (size_t)layout.ld * BAND_WIDTH * element);
    layout.product = workspace_take(&layout.end, product_bytes);
    layout.scaled = workspace_take(&layout.end, product_bytes);
    return layout;
}

size_t two_stage_back_workspace(const struct two_stage_back *back) { return lay_out(back).end; }

static enum status queue_chased(const struct solver_handle *handle, const struct two_stage_back *back)
{
    const enum blas_type type = back->reduction->type;
    struct band_back_arguments arguments = {.kept = bulge_chasing_kept(back->chasing),
                                            .c = device_pointer(back->c),
                                            .ld = back->ldc,
                                            .order = back->reduction->n,
                                            .columns = back->columns};
    return plain_launch(handle->library->device, handle->stream, kernels_of[type].back,
                        (unsigned)((back->columns + BAND_BACK_COLUMNS - 1) / BAND_BACK_COLUMNS),
                        BAND_BACK_THREADS, BAND_BACK_ELEMENTS * blas_element_bytes(type), &arguments);
}

/* C loses V T V' C. */
static enum status queue_panel(const struct solver_handle *handle, const struct two_stage_back *back,
                               const struct layout *layout, CUdeviceptr workspace, int64_t panel)
{
    const struct band_reduction *const work = back->reduction;
    const size_t element = blas_element_bytes(work->type);
    const int64_t first = panel * BAND_WIDTH, behind = first + BAND_WIDTH, rows = work->n - behind,
                  b = BAND_WIDTH;
    const struct factor v = {workspace + layout->v, layout->ld},
                        t = {work->t + (size_t)(panel * b * b) * element, b},
                        c = {back->c + (size_t)behind * element, back->ldc},
                        product = {workspace + layout->product, b}, scaled = {workspace + layout->scaled, b};
    struct band_take_arguments arguments = {
        .a = device_pointer(work->a + (size_t)(behind + first * work->lda) * element),
        .ld = work->lda,
        .rows = rows,
        .v = device_pointer(v.address),
        .v_ld = v.ld};
    const struct real_product products[] = {
        {CUBLAS_OP_T, CUBLAS_OP_N, b, back->columns, rows, 1, 0, v, c, product},
        {CUBLAS_OP_N, CUBLAS_OP_N, b, back->columns, b, 1, 0, t, product, scaled},
        {CUBLAS_OP_N, CUBLAS_OP_N, rows, back->columns, b, -1, 1, v, scaled, c},
    };
    enum status status = plain_launch(handle->library->device, handle->stream, kernels_of[work->type].take,
                                      BAND_WIDTH, TAKE_THREADS, 0, &arguments);
    for (size_t i = 0; i < sizeof products / sizeof *products && status == STATUS_OK; i++)
        status = real_product_queue(handle, work->type, &products[i]);
    return status;
}

enum status two_stage_back_queue(const struct solver_handle *handle, const struct two_stage_back *back,
                                 CUdeviceptr workspace)
{
    const struct layout layout = lay_out(back);
    enum status status = back->reduction->n > 2 ? queue_chased(handle, back) : STATUS_OK;
    for (int64_t i = band_reduction_panels(back->reduction->n) - 1; i >= 0 && status == STATUS_OK; i--)
        status = queue_panel(handle, back, &layout, workspace, i);
    return status;
}
