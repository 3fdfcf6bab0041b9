#include "interpose/estimate/estimate.h"
#include "common/settings.h"
#include "mirror/host_memory/mapping.h"
#include "mirror/ledger/account.h"

/* 64 elements of each matrix; of a program's many the ones that were used last. */
enum { MATRICES_MAX = 128, SAMPLE_SETS = 4 };

static struct matrix {
    struct account account; /* its pages are numbered from address 0 */
    struct page_range there; /* of them on the GPU */
    bool was_pinned;
    struct rewrite_samples samples[SAMPLE_SETS]; /* of what is there, as it was left */
    uint64_t used;
} matrices[MATRICES_MAX];
static uint64_t uses;
static struct kind_losses losses[OPERAND_KINDS];

static struct page_range pages_of(const struct operand *operand)
{
    const struct byte_range hull = operand_memory_hull(operand);
    return (struct page_range){hull.begin >> page_shift(), ((hull.end - 1) >> page_shift()) + 1};
}

/* Half of the smaller one, as account_find has it. */
static struct matrix *find_matrix(const struct operand *operand)
{
    const struct page_range pages = pages_of(operand);
    struct matrix *best = NULL;
    size_t most = 0;
    for (int i = 0; i < MATRICES_MAX; i++) {
        const struct page_range of = matrices[i].account.pages;
        const size_t shared = page_range_length(page_ranges_common(of, pages));
        const size_t one = page_range_length(of), other = page_range_length(pages);
        if (shared > most && 2 * shared >= (one < other ? one : other)) {
            best = &matrices[i];
            most = shared;
        }
    }
    return best;
}

static void widen(struct page_range *range, struct page_range by)
{
    if (page_range_length(*range) == 0)
        *range = by;
    range->begin = by.begin < range->begin ? by.begin : range->begin;
    range->end = by.end > range->end ? by.end : range->end;
}

static struct matrix *open_matrix(const struct operand *operand)
{
    struct matrix *matrix = find_matrix(operand);
    if (!matrix) {
        matrix = &matrices[0];
        for (int i = 1; i < MATRICES_MAX; i++)
            if (matrices[i].used < matrix->used)
                matrix = &matrices[i];
        *matrix = (struct matrix){.was_pinned = false};
        for (int i = 0; i < SAMPLE_SETS; i++)
            matrix->samples[i].sequence = (uint64_t)i + 1;
    }
    widen(&matrix->account.pages, pages_of(operand));
    matrix->used = ++uses;
    return matrix;
}

static bool is_there(const struct matrix *matrix, const struct operand *operand)
{
    return matrix && page_range_length(matrix->there) > 0 &&
           page_range_covers(matrix->there, pages_of(operand));
}

static bool may_stay(const struct operand *operand)
{
    return settings()->tracking && !operand_is_misaligned(operand);
}

struct residency matrices_residency(const struct operand *operands, int count)
{
    struct residency residency = {.trackable = true, .resident = true};
    for (int i = 0; i < count; i++) {
        const struct operand *const operand = &operands[i];
        if (operand_memory_is_empty(operand))
            continue;
        struct matrix *const matrix = may_stay(operand) ? find_matrix(operand) : NULL;
        const uint64_t bytes = operand_memory_bytes(operand);
        const bool there = is_there(matrix, operand);
        residency.bytes += bytes;
        residency.trackable = residency.trackable && may_stay(operand);
        if (operand->access != OPERAND_READ && there) {
            residency.kept_bytes += bytes;
            residency.worth_us = matrix->account.worth_us;
        }
        if (there || operand->access == OPERAND_OVERWRITE)
            continue;
        residency.pinned_bytes += matrix && matrix->was_pinned ? bytes : 0;
        residency_add_missing(&residency, operand, bytes, matrix ? &matrix->account : NULL,
                              &losses[operand->kind]);
    }
    return residency;
}

void matrices_credit(const struct operand *operands, int count, double saved_us)
{
    for (int i = 0; i < count; i++)
        if (!operand_memory_is_empty(&operands[i]) && may_stay(&operands[i]) &&
            operands[i].access != OPERAND_OVERWRITE && !is_there(find_matrix(&operands[i]), &operands[i]))
            open_matrix(&operands[i])->account.credit_us += saved_us;
}

