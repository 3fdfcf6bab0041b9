/* Every routine of the native API has the contract's bits, with scalars on the host and on the
 * device; what alpha and beta = 0 must not read is not read. Argument: the largest n. */
#include "native.h"

#include "tap.h"

#include <math.h>
#include <string.h>

static struct mublas_handle *handle;

static const struct placement placements[] = {{8, 0, 0, 1, 1}, {5, 3, 3, -1, 2}, {0, 1, 1, 3, -3}};
enum { PLACEMENTS = sizeof placements / sizeof *placements };

struct verdict {
    int cases;
    char failed[96];
};

static void run_case(const struct kernel_case *kernel_case, size_t turn, struct verdict *verdict)
{
    for (int by_value = 0; by_value < 2; by_value++) {
        struct native_operands operands;
        const struct placement *placement = &placements[(turn + (size_t)by_value) % PLACEMENTS];
        const bool made = native_operands_make(handle, kernel_case, placement, &operands);
        const enum mublas_status status = made ? native_operands_run(handle, &operands, by_value)
                                               : MUBLAS_OUT_OF_MEMORY;
        if (status != MUBLAS_SUCCESS || !native_operands_right(handle, &operands))
            if (!*verdict->failed)
                snprintf(verdict->failed, sizeof verdict->failed, "%s with scalars %s: %s", kernel_case->name,
                         by_value ? "by value" : "on the device", mublas_status_text(status));
        native_operands_free(handle, &operands);
    }
    verdict->cases++;
}

static const char *const routine_names[FAMILY_COUNT][TYPE_COUNT] = {
    [FAMILY_AXPY] = {"saxpy", "daxpy", "caxpy", "zaxpy"},
    [FAMILY_GEMV] = {"sgemv", "dgemv", "cgemv", "zgemv"},
    [FAMILY_SYMV] = {"ssymv", "dsymv", [TYPE_W] = "wsymv"},
    [FAMILY_HEMV] = {[TYPE_C] = "chemv", "zhemv"},
    [FAMILY_TRMV] = {"strmv", "dtrmv", "ctrmv", "ztrmv"}};

static void test_routine(const struct kernel_case *cases, size_t count, enum blas_family family,
                         enum blas_type type)
{
    struct verdict verdict = {0};
    for (size_t i = 0; i < count; i++)
        if (cases[i].family == family && cases[i].type == type && !cases[i].conjugated)
            run_case(&cases[i], i, &verdict);
    tap_ok(verdict.cases > 0 && !*verdict.failed, "mublas_%s has the contract's bits in %d cases %s",
           routine_names[family][type], verdict.cases, verdict.failed);
}

/* The parts of y = beta y, by the contract. */
static void scaled(enum blas_type type, const union blas_scalar *beta, void *y)
{
    float *single = y;
    double *both = y;
    switch (type) {
    case TYPE_S: *single *= beta->s; break;
    case TYPE_D: *both *= beta->d; break;
    case TYPE_C: {
        const float re = single[0], im = single[1];
        single[0] = fmaf(-beta->c[1], im, beta->c[0] * re);
        single[1] = fmaf(beta->c[1], re, beta->c[0] * im);
        break;
    }
    case TYPE_Z: {
        const double re = both[0], im = both[1];
        both[0] = fma(-beta->z[1], im, beta->z[0] * re);
        both[1] = fma(beta->z[1], re, beta->z[0] * im);
        break;
    }
    default: { /* contract.h's product of W */
        const double hi = beta->w[0], lo = beta->w[1], p = hi * both[0];
        const double rest = fma(lo, both[0], fma(hi, both[1], fma(hi, both[0], -p)));
        both[0] = p + rest;
        both[1] = rest - (both[0] - p);
    }
    }
}

static void set_parts(enum blas_type type, void *element, double re, double im)
{
    switch (type) {
    case TYPE_S: *(float *)element = (float)re; break;
    case TYPE_D: *(double *)element = re; break;
    case TYPE_C: ((float *)element)[0] = (float)re, ((float *)element)[1] = (float)im; break;
    default: ((double *)element)[0] = re, ((double *)element)[1] = im;
    }
}

