/* decisions [blas]: calls of every routine that mublas may take to a device, one after the other, each on the same matrix
 * again and again: as it is, rewritten in between, and large and small. Each is told on standard error first, where
 * mublas says what becomes of it (MUBLAS_VERBOSE=3). Nothing here depends on time, addresses or chance. */
#include "lapack_call.h"

#include "../element.h"
#include "../interface_call.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER_MOST = 300, SIDES = 12, AREAS = 12, VECTORS = 3 };
static const int blas_orders[] = {24, 96, 220}, lapack_orders[] = {24, 130};

/* In pages of their own, so that no matrix shares one with another. */
static double *area[AREAS];
static int *integers[3];

static void *pages(size_t bytes)
{
    void *memory = NULL;
    if (posix_memalign(&memory, 4096, bytes) != 0)
        exit(2);
    memset(memory, 0, bytes);
    return memory;
}

static void make_areas(void)
{
    /* Room for the largest workspace, that of the eigensolvers by divide and conquer. */
    const size_t elements = 8 * (size_t)ORDER_MOST * ORDER_MOST + 4096;
    for (int i = 0; i < AREAS; i++)
        area[i] = pages(elements * 2 * sizeof(double));
    for (int i = 0; i < 3; i++)
        integers[i] = pages(32 * ORDER_MOST * sizeof(int));
}

/* Hermitian and positive definite. */
static void fill_matrix(double *matrix, char type, int n, int change)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            const int64_t at = (int64_t)j * n + i;
            set_part(type, matrix, at, 0, i == j ? n + (i % 7) + change : 1.0 / (1 + abs(i - j)));
            if (is_complex(type))
                set_part(type, matrix, at, 1, 0);
        }
}

static void fill_vector(double *vector, char type, int count)
{
    for (int i = 0; i < count; i++) {
        set_part(type, vector, i, 0, 1 + i % 3);
        if (is_complex(type))
            set_part(type, vector, i, 1, 0);
    }
}

/* Letters as in interface_call.h. */
static const struct blas_routine {
    const char *name, *types, *letters;
} blas_routines[] = {
    {"axpy", "sdcz", "ns1i2i"},         {"gemv", "sdcz", "tnns1l2is3i"},    {"symv", "sd", "uns1l2is3i"},
    {"hemv", "cz", "uns1l2is3i"},       {"trmv", "sdcz", "utdn1l2i"},       {"gemm", "sdcz", "ttnnks1l2ls3l"},
    {"symm", "sdcz", "eunns1l2ls3l"},   {"hemm", "cz", "eunns1l2ls3l"},     {"syrk", "sdcz", "utnks1ls3l"},
    {"herk", "cz", "utnkr1lr3l"},       {"syr2k", "sdcz", "utnks1l2ls3l"},  {"her2k", "cz", "utnks1l2lr3l"},
    {"trmm", "sdcz", "eutdnns1l3l"},    {"trsm", "sdcz", "eutdnns1l3l"},
    {"spmv", "sd", "uns12is3i"},        {"hpmv", "cz", "uns12is3i"},
};

static void call_blas(const struct blas_routine *routine, char type, int n, int k, bool is_other_way)
{
    static const struct interface fortran = {"", "_", 32, false};
    const char *const letters = routine->letters;
    const char transposed = strncmp(routine->name, "her", 3) == 0 ? 'C' : 'T';
    union argument arguments[ARGUMENTS_MAX];
    char name[16];
    snprintf(name, sizeof name, "%c%s_", type, routine->name);
    for (int i = 0; letters[i]; i++)
        switch (letters[i]) {
        case 'e': arguments[i].flag = is_other_way ? 'R' : 'L'; break;
        case 'u': arguments[i].flag = is_other_way ? 'U' : 'L'; break;
        case 't': arguments[i].flag = is_other_way ? transposed : 'N'; break;
        case 'd': arguments[i].flag = 'N'; break;
        case 'n':
        case 'l': arguments[i].integer = n; break;
        case 'k': arguments[i].integer = k; break;
        case 'i': arguments[i].integer = 1; break;
        case 's':
        case 'r':
            arguments[i].scalar[0] = 0.5;
            arguments[i].scalar[1] = 0;
            break;
        default: /* a matrix has a leading dimension behind it, or a vector where it is packed */
            arguments[i].operand = area[letters[i] - '1' + (strchr("l2", letters[i + 1]) ? 0 : VECTORS)];
        }
    void *const function = dlsym(RTLD_DEFAULT, name);
    if (!function)
        exit(2);
    fprintf(stderr, "call %s n=%d k=%d\n", name, n, k);
    interface_call(&fortran, function, type, letters, arguments);
}

static void prepare_blas(char type, int n, int change)
{
    for (int i = 0; i < VECTORS; i++)
        fill_matrix(area[i], type, n, change);
    for (int i = VECTORS; i < 2 * VECTORS; i++)
        fill_vector(area[i], type, n);
}

