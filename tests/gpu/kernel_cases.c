#include "kernel_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct case_list {
    struct kernel_case *cases;
    size_t count, capacity;
    int64_t elements_max;
};

static const int64_t sizes[] = {1,   2,   3,   7,   30,  31,  32,  33,   34,   62,  63,
                                64,  65,  66,  126, 127, 128, 129, 130,  200,  254, 255,
                                256, 257, 258, 300, 511, 513, 700, 1025, 2049, 4099};

/* Sums longer than one chain of 64 nodes, and than 64 of those. */
static const int64_t long_sizes[] = {16384, 16385, 17000, 33001, 1050000};

static bool is_complex(enum blas_type type)
{
    return type == TYPE_C || type == TYPE_Z;
}

static void name_case(struct kernel_case *kernel_case)
{
    static const char *const families[] = {
        [FAMILY_AXPY] = "axpy", [FAMILY_GEMV] = "gemv", [FAMILY_SYMV] = "symv",
        [FAMILY_HEMV] = "hemv", [FAMILY_TRMV] = "trmv"};
    int length = snprintf(kernel_case->name, sizeof kernel_case->name, "%c%s", "sdczw"[kernel_case->type],
                          families[kernel_case->family]);
    char *end = kernel_case->name + length;
    size_t room = sizeof kernel_case->name - (size_t)length;
    const char uplo = kernel_case->uplo == UPLO_LOWER ? 'l' : 'u';
    const char trans = "ntcr"[kernel_case->trans];
    const char diag = kernel_case->diag == DIAG_UNIT ? 'u' : 'n';
    const long long m = kernel_case->m, n = kernel_case->n;
    switch (kernel_case->family) {
    case FAMILY_GEMV: snprintf(end, room, "-%c-%lldx%lld", trans, m, n); break;
    case FAMILY_SYMV: snprintf(end, room, "-%c-%lld", uplo, n); break;
    case FAMILY_HEMV: snprintf(end, room, "-%c%c-%lld", uplo, "nr"[kernel_case->conjugated], n); break;
    case FAMILY_TRMV: snprintf(end, room, "-%c%c%c-%lld", uplo, trans, diag, n); break;
    default: snprintf(end, room, "-%lld", n);
    }
}

void kernel_case_scalars(struct kernel_case *kernel_case, int64_t turn)
{
    static const double real_alphas[][2] = {{1}, {-0.75}, {1.375}};
    static const double real_betas[][2] = {{0}, {1}, {-0.625}, {2.5}};
    static const double complex_alphas[][2] = {{1, 0}, {-0.75, 0.5}, {0, 1.375}};
    static const double complex_betas[][2] = {{0, 0}, {1, 0}, {-0.625, 0.375}, {0, -2.5}};
    static const double wide_alphas[][2] = {{1, 0}, {-0.75, 0x1.3p-55}, {1.375, -0x1.8p-55}};
    static const double wide_betas[][2] = {{0, 0}, {1, 0}, {-0.625, -0x1.4p-56}, {1, 0x1p-60}};
    const bool complex = is_complex(kernel_case->type), wide = kernel_case->type == TYPE_W;
    memcpy(kernel_case->alpha, (wide ? wide_alphas : complex ? complex_alphas : real_alphas)[turn % 3],
           sizeof kernel_case->alpha);
    memcpy(kernel_case->beta, (wide ? wide_betas : complex ? complex_betas : real_betas)[turn % 4],
           sizeof kernel_case->beta);
}

/* Complex types have twice the flags: of the largest sizes, which take their time, each
 * gets only some of them. */
static bool is_left_out(const struct kernel_case *wanted, int64_t turn)
{
    if (!is_complex(wanted->type) || wanted->n < 2000 || (wanted->family == FAMILY_GEMV && wanted->m < 2000))
        return false;
    switch (wanted->family) {
    case FAMILY_GEMV: return wanted->trans == TRANS_TRANSPOSE || wanted->trans == TRANS_CONJUGATE_ONLY;
    case FAMILY_HEMV: return wanted->conjugated != (turn & 1);
    case FAMILY_TRMV: return (wanted->trans + wanted->diag + turn) % 4 != 0;
    default: return false;
    }
}

