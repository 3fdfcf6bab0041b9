/* Sets of the device: flags as on the host, and whether a leading dimension is odd. */
#include "tap.h"
#include "tuner/online/tuning_class.h"
#include "unit_test.h"

static void test_numbers(void)
{
    int classes = 0, wrong = 0;
    for (int class = 0; class < TIMED_CLASSES; class++) {
        if (!timed_class_exists(class))
            continue;
        classes++;
        wrong += device_sets_of(class) != 2 * flag_sets_of(class) || device_sets_of(class) > DEVICE_SETS_MOST;
        for (int set = 0; set < flag_sets_of(class); set++) {
            struct blas_call call = timed_class_call(class, 1e6);
            flag_set_apply(set, &call);
            call.a.ld = call.b.ld = call.c.ld = 1024;
            wrong += device_set_of(&call) != 2 * set;
            call.a.ld = 1023;
            wrong += device_set_of(&call) != 2 * set + (timed_class_family(class) != FAMILY_AXPY);
        }
    }
    tap_ok(classes == 204 && wrong == 0,
           "each set of flags of %d classes has an even and an odd one (%d are wrong)", classes, wrong);
}

static void set_type(struct blas_call *call)
{
    const enum blas_family family = call->family;
    const bool hermitian = family == FAMILY_HEMV || family == FAMILY_HEMM || family == FAMILY_HERK ||
                           family == FAMILY_HER2K;
    call->type = hermitian ? TYPE_Z : TYPE_D;
}

static bool odd(struct blas_call call)
{
    set_type(&call);
    return device_set_of(&call) % 2;
}

static const char *name_of(struct blas_call call)
{
    static char name[TIMED_CLASS_NAME];
    set_type(&call);
    call.m = call.n = call.k = 300;
    return timed_class_name(timed_class_of(&call), name);
}

/* Which of a family's three matrices there are. */
static void test_matrices(void)
{
    static const struct {
        enum blas_family family;
        bool a, b, c;
    } families[] = {{FAMILY_AXPY, 0, 0, 0},  {FAMILY_GEMV, 1, 0, 0},  {FAMILY_SYMV, 1, 0, 0},
                    {FAMILY_HEMV, 1, 0, 0},  {FAMILY_TRMV, 1, 0, 0},  {FAMILY_GEMM, 1, 1, 1},
                    {FAMILY_SYMM, 1, 1, 1},  {FAMILY_HEMM, 1, 1, 1},  {FAMILY_SYRK, 1, 0, 1},
                    {FAMILY_HERK, 1, 0, 1},  {FAMILY_SYR2K, 1, 1, 1}, {FAMILY_HER2K, 1, 1, 1},
                    {FAMILY_TRMM, 1, 0, 1},  {FAMILY_TRSM, 1, 0, 1}};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        struct blas_call call = {.family = families[i].family, .m = 301, .n = 301, .k = 301,
                                 .a.ld = 400, .b.ld = 400, .c.ld = 400};
        struct blas_call a = call, b = call, c = call;
        a.a.ld = b.b.ld = c.c.ld = 401;
        tap_ok(!odd(call) && odd(a) == families[i].a && odd(b) == families[i].b && odd(c) == families[i].c,
               "%s: the matrices that it has count, however many rows of them are used", name_of(call));
    }
}

/* A class's call has no leading dimensions: those of matrices without gaps. */
static void test_sizes(void)
{
    enum { M = 1, N = 2, K = 4 }; /* the sizes that are leading dimensions */
    static const struct {
        struct blas_call call;
        int sizes;
    } calls[] = {{{.family = FAMILY_AXPY}, 0},
                 {{.family = FAMILY_GEMV}, M},
                 {{.family = FAMILY_GEMV, .trans = TRANS_TRANSPOSE}, M},
                 {{.family = FAMILY_SYMV}, N},
                 {{.family = FAMILY_TRMV}, N},
                 {{.family = FAMILY_GEMM}, M | K},
                 {{.family = FAMILY_GEMM, .trans_b = TRANS_CONJUGATE}, M | N},
                 {{.family = FAMILY_GEMM, .trans = TRANS_TRANSPOSE}, M | K},
                 {{.family = FAMILY_GEMM, .trans = TRANS_TRANSPOSE, .trans_b = TRANS_TRANSPOSE}, M | N | K},
                 {{.family = FAMILY_SYMM, .side = SIDE_LEFT}, M},
                 {{.family = FAMILY_SYMM, .side = SIDE_RIGHT}, M | N},
                 {{.family = FAMILY_SYRK}, N},
                 {{.family = FAMILY_SYRK, .trans = TRANS_TRANSPOSE}, N | K},
                 {{.family = FAMILY_SYR2K}, N},
                 {{.family = FAMILY_SYR2K, .trans = TRANS_TRANSPOSE}, N | K},
                 {{.family = FAMILY_TRMM, .side = SIDE_LEFT}, M},
                 {{.family = FAMILY_TRMM, .side = SIDE_RIGHT}, M | N},
                 {{.family = FAMILY_TRSM, .side = SIDE_LEFT}, M},
                 {{.family = FAMILY_TRSM, .side = SIDE_RIGHT}, M | N}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        int sizes = 0;
        for (int size = 0; size < 3; size++) {
            struct blas_call call = calls[i].call;
            call.m = 300 + (size == 0), call.n = 300 + (size == 1), call.k = 300 + (size == 2);
            sizes |= odd(call) << size;
        }
        tap_ok(sizes == calls[i].sizes, "%s, trans %d %d, side %d: sizes %d are leading dimensions",
               name_of(calls[i].call), calls[i].call.trans, calls[i].call.trans_b, calls[i].call.side, sizes);
    }
}

UNIT_TEST(test_device_sets)
{
    test_numbers();
    test_matrices();
    test_sizes();
    return tap_done();
}
