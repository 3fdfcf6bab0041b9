/* What the matrix in use would have gained before a device is there: constant, rewritten by the
 * program, by calls that a device would do, and one of several. */
#include "interpose/early_account.h"
#include "tap.h"

#include <math.h>

enum { ORDER = 512, CALLS = 50 };

static double matrix[ORDER * ORDER], other[ORDER * ORDER];
static struct machine_model model;

static struct blas_call symv(double *a, int n)
{
    return (struct blas_call){.family = FAMILY_SYMV, .type = TYPE_D, .n = n,
                              .a = {a, n, n, ORDER, PART_LOWER}};
}

static struct blas_call syrk(double *c, int n)
{
    return (struct blas_call){.family = FAMILY_SYRK, .type = TYPE_D, .n = n, .k = 1,
                              .a = {other, n, 1, ORDER, PART_FULL}, .c = {c, n, n, ORDER, PART_LOWER}};
}

static void rewrite(double *values)
{
    for (int i = 0; i < ORDER * ORDER; i++)
        values[i] += 1;
}

/* As waking.c does, for a call that saves `us`; what it would lose. */
static double use(struct early_account *account, struct blas_call call, double us)
{
    const double lost_us = early_account_lost_us(account, &model, &call);
    early_account_add(account, &call, us);
    return lost_us;
}

static double saved(const struct early_account *account)
{
    const struct blas_call call = symv(matrix, ORDER);
    return early_account_saved_us(account, &call);
}

static void test_constant(void)
{
    struct early_account account = {0};
    double lost_us = 0;
    for (int i = 0; i < CALLS; i++)
        lost_us += use(&account, symv(matrix + i * (ORDER + 1), ORDER - i), 10);
    tap_ok(lost_us == 0 && saved(&account) == 10 * CALLS, "parts of a constant matrix gain together");
    const struct blas_call update = syrk(matrix, ORDER);
    tap_ok(early_account_saved_us(&account, &update) == 0, "not for a call that writes it");
    use(&account, update, 1000);
    tap_ok(saved(&account) == 10 * CALLS, "nor by one");
    use(&account, symv(other, ORDER), 10);
    tap_ok(saved(&account) == 10, "another matrix begins anew");
}

static void test_rewritten(void)
{
    struct early_account account = {0};
    const double all_us = crossover_staged_us(&model, 8 * (uint64_t)ORDER * (ORDER + 1) / 2);
    bool good = use(&account, symv(matrix, ORDER), all_us / 2) == 0;
    for (int i = 0; i < CALLS; i++) {
        rewrite(matrix);
        const double lost_us = use(&account, symv(matrix, ORDER), 0);
        good = good && fabs(lost_us - all_us) < 1e-6 && saved(&account) == 0;
    }
    tap_ok(good, "a matrix that the program rewrites loses its upload each time, and never owes");
    use(&account, syrk(matrix, ORDER), 0);
    rewrite(matrix);
    tap_ok(use(&account, symv(matrix, ORDER), 5) == 0 && saved(&account) >= 5,
           "one that a device would have rewritten loses nothing");
}

int main(void)
{
    struct early_account account = {0};
    model = crossover_builtin_model(NULL, 16);
    const struct blas_call empty = symv(matrix, 0), axpy = {.family = FAMILY_AXPY, .type = TYPE_D, .n = 9};
    test_constant();
    test_rewritten();
    tap_ok(use(&account, empty, 0) == 0 && use(&account, axpy, 7) == 0 && account.saved_us == 0,
           "no matrix, no account");
    return tap_done();
}
