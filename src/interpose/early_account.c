#include "interpose/early_account.h"
#include "interpose/execute.h"

#include <math.h>

static bool is_mostly_in(struct byte_range one, struct byte_range other)
{
    const uintptr_t begin = one.begin > other.begin ? one.begin : other.begin;
    const uintptr_t end = one.end < other.end ? one.end : other.end;
    const uintptr_t one_bytes = one.end - one.begin, other_bytes = other.end - other.begin;
    return begin < end && 2 * (end - begin) >= (one_bytes < other_bytes ? one_bytes : other_bytes);
}

/* Of a level 3 call the output; false where there is none. */
static bool matrix_of(const struct blas_call *call, struct operand *operand)
{
    struct operand operands[OPERANDS_MAX];
    const int count = execute_operands(call, operands);
    if (count == 0 || footprint_is_empty(&operands[count - 1]))
        return false;
    *operand = operands[count - 1];
    return true;
}

static void follow(struct early_account *account, struct byte_range hull)
{
    if (!is_mostly_in(hull, account->hull))
        *account = (struct early_account){.hull = hull};
    if (hull.begin < account->hull.begin)
        account->hull.begin = hull.begin;
    if (hull.end > account->hull.end)
        account->hull.end = hull.end;
}

double early_account_lost_us(struct early_account *account, const struct machine_model *model,
                             const struct blas_call *call)
{
    struct operand operand;
    if (!matrix_of(call, &operand))
        return 0;
    const struct byte_range hull = footprint_hull(&operand);
    if (operand.access != OPERAND_READ) {
        if (is_mostly_in(hull, account->hull))
            samples_forget(&account->samples);
        return 0;
    }
    follow(account, hull);
    const double changed = samples_renew(&account->samples, &operand);
    const double lost_us = changed * crossover_staged_us(model, footprint_bytes(&operand));
    account->saved_us = fmax(0, account->saved_us - lost_us);
    return lost_us;
}

static bool reads_matrix(const struct blas_call *call)
{
    struct operand operand;
    return matrix_of(call, &operand) && operand.access == OPERAND_READ;
}

void early_account_add(struct early_account *account, const struct blas_call *call, double saved_us)
{
    if (reads_matrix(call))
        account->saved_us += saved_us;
}

double early_account_saved_us(const struct early_account *account, const struct blas_call *call)
{
    return reads_matrix(call) ? account->saved_us : 0;
}
