#include "eigen_steps.h"

#include <stdio.h>
#include <stdlib.h>

struct case_list {
    int64_t max_n;
    size_t count, capacity;
    struct eigen_case *cases;
};

/* With the name's middle, "ssytrd-l-" of "ssytrd-l-33". */
static void add(struct case_list *list, struct eigen_case added, const char *routine, const char *flags)
{
    if (added.n > list->max_n)
        return;
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 256;
        list->cases = realloc(list->cases, list->capacity * sizeof *list->cases);
        if (!list->cases)
            abort();
    }
    snprintf(added.name, sizeof added.name, "%c%s-%s%lld", "sdcz"[added.type], routine, flags,
             (long long)added.n);
    list->cases[list->count++] = added;
}

/* Lists of orders end with 0. */
static void add_triangles(struct case_list *list, enum eigen_step step, enum blas_type type,
                          const char *of_real, const char *of_complex, const int64_t *n)
{
    for (; *n > 0; n++)
        for (enum blas_uplo uplo = UPLO_LOWER; uplo <= UPLO_UPPER; uplo++)
            add(list, (struct eigen_case){.step = step, .type = type, .uplo = uplo, .n = *n},
                blas_scalar_parts(type) == 2 ? of_complex : of_real, uplo == UPLO_UPPER ? "u-" : "l-");
}

/* The last orders are the largest ones that 132 multiprocessors of 227 KB hold. */
static void add_chip(struct case_list *list)
{
    static const int64_t orders[] = {1,   2,   3,   31,  32,  33,  63,  64,   65,
                                     131, 132, 133, 224, 383, 385, 500, 1000, 0};
    static const int64_t largest[][2] = {[TYPE_S] = {2736}, [TYPE_D] = {1894}, [TYPE_C] = {1894},
                                         [TYPE_Z] = {1320}};
    for (enum blas_type type = TYPE_S; type <= TYPE_Z; type++) {
        add_triangles(list, EIGEN_CHIP, type, "sytrd", "hetrd", orders);
        add_triangles(list, EIGEN_CHIP, type, "sytrd", "hetrd", largest[type]);
    }
}

static void add_rest_of_reduction(struct case_list *list)
{
    static const int64_t panels[] = {65, 130, 200, 0}, triangles[] = {1, 2, 31, 33, 64, 127, 128, 0};
    for (enum blas_type type = TYPE_S; type <= TYPE_Z; type++) {
        for (const int64_t *n = panels; *n > 0; n++)
            add(list, (struct eigen_case){.step = EIGEN_PANEL, .type = type, .uplo = UPLO_LOWER, .n = *n},
                blas_scalar_parts(type) == 2 ? "hetrd_panel" : "sytrd_panel", "l-");
        add_triangles(list, EIGEN_TRIANGLE, type, "sytrd_triangle", "hetrd_triangle", triangles);
    }
}

static void add_two_stages(struct case_list *list, enum blas_type type)
{
    static const int64_t panels[] = {1, 2, 63, 64, 65, 66, 256, 257, 600, 0},
                         bands[] = {1, 2, 3, 33, 64, 65, 66, 67, 130, 257, 500, 1000, 0};
    for (const int64_t *n = panels; *n > 0; n++)
        add(list, (struct eigen_case){.step = EIGEN_QR, .type = type, .n = *n}, "syband_panel", "");
    for (const int64_t *n = bands; *n > 0; n++) {
        add(list, (struct eigen_case){.step = EIGEN_CHASE, .type = type, .n = *n}, "band_chase", "n-");
        add(list, (struct eigen_case){.step = EIGEN_CHASE, .type = type, .with_vectors = true, .n = *n},
            "band_chase", "v-");
        if (*n > 2)
            add(list, (struct eigen_case){.step = EIGEN_BACK, .type = type, .with_vectors = true, .n = *n},
                "band_back", "");
    }
}

/* With vectors up to the order from which products are cuBLAS', and twice that without. */
static void add_tridiagonal(struct case_list *list, enum blas_type type)
{
    enum { VECTORS_MOST = 512, DIVIDED_MOST = 1000 };
    static const int64_t orders[] = {1, 2, 3, 16, 17, 31, 33, 64, 65, 130, 300, 512, 1000, 2049, 0};
    for (const int64_t *n = orders; *n > 0; n++)
        for (int glued = 0; glued <= 1; glued++) {
            struct eigen_case added = {.step = EIGEN_BISECTION, .type = type, .glued = glued, .n = *n};
            add(list, added, "stebz", glued ? "glued-" : "");
            added.step = EIGEN_DIVIDE;
            if (added.n <= DIVIDED_MOST)
                add(list, added, "stedc", glued ? "n-glued-" : "n-");
            added.with_vectors = true;
            if (added.n <= VECTORS_MOST)
                add(list, added, "stedc", glued ? "v-glued-" : "v-");
        }
}

/* Squares, and a few columns so long that a thread has 2, 4, 6 and 8 times 16 bytes of one, and more. */
static void add_bidiagonal(struct case_list *list)
{
    static const int64_t orders[] = {1, 2, 3, 31, 33, 64, 200, 600}, units[] = {2, 3, 4, 5, 6, 8, 9};
    for (enum blas_type type = TYPE_S; type <= TYPE_Z; type++) {
        struct eigen_case added = {.step = EIGEN_BIDIAGONAL, .type = type};
        for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
            added.n = orders[i];
            add(list, added, "gebrd_panel", "");
        }
        for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
            added.n = (units[i] - 1) * 512 * 16 / (int64_t)blas_element_bytes(type) + 1 + (int64_t)i % 3;
            if (added.n > 1024)
                add(list, added, "gebrd_panel", "");
        }
    }
}

/* Vectors likewise. */
static void add_singular(struct case_list *list, enum blas_type type)
{
    enum { VECTORS_MOST = 511 };
    static const int64_t orders[] = {1, 2, 3, 15, 16, 31, 33, 64, 65, 130, 300, 511, 2049, 0};
    for (const int64_t *n = orders; *n > 0; n++)
        for (int glued = 0; glued <= 1; glued++) {
            struct eigen_case added = {.step = EIGEN_SINGULAR_VALUES, .type = type, .glued = glued, .n = *n};
            add(list, added, "bdsvx", glued ? "glued-" : "");
            added.step = EIGEN_SINGULAR_DIVISION;
            if (added.n <= VECTORS_MOST)
                add(list, added, "bdsdc", glued ? "glued-" : "");
        }
}

struct eigen_case *eigen_cases(int64_t max_n, size_t *count)
{
    struct case_list list = {.max_n = max_n};
    add_chip(&list);
    add_rest_of_reduction(&list);
    add_bidiagonal(&list);
    for (enum blas_type type = TYPE_S; type <= TYPE_D; type++) {
        add_two_stages(&list, type);
        add_tridiagonal(&list, type);
        add_singular(&list, type);
    }
    *count = list.count;
    return list.cases;
}
