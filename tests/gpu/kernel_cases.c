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

static void name_case(struct kernel_case *kernel_case)
{
    static const char *const families[] = {"axpy", "gemv", "symv", "trmv"};
    static const char types[] = "sdcz";
    int length = snprintf(kernel_case->name, sizeof kernel_case->name, "%c%s", types[kernel_case->type],
                          families[kernel_case->family]);
    char *end = kernel_case->name + length;
    size_t room = sizeof kernel_case->name - (size_t)length;
    const char uplo = kernel_case->uplo == UPLO_LOWER ? 'l' : 'u';
    const char trans = kernel_case->trans == TRANS_NONE ? 'n' : 't';
    const char diag = kernel_case->diag == DIAG_UNIT ? 'u' : 'n';
    if (kernel_case->family == FAMILY_GEMV)
        snprintf(end, room, "-%c-%lldx%lld", trans, (long long)kernel_case->m, (long long)kernel_case->n);
    else if (kernel_case->family == FAMILY_SYMV)
        snprintf(end, room, "-%c-%lld", uplo, (long long)kernel_case->n);
    else if (kernel_case->family == FAMILY_TRMV)
        snprintf(end, room, "-%c%c%c-%lld", uplo, trans, diag, (long long)kernel_case->n);
    else
        snprintf(end, room, "-%lld", (long long)kernel_case->n);
}

/* Scalars go round with the size, so that each routine and flag meets each of them. */
static void add_case(struct case_list *list, struct kernel_case wanted, int64_t turn)
{
    static const double alphas[] = {1, -0.75, 1.375};
    static const double betas[] = {0, 1, -0.625, 2.5};
    const int64_t elements = wanted.family == FAMILY_AXPY   ? wanted.n
                             : wanted.family == FAMILY_GEMV ? wanted.m * wanted.n
                                                            : wanted.n * wanted.n;
    if (elements > list->elements_max)
        return;
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 64;
        list->cases = realloc(list->cases, list->capacity * sizeof *list->cases);
        if (!list->cases)
            abort();
    }
    wanted.alpha = alphas[turn % 3];
    wanted.beta = betas[turn % 4];
    name_case(&wanted);
    list->cases[list->count++] = wanted;
}

static void add_size(struct case_list *list, enum blas_type type, int64_t n, int64_t turn)
{
    add_case(list, (struct kernel_case){.family = FAMILY_AXPY, .type = type, .n = n}, turn);
    for (int trans = TRANS_NONE; trans <= TRANS_TRANSPOSE; trans++) {
        const int64_t shapes[][2] = {{n, n}, {n, 7}, {7, n}, {n, 70}, {70, n}};
        for (size_t shape = 0; shape < sizeof shapes / sizeof *shapes; shape++)
            if (shape == 0 || n > 70)
                add_case(list, (struct kernel_case){.family = FAMILY_GEMV, .type = type, .trans = trans,
                                                    .m = shapes[shape][0], .n = shapes[shape][1]},
                         turn + (int64_t)shape + trans);
    }
    for (int uplo = UPLO_LOWER; uplo <= UPLO_UPPER; uplo++)
        add_case(list, (struct kernel_case){.family = FAMILY_SYMV, .type = type, .uplo = uplo, .n = n},
                 turn + uplo);
    for (int flags = 0; flags < 8; flags++)
        add_case(list, (struct kernel_case){.family = FAMILY_TRMV, .type = type, .uplo = flags & 1, .n = n,
                                            .trans = flags >> 1 & 1, .diag = flags >> 2}, turn);
}

struct kernel_case *kernel_cases(int64_t max_n, size_t *count)
{
    struct case_list list = {.elements_max = max_n * max_n};
    for (int type = TYPE_S; type <= TYPE_D; type++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            add_size(&list, type, sizes[i], (int64_t)i);
        for (size_t i = 0; i < sizeof long_sizes / sizeof *long_sizes; i++) {
            const int64_t narrow = 1 + (int64_t)i % 3;
            add_case(&list, (struct kernel_case){.family = FAMILY_GEMV, .type = type, .m = narrow,
                                                 .n = long_sizes[i]}, (int64_t)i + 1);
            add_case(&list,
                     (struct kernel_case){.family = FAMILY_GEMV,
                                          .type = type,
                                          .trans = TRANS_TRANSPOSE,
                                          .m = long_sizes[i],
                                          .n = narrow},
                     (int64_t)i + 2);
        }
    }
    *count = list.count;
    return list.cases;
}