/* alpha = 0: all NaN in A and x, and where beta is 0 in y. */
static bool is_scaling_right(enum blas_family family, enum blas_type type, enum blas_trans trans,
                             const double *betas, bool by_value)
{
    const bool two_parts = type == TYPE_C || type == TYPE_Z || type == TYPE_W;
    const double beta = betas[0], other = two_parts ? betas[1] : 0;
    const struct kernel_case kernel_case = {.family = family,
                                            .type = type,
                                            .trans = trans,
                                            .m = 150,
                                            .n = 130,
                                            .beta = {beta, other},
                                            .name = "alpha 0"};
    const size_t element = blas_element_bytes(type);
    struct native_operands operands;
    if (!native_operands_make(handle, &kernel_case, &placements[0], &operands))
        return false;
    struct operands *host = &operands.host;
    union blas_scalar zero = {0}, scalar = {0};
    set_parts(type, &scalar, beta, other);
    bool good = true;
    if (host->a.bytes) {
        memset(host->a.bytes, 0xff, host->a.size);
        good = mublas_copy_to_device(handle, operands.a, host->a.bytes, host->a.size) == MUBLAS_SUCCESS;
    }
    memset(host->x.bytes, 0xff, host->x.size);
    unsigned char *buffer = malloc(host->y.size);
    good = good && buffer &&
           mublas_copy_to_device(handle, operands.x, host->x.bytes, host->x.size) == MUBLAS_SUCCESS &&
           mublas_copy_to_device(handle, operands.alpha, &zero, element) == MUBLAS_SUCCESS &&
           mublas_copy_to_device(handle, operands.beta, &scalar, element) == MUBLAS_SUCCESS;
    operands.call.alpha = zero;
    operands.call.beta = scalar;
    if (by_value)
        operands.call.a.pointer = operands.call.x.pointer = NULL;
    good = good && native_operands_run(handle, &operands, by_value) == MUBLAS_SUCCESS &&
           mublas_copy_to_host(handle, buffer, operands.y, host->y.size) == MUBLAS_SUCCESS;
    const size_t first = (size_t)((unsigned char *)host->call.y.pointer - host->y.bytes);
    for (int64_t i = 0; good && i < host->call.y.length; i++) {
        unsigned char *expected = host->y.bytes + first + (size_t)i * element;
        if (family == FAMILY_AXPY || (beta == 1 && other == 0))
            continue;
        if (beta == 0 && other == 0)
            memset(expected, 0, element);
        else
            scaled(type, &scalar, expected);
    }
    good = good && memcmp(buffer, host->y.bytes, host->y.size) == 0;
    free(buffer);
    native_operands_free(handle, &operands);
    return good;
}

static void test_alpha_zero(enum blas_family family, enum blas_type type)
{
    /* Some are 0 or 1 in their first part only. */
    static const double betas[][2] = {{0, 0}, {1, 0}, {-2, -1}, {1, 0.5}, {0, -1.5}};
    static const double wide_betas[][2] = {{0, 0}, {1, 0}, {-2, 0}, {1, 0x1p-60}, {-0.625, -0x1.4p-56}};
    enum { BETAS = sizeof betas / sizeof *betas };
    char failed[96] = "";
    for (int trans = TRANS_NONE; trans <= (family == FAMILY_GEMV ? TRANS_TRANSPOSE : TRANS_NONE); trans++)
        for (int i = 0; i < BETAS; i++)
            for (int by_value = 0; by_value < 2; by_value++) {
                const double *beta = type == TYPE_W ? wide_betas[i] : betas[i];
                if (!is_scaling_right(family, type, trans, beta, by_value))
                    snprintf(failed, sizeof failed, "beta %g, %g trans %d by value %d", beta[0], beta[1],
                             trans, by_value);
            }
    tap_ok(!*failed, "mublas_%s with alpha = 0 reads neither A nor x %s", routine_names[family][type],
           failed);
}

/* A real type's conjugate is A itself: the same bits by the other names. */
static void test_real_conjugates(void)
{
    const float single_one[] = {1.5f, -0.5f};
    const double one[] = {1.5, -0.5};
    bool good = true;
    mublas_set_pointer_mode(handle, MUBLAS_POINTER_HOST);
    for (int trans = TRANS_NONE; trans <= TRANS_TRANSPOSE; trans++)
        for (int type = TYPE_S; type <= TYPE_D; type++)
            for (int family = FAMILY_GEMV; family <= FAMILY_TRMV; family++) {
                const struct kernel_case kernel_case = {.family = family,
                                                        .type = type,
                                                        .trans = trans,
                                                        .m = 70,
                                                        .n = 40,
                                                        .alpha = {1.5},
                                                        .beta = {-0.5},
                                                        .name = "conjugate"};
                const enum mublas_trans name = trans ? MUBLAS_CONJ_TRANS : MUBLAS_CONJ;
                struct native_operands operands;
                if (family != FAMILY_GEMV && family != FAMILY_TRMV)
                    continue;
                good = native_operands_make(handle, &kernel_case, &placements[0], &operands) && good;
                const struct blas_call *call = &operands.call;
                const int64_t lda = call->a.ld, incx = call->x.increment, incy = call->y.increment;
                void *a = call->a.pointer, *x = call->x.pointer, *y = call->y.pointer;
                enum mublas_status status;
                if (family == FAMILY_GEMV)
                    status = type == TYPE_S ? mublas_sgemv(handle, name, 70, 40, &single_one[0], a, lda, x,
                                                           incx, &single_one[1], y, incy)
                                            : mublas_dgemv(handle, name, 70, 40, &one[0], a, lda, x, incx,
                                                           &one[1], y, incy);
                else
                    status =
                        type == TYPE_S
                            ? mublas_strmv(handle, MUBLAS_LOWER, name, MUBLAS_NON_UNIT, 40, a, lda, y, incy)
                            : mublas_dtrmv(handle, MUBLAS_LOWER, name, MUBLAS_NON_UNIT, 40, a, lda, y, incy);
                good = status == MUBLAS_SUCCESS && native_operands_right(handle, &operands) && good;
                native_operands_free(handle, &operands);
            }
    tap_ok(good, "MUBLAS_CONJ and MUBLAS_CONJ_TRANS of real types are A and its transpose");
}