/* Takes those that are there, each once. */
static int list_there(const struct operand *operands, int count, struct matrix *list[OPERANDS_MAX])
{
    int found = 0;
    for (int i = 0; i < count && i < OPERANDS_MAX; i++) {
        struct matrix *const matrix =
            operand_memory_is_empty(&operands[i]) ? NULL : find_matrix(&operands[i]);
        bool again = !is_there(matrix, &operands[i]);
        for (int j = 0; j < found; j++)
            again = again || list[j] == matrix;
        if (!again)
            list[found++] = matrix;
    }
    return found;
}

void matrices_earn(const struct operand *operands, int count, double saved_us)
{
    struct matrix *list[OPERANDS_MAX];
    const int found = list_there(operands, count, list);
    for (int i = 0; i < found; i++)
        if (!account_earn(&list[i]->account, &losses[list[i]->account.buyer], saved_us / found))
            list[i]->there = (struct page_range){0, 0};
}

/* As they are now; the part that has changed since. */
static double renew_samples(struct matrix *matrix, const struct operand *operand)
{
    double changed = 0;
    for (int i = 0; i < SAMPLE_SETS; i++)
        changed += rewrite_samples_renew(&matrix->samples[i], operand);
    return changed / SAMPLE_SETS;
}

static void forget_samples(struct matrix *matrix)
{
    for (int i = 0; i < SAMPLE_SETS; i++)
        rewrite_samples_forget(&matrix->samples[i]);
}

/* residency_settle's part. */
static void settle(struct matrix *matrix, const struct operand *operand, bool was_there, double part)
{
    const uint64_t bytes = operand_memory_bytes(operand), up = (uint64_t)(part * (double)bytes);
    struct account *const account = &matrix->account;
    if (was_there && 2 * up > bytes) {
        account_give_up(account, &losses[account->buyer]);
        matrix->there = (struct page_range){0, 0};
    } else if (was_there) {
        account_pay_again(account, up);
    } else {
        account_pay_first(account, up);
        widen(&matrix->there, pages_of(operand));
        account_note_bought(account, operand->kind);
        matrix->was_pinned = matrix->was_pinned || bytes >= PIN_BYTES_MIN;
    }
}

double matrices_upload_part(const struct operand *operand)
{
    if (!may_stay(operand))
        return operand->access == OPERAND_OVERWRITE ? 0 : 1;
    struct matrix *const matrix = open_matrix(operand);
    const bool was_there = is_there(matrix, operand);
    if (!was_there)
        forget_samples(matrix);
    const double changed = operand->access == OPERAND_OVERWRITE ? 0 : renew_samples(matrix, operand);
    const double part = was_there || operand->access == OPERAND_OVERWRITE ? changed : 1;
    settle(matrix, operand, was_there, part);
    return part;
}

double matrices_upload_us(const struct machine_model *model, const struct operand *operands, int count)
{
    double us = 0;
    for (int i = 0; i < count; i++) {
        const struct operand *const operand = &operands[i];
        if (operand_memory_is_empty(operand))
            continue;
        const struct matrix *const before = find_matrix(operand);
        const bool was_there = is_there(before, operand) || (before && before->was_pinned);
        const double bytes = matrices_upload_part(operand) * (double)operand_memory_bytes(operand);
        us += crossover_copies_us(model, bytes, may_stay(operand) && !was_there);
    }
    return us;
}

void matrices_note_results(const struct operand *operands, int count)
{
    for (int i = 0; i < count; i++) {
        const bool is_result = operands[i].access != OPERAND_READ && !operand_memory_is_empty(&operands[i]);
        struct matrix *const matrix = is_result ? find_matrix(&operands[i]) : NULL;
        if (!is_there(matrix, &operands[i]))
            continue;
        forget_samples(matrix);
        renew_samples(matrix, &operands[i]);
    }
}

uint64_t matrices_bytes_read(const struct operand *operands, int count)
{
    uint64_t bytes = 0;
    for (int i = 0; i < count; i++)
        if (!operand_memory_is_empty(&operands[i]) && operands[i].access != OPERAND_OVERWRITE)
            bytes += operand_memory_bytes(&operands[i]);
    return bytes;
}