static void blas_calls(const struct blas_routine *routine, char type)
{
    for (size_t order = 0; order < sizeof blas_orders / sizeof *blas_orders; order++) {
        const int n = blas_orders[order];
        prepare_blas(type, n, 0);
        /* Products come often enough to pay for cuBLAS. */
        const int calls = strcmp(routine->name, "gemm") == 0 && type == 'd' ? 240 : 5;
        for (int call = 0; call < calls; call++)
            call_blas(routine, type, n, n, call % 2);
        for (int call = 0; call < 3; call++) {
            fill_matrix(area[0], type, n, call + 1);
            call_blas(routine, type, n, n, false);
        }
        if (strchr(routine->letters, 'k'))
            call_blas(routine, type, n, 8, false);
    }
}

/* Calls that read a matrix of their own: what they would have saved before the device is there is its credit, once. */
static void calls_on_another(int calls)
{
    const struct blas_routine gemv = {"gemv", "z", "tnns1l2is3i"};
    double *const matrix = area[0];
    area[0] = area[AREAS - 1];
    for (int call = 0; call < calls; call++)
        call_blas(&gemv, 'z', ORDER_MOST, ORDER_MOST, false);
    area[0] = matrix;
}

/* The names are lapack_call.c's. */
static const char *const lapack_routines[] = {
    "syev", "heev", "syevd", "heevd", "syevr", "heevr", "syevx", "heevx", "sygv", "hegv", "sygvd", "hegvd", "sygvx",
    "hegvx", "sytrd", "hetrd", "orgtr", "ungtr", "ormtr", "unmtr", "sygst", "hegst", "stedc", "potrf", "potrs", "posv",
    "potri", "trtri", "trtrs", "getrf", "getrs", "gesv", "getri", "geqrf", "orgqr", "ungqr", "ormqr", "unmqr", "gels", "gelsd", "gelss", "gesdd",
    "gesvd", "geev",
};

static void call_lapack(const struct lapack_routine *routine, char type, int n)
{
    struct lapack_call call = {
        .routine = routine, .type = type, .jobz = strcmp(routine->name, "gesdd") == 0 ? 'A' : 'V', .range = 'A',
        .uplo = 'L', .trans = 'N', .side = 'L', .diag = 'N', .jobu = 'A', .jobvt = 'A', .jobvl = 'N', .jobvr = 'V',
        .compz = 'I', .itype = 1, .m = n, .n = n, .k = n, .nrhs = SIDES, .lda = n, .ldb = n, .ldc = n, .ldz = n,
        .ldu = n, .ldvt = n, .ldvl = n, .ldvr = n, .il = 1, .iu = n, .lwork = 6 * n * n + 8 * n + 64,
        .lrwork = 6 * n * n + 8 * n + 64, .liwork = 12 * n, .vl = lapack_real_of(type, 0),
        .vu = lapack_real_of(type, 1), .abstol = lapack_real_of(type, 0), .rcond = lapack_real_of(type, -1), .a = area[0], .b = area[1], .c = area[2],
        .d = area[3], .e = area[4], .s = area[3], .tau = area[5], .u = area[6], .vt = area[7], .w = area[8],
        .wi = area[4], .left = area[6], .right = area[7], .z = area[9], .work = area[10], .rwork = area[11],
        .iwork = integers[0], .ifail = integers[1], .isuppz = integers[1], .ipiv = integers[2]};
    if (lapack_position(routine, "jobvl") > 0)
        call.jobz = 'V';
    fprintf(stderr, "call %c%s_ n=%d\n", type, routine->name, n);
    lapack_perform(&call, lapack_linked(routine, type));
}

/* Every operand is made anew; factors and pivots are the identity's. */
static void prepare_lapack(char type, int n)
{
    fill_matrix(area[0], type, n, 0);
    fill_matrix(area[1], type, n, 1);
    fill_matrix(area[2], type, n, 2);
    memset(area[5], 0, (size_t)n * element_bytes(type));
    for (int i = 0; i < n; i++) {
        set_part(is_single(type) ? 's' : 'd', area[3], i, 0, 2 + i % 5);
        set_part(is_single(type) ? 's' : 'd', area[4], i, 0, 0.5);
        integers[2][i] = i + 1;
    }
}

static void lapack_calls(const char *name, char type)
{
    const struct lapack_routine *const routine = lapack_routine(name, type);
    for (size_t order = 0; routine && order < sizeof lapack_orders / sizeof *lapack_orders; order++) {
        const int n = lapack_orders[order];
        prepare_lapack(type, n);
        call_lapack(routine, type, n);
        call_lapack(routine, type, n); /* finds what the first has left */
    }
}

int main(int count, char **arguments)
{
    const bool blas_alone = count > 1 && strcmp(arguments[1], "blas") == 0;
    make_areas();
    calls_on_another(blas_alone ? 2 : 0);
    for (size_t i = 0; i < sizeof blas_routines / sizeof *blas_routines; i++)
        for (const char *type = blas_routines[i].types; *type; type++)
            blas_calls(&blas_routines[i], *type);
    calls_on_another(blas_alone ? 4 : 0);
    if (blas_alone)
        return 0;
    for (size_t i = 0; i < sizeof lapack_routines / sizeof *lapack_routines; i++)
        for (const char *type = "sdcz"; *type; type++)
            lapack_calls(lapack_routines[i], *type);
    return 0;
}