static void test_empty(void)
{
    double *nowhere = NULL;
    mublas_set_pointer_mode(handle, MUBLAS_POINTER_HOST);
    tap_ok(mublas_dgemv(handle, MUBLAS_NO_TRANS, 0, 5, nowhere, nowhere, 1, nowhere, 1, nowhere, nowhere,
                        1) == MUBLAS_SUCCESS &&
               mublas_dgemv(handle, MUBLAS_TRANS, 5, 0, nowhere, nowhere, 5, nowhere, 1, nowhere, nowhere,
                            1) == MUBLAS_SUCCESS &&
               mublas_dsymv(handle, MUBLAS_UPPER, 0, nowhere, nowhere, 1, nowhere, 1, nowhere, nowhere, 1) ==
                   MUBLAS_SUCCESS &&
               mublas_dtrmv(handle, MUBLAS_UPPER, MUBLAS_TRANS, MUBLAS_UNIT, 0, nowhere, 1, nowhere, 1) ==
                   MUBLAS_SUCCESS &&
               mublas_daxpy(handle, 0, nowhere, nowhere, 1, nowhere, 1) == MUBLAS_SUCCESS,
           "with sizes of 0 pointers do not matter");
}

/* Vectors that end with their memory, or of which x begins with it: nothing beside them is read. On the
 * emulated device no memory is there. */
static void test_axpy_edges(void)
{
    enum { BYTES = 1 << 16, MOST = 9 };
    const float two = 2;
    float *x = NULL, *y = NULL;
    bool good = mublas_device_allocate(handle, BYTES, (void **)&x) == MUBLAS_SUCCESS &&
                mublas_device_allocate(handle, BYTES, (void **)&y) == MUBLAS_SUCCESS;
    mublas_set_pointer_mode(handle, MUBLAS_POINTER_HOST);
    for (int n = 1; good && n <= MOST; n++)
        for (int after = 0; good && after < 33; after++) {
            float *const x_end = x + BYTES / sizeof *x - n, *const y_end = y + BYTES / sizeof *y - n;
            good = mublas_saxpy(handle, n, &two, x, 1, y + after, 1) == MUBLAS_SUCCESS &&
                   mublas_saxpy(handle, n, &two, x_end, 1, y_end - after, 1) == MUBLAS_SUCCESS;
        }
    tap_ok(good && mublas_synchronise(handle) == MUBLAS_SUCCESS, "axpy reads nothing beside its vectors");
    mublas_device_free(handle, x);
    mublas_device_free(handle, y);
}

int main(int argument_count, char **arguments)
{
    const int64_t max_n = argument_count > 1 ? strtoll(arguments[1], NULL, 10) : 130;
    size_t count;
    if (mublas_create(&handle) != MUBLAS_SUCCESS)
        tap_skip_all(mublas_last_error(NULL));
    struct kernel_case *cases = kernel_cases(max_n, &count);
    for (int family = FAMILY_AXPY; family <= FAMILY_TRMV; family++)
        for (int type = TYPE_S; type < TYPE_COUNT; type++)
            if (routine_names[family][type]) {
                test_routine(cases, count, family, type);
                if (family != FAMILY_TRMV)
                    test_alpha_zero(family, type);
            }
    test_real_conjugates();
    test_empty();
    test_axpy_edges();
    tap_ok(mublas_destroy(handle) == MUBLAS_SUCCESS, "the handle can be destroyed");
    free(cases);
    return tap_done();
}
