/* Which cases a run measures, and in what order. */
#include "case.h"
#include "options.h"

#include <stdlib.h>
#include <string.h>

/* Several passes, so that a run cut short by its time limit has the figures that matter most. */
static const int64_t main_sizes[] = {1024, 2048, 4096, 8192, 16384, 256, 512, 12288, 32768};
static const int64_t layout_sizes[] = {1024, 2048, 4096, 8192, 16384};
static const int64_t edge_sizes[] = {1023, 1025, 2047, 2049, 4095, 4097, 8191, 8193};
static const struct {
    int64_t m, n;
} shapes[] = {{16384, 1024}, {1024, 16384}, {65536, 256}, {256, 65536}, {524288, 32}, {32, 524288}};
enum {
    COUNT_OF_MAIN = sizeof main_sizes / sizeof *main_sizes,
    COUNT_OF_LAYOUT = sizeof layout_sizes / sizeof *layout_sizes,
    COUNT_OF_EDGE = sizeof edge_sizes / sizeof *edge_sizes,
    COUNT_OF_SHAPES = sizeof shapes / sizeof *shapes
};

struct building {
    struct case_list list;
    size_t room, l2_bytes;
    const struct options *options;
};

static bool is_complex(enum blas_type type)
{
    return type == TYPE_C || type == TYPE_Z;
}

/* Warm only what the cache holds with room to spare; nothing that the pool cannot hold. */
static void add(struct building *building, struct bench_case wanted)
{
    if (case_footprint(&wanted) > building->options->pool_bytes)
        return;
    if (wanted.warm && (double)case_footprint(&wanted) > 0.4 * (double)building->l2_bytes)
        return;
    if (building->list.count == building->room) {
        building->room = building->room ? 2 * building->room : 256;
        building->list.cases = realloc(building->list.cases, building->room * sizeof *building->list.cases);
        if (!building->list.cases)
            abort();
    }
    building->list.cases[building->list.count++] = wanted;
}

static bool is_chosen(const char *letters, char letter)
{
    return strchr(letters, letter) != NULL;
}

static void add_trmv(struct building *building, struct bench_case wanted)
{
    const int last = is_complex(wanted.type) ? TRANS_CONJUGATE : TRANS_TRANSPOSE;
    for (int trans = TRANS_NONE; trans <= last; trans++)
        for (int diag = DIAG_NON_UNIT; diag <= DIAG_UNIT; diag++) {
            wanted.trans = (enum blas_trans)trans, wanted.diag = (enum blas_diag)diag;
            if (diag == DIAG_UNIT && (wanted.layout != LAYOUT_ALIGNED || wanted.warm))
                continue;
            if (is_chosen(building->options->transes, "NTC"[trans]) &&
                is_chosen(building->options->diags, "nu"[diag]))
                add(building, wanted);
        }
}

static void add_triangles(struct building *building, struct bench_case wanted)
{
    for (int uplo = UPLO_LOWER; uplo <= UPLO_UPPER; uplo++) {
        wanted.uplo = (enum blas_uplo)uplo;
        if (!is_chosen(building->options->uplos, "LU"[uplo]))
            continue;
        if (wanted.family == FAMILY_TRMV)
            add_trmv(building, wanted);
        else
            add(building, wanted);
    }
}

static void add_gemv(struct building *building, struct bench_case wanted)
{
    const int last = is_complex(wanted.type) ? TRANS_CONJUGATE : TRANS_TRANSPOSE;
    for (int trans = TRANS_NONE; trans <= last; trans++) {
        wanted.trans = (enum blas_trans)trans;
        if (is_chosen(building->options->transes, "NTC"[trans]))
            add(building, wanted);
    }
}

/* Every flag of one routine, type, size, layout. */
static void add_flags(struct building *building, struct bench_case wanted)
{
    switch (wanted.family) {
    case FAMILY_AXPY: add(building, wanted); break;
    case FAMILY_GEMV: add_gemv(building, wanted); break;
    case FAMILY_SYMV:
        if (is_complex(wanted.type))
            wanted.family = FAMILY_HEMV;
        add_triangles(building, wanted);
        break;
    default: add_triangles(building, wanted);
    }
}

static void add_size(struct building *building, int64_t m, int64_t n, enum layout layout, bool warm)
{
    static const enum blas_family families[] = {FAMILY_SYMV, FAMILY_GEMV, FAMILY_TRMV, FAMILY_AXPY};
    for (int type = 0; type < TYPE_COUNT; type++)
        for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
            struct bench_case wanted = {.family = families[i], .type = (enum blas_type)type, .layout = layout,
                                        .warm = warm, .m = m, .n = n};
            if (!building->options->types[type] || !building->options->families[families[i]] ||
                (m != n && families[i] != FAMILY_GEMV) || (type == TYPE_W && families[i] != FAMILY_SYMV))
                continue;
            /* axpy has one dimension: as many elements as a triangle of that size. */
            if (families[i] == FAMILY_AXPY)
                wanted.m = 1, wanted.n = n * n / 2;
            add_flags(building, wanted);
        }
}

static void add_sizes(struct building *building, const int64_t *sizes, int count, enum layout layout,
                      bool warm)
{
    if (warm ? building->options->warm : building->options->cold)
        for (int i = 0; i < count; i++)
            add_size(building, sizes[i], sizes[i], layout, warm);
}

static void add_standard(struct building *building)
{
    add_sizes(building, main_sizes, COUNT_OF_MAIN, LAYOUT_ALIGNED, false);
    add_sizes(building, layout_sizes, COUNT_OF_LAYOUT, LAYOUT_SHIFTED, false);
    add_sizes(building, layout_sizes, COUNT_OF_LAYOUT, LAYOUT_ODD, false);
    for (int i = 0; i < COUNT_OF_SHAPES && building->options->cold; i++)
        add_size(building, shapes[i].m, shapes[i].n, LAYOUT_ALIGNED, false);
    add_sizes(building, main_sizes, COUNT_OF_MAIN, LAYOUT_ALIGNED, true);
    add_sizes(building, edge_sizes, COUNT_OF_EDGE, LAYOUT_ALIGNED, false);
    add_sizes(building, edge_sizes, COUNT_OF_EDGE, LAYOUT_ODD, false);
}

struct case_list case_list_make(const struct options *options, size_t l2_bytes)
{
    struct building building = {.l2_bytes = l2_bytes, .options = options};
    if (!options->size_count)
        add_standard(&building);
    for (int warm = 0; warm < 2 && options->size_count; warm++)
        for (int layout = 0; layout < LAYOUT_COUNT; layout++)
            for (int i = 0; i < options->size_count; i++)
                if (options->layouts[layout] && (warm ? options->warm : options->cold))
                    add_size(&building, options->sizes[i].m, options->sizes[i].n, (enum layout)layout, warm);
    return building.list;
}