static void add_case(struct case_list *list, struct kernel_case wanted, int64_t turn)
{
    const int64_t elements = wanted.family == FAMILY_AXPY   ? wanted.n
                             : wanted.family == FAMILY_GEMV ? wanted.m * wanted.n
                                                            : wanted.n * wanted.n;
    if (elements > list->elements_max || is_left_out(&wanted, turn))
        return;
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 64;
        list->cases = realloc(list->cases, list->capacity * sizeof *list->cases);
        if (!list->cases)
            abort();
    }
    kernel_case_scalars(&wanted, turn);
    name_case(&wanted);
    list->cases[list->count++] = wanted;
}

static void add_gemv(struct case_list *list, enum blas_type type, int64_t n, int64_t turn)
{
    const int64_t shapes[][2] = {{n, n}, {n, 7}, {7, n}, {n, 70}, {70, n}};
    const int last = is_complex(type) ? TRANS_CONJUGATE_ONLY : TRANS_TRANSPOSE;
    for (int trans = TRANS_NONE; trans <= last; trans++)
        for (size_t shape = 0; shape < sizeof shapes / sizeof *shapes; shape++)
            if (shape == 0 || n > 70)
                add_case(list, (struct kernel_case){.family = FAMILY_GEMV, .type = type, .trans = trans,
                                                    .m = shapes[shape][0], .n = shapes[shape][1]},
                         turn + (int64_t)shape + trans);
}

/* symv, or hemv with both meanings of what is stored. */
static void add_symmetric(struct case_list *list, enum blas_type type, int64_t n, int64_t turn)
{
    for (int uplo = UPLO_LOWER; uplo <= UPLO_UPPER; uplo++)
        for (int conjugated = 0; conjugated <= is_complex(type); conjugated++)
            add_case(list, (struct kernel_case){.family = is_complex(type) ? FAMILY_HEMV : FAMILY_SYMV,
                                                .type = type, .uplo = uplo, .conjugated = conjugated, .n = n},
                     turn + uplo + 2 * conjugated);
}

static void add_size(struct case_list *list, enum blas_type type, int64_t n, int64_t turn)
{
    const int flags_count = is_complex(type) ? 16 : 8;
    if (type == TYPE_W) {
        add_symmetric(list, type, n, turn);
        return;
    }
    add_case(list, (struct kernel_case){.family = FAMILY_AXPY, .type = type, .n = n}, turn);
    add_gemv(list, type, n, turn);
    add_symmetric(list, type, n, turn);
    for (int flags = 0; flags < flags_count; flags++) {
        const int trans = flags >> 1 & 1, conjugated = flags >> 3;
        add_case(list, (struct kernel_case){.family = FAMILY_TRMV, .type = type, .uplo = flags & 1, .n = n,
                                            .trans = !conjugated ? trans : trans ? TRANS_CONJUGATE
                                                                                 : TRANS_CONJUGATE_ONLY,
                                            .diag = flags >> 2 & 1}, turn);
    }
}

/* Sums longer than one chain. */
static void add_long(struct case_list *list, enum blas_type type)
{
    for (size_t i = 0; i < sizeof long_sizes / sizeof *long_sizes; i++) {
        const int64_t narrow = 1 + (int64_t)i % 3;
        add_case(list, (struct kernel_case){.family = FAMILY_GEMV, .type = type, .m = narrow,
                                            .n = long_sizes[i]}, (int64_t)i + 1);
        add_case(list,
                 (struct kernel_case){.family = FAMILY_GEMV,
                                      .type = type,
                                      .trans = TRANS_TRANSPOSE,
                                      .m = long_sizes[i],
                                      .n = narrow},
                 (int64_t)i + 2);
    }
}

/* The same with partial sums in both directions, kept in one type: it is much work. */
static void add_long_symmetric(struct case_list *list)
{
    for (int uplo = UPLO_LOWER; uplo <= UPLO_UPPER; uplo++)
        add_case(list, (struct kernel_case){.family = FAMILY_SYMV, .type = TYPE_S, .uplo = uplo, .n = 16700},
                 uplo + 1);
}

struct kernel_case *kernel_cases(int64_t max_n, size_t *count)
{
    struct case_list list = {.elements_max = max_n * max_n};
    for (int type = TYPE_S; type < TYPE_COUNT; type++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            add_size(&list, type, sizes[i], (int64_t)i);
        if (type != TYPE_W)
            add_long(&list, type);
    }
    add_long_symmetric(&list);
    *count = list.count;
    return list.cases;
}

int64_t kernel_case_length(const struct kernel_case *kernel_case)
{
    const bool transposed = kernel_case->trans == TRANS_TRANSPOSE || kernel_case->trans == TRANS_CONJUGATE;
    return kernel_case->family == FAMILY_GEMV && !transposed ? kernel_case->m : kernel_case->n;
}
