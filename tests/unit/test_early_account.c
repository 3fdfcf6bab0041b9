/* The gain that the matrix in use would have had before a device is there: constant, rewritten by the
 * program, by calls that a device would do, and one of several. */
#include "interpose/purchase/ledger.h"
#include "predicted_call.h"
#include "tap.h"
#include "unit_test.h"

#include <math.h>

enum { ORDER = 640, CALLS = 50, OTHERS = 12 };

static double matrix[ORDER * ORDER], other[OTHERS][ORDER * ORDER];
static struct machine_model model;

static struct blas_call symv(double *a, int n)
{
    return (struct blas_call){.family = FAMILY_SYMV, .type = TYPE_D, .n = n,
                              .a = {a, n, n, ORDER, PART_LOWER}};
}

static struct blas_call syrk(double *c, int n, int k)
{
    return (struct blas_call){.family = FAMILY_SYRK, .type = TYPE_D, .n = n, .k = k,
                              .a = {other[0], n, k, ORDER, PART_FULL}, .c = {c, n, n, ORDER, PART_LOWER}};
}

static void rewrite(double *values)
{
    for (int i = 0; i < ORDER * ORDER; i++)
        values[i] += 1;
}

static void add_operand(struct program_call *call, const struct blas_matrix *operand,
                        enum operand_access access)
{
    if (operand->pointer)
        call->operands[call->operand_count++] =
            (struct operand){.matrix = *operand, .element_bytes = sizeof(double), .access = access};
}

/* As blas_kind.c does. */
static struct program_call described(struct blas_call blas)
{
    struct program_call call = {.blas = blas, .model = &model, .times = crossover_times(&model, &blas)};
    add_operand(&call, &blas.a, OPERAND_READ);
    add_operand(&call, &blas.c, OPERAND_OVERWRITE);
    return call;
}

/* As waking.c does, for a call that saves `us`; what it would lose. */
static double use(struct early_accounts *accounts, struct blas_call blas, double us)
{
    const struct program_call call = described(blas);
    const double lost_us = early_accounts_lost_us(accounts, &call);
    early_accounts_add(accounts, &call, us);
    return lost_us;
}

static double take(struct early_accounts *accounts, struct blas_call blas)
{
    const struct program_call call = described(blas);
    return early_accounts_take_us(accounts, &call);
}

static void test_constant(void)
{
    struct early_accounts accounts = {0};
    double lost_us = 0;
    tap_ok(!early_accounts_are_left(&accounts), "nothing is there at first");
    for (int i = 0; i < CALLS; i++)
        lost_us += use(&accounts, symv(matrix + i * (ORDER + 1), ORDER - i), 10);
    tap_ok(lost_us == 0 && take(&accounts, syrk(matrix, ORDER, 1)) == 0,
           "a call that writes a matrix takes nothing");
    use(&accounts, syrk(matrix, ORDER, ORDER), 1000);
    tap_ok(take(&accounts, symv(matrix, ORDER)) == 10 * CALLS, "parts of a constant matrix gain together");
    tap_ok(take(&accounts, symv(matrix, ORDER)) == 0 && !early_accounts_are_left(&accounts), "once");
}

static void test_several(void)
{
    struct early_accounts accounts = {0};
    for (int i = 0; i < CALLS; i++) {
        use(&accounts, symv(matrix, ORDER), 10);
        for (int j = 0; j < OTHERS; j++)
            use(&accounts, symv(other[j], ORDER), 1);
    }
    tap_ok(take(&accounts, symv(matrix, ORDER)) == 10 * CALLS,
           "a matrix is not forgotten for many lesser ones");
    tap_ok(early_accounts_are_left(&accounts), "of which some are left");
}

static void test_rewritten(void)
{
    struct early_accounts accounts = {0};
    const double all_us = crossover_copies_us(&model, 4. * ORDER * (ORDER + 1), false);
    bool good = use(&accounts, symv(matrix, ORDER), all_us / 2) == 0;
    for (int i = 0; i < CALLS; i++) {
        rewrite(matrix);
        const double lost_us = use(&accounts, symv(matrix, ORDER), 0);
        good = good && fabs(lost_us - all_us) < 1e-6 && !early_accounts_are_left(&accounts);
    }
    tap_ok(good, "a matrix that the program rewrites loses its upload each time, and never owes");
    use(&accounts, syrk(matrix, ORDER, ORDER), 0);
    rewrite(matrix);
    tap_ok(use(&accounts, symv(matrix, ORDER), 5) == 0 && take(&accounts, symv(matrix, ORDER)) == 5,
           "one that a device would have rewritten loses nothing");
    struct blas_call gemm = {.family = FAMILY_GEMM,
                             .type = TYPE_D,
                             .m = ORDER,
                             .n = 1,
                             .k = ORDER,
                             .a = {matrix, ORDER, ORDER, ORDER, PART_FULL},
                             .b = {other[0], ORDER, 1, ORDER, PART_FULL},
                             .c = {other[1], ORDER, 1, ORDER, PART_FULL}};
    use(&accounts, gemm, 5);
    rewrite(matrix);
    tap_ok(use(&accounts, gemm, 5) > 0 && use(&accounts, gemm, 5) == 0, "so does what calls of level 3 read");
    rewrite(matrix);
    tap_ok(use(&accounts, symv(matrix, 300), 5) == 0, "of small matrices nothing is kept");
}

/* How much longer a call takes on the device, with all that it reads and writes there. */
static double later_us(struct blas_call call)
{
    const struct predicted_times times = predicted_call(&model, &call, 0, true);
    return times.resident_us - times.host_us;
}

static void test_updated_on_host(void)
{
    struct early_accounts accounts = {0};
    const double all_us = crossover_copies_us(&model, 4. * ORDER * (ORDER + 1), false);
    const struct blas_call thin = syrk(matrix, ORDER, 1), thick = syrk(matrix, ORDER, ORDER);
    const double loss_us = later_us(thin);
    tap_ok(loss_us > 0 && loss_us < all_us && later_us(thick) < 0,
           "the host is to update by a column, the device by many");
    use(&accounts, symv(matrix, ORDER), 5);
    use(&accounts, thick, 0);
    use(&accounts, thin, 0);
    tap_ok(fabs(use(&accounts, symv(matrix, ORDER), 5) - loss_us) < 1e-9 &&
               use(&accounts, symv(matrix, ORDER), 5) == 0,
           "what the host updates is lost once, by what the device would have taken longer");
    for (int i = 0; i < 1000; i++)
        use(&accounts, thin, 0);
    tap_ok(fabs(use(&accounts, symv(matrix, ORDER), 5) - all_us) < 1e-6,
           "or at most what it takes to send it again");
    tap_ok(take(&accounts, symv(matrix, ORDER)) == 5, "which what it has gained before pays for");
}

UNIT_TEST(test_early_account)
{
    struct early_accounts accounts = {0};
    model = crossover_builtin_model(NULL, 16);
    const struct blas_call empty = symv(matrix, 0);
    const struct blas_call axpy = {.family = FAMILY_AXPY, .type = TYPE_D, .n = 9};
    test_constant();
    test_several();
    test_rewritten();
    test_updated_on_host();
    tap_ok(use(&accounts, empty, 0) == 0 && use(&accounts, axpy, 7) == 0 &&
               !early_accounts_are_left(&accounts),
           "no matrix, no account");
    return tap_done();
}
