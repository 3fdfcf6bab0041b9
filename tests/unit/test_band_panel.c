/* The QR of a panel by its kernels: A = Q R and Q'Q = I with Q = I - V T V', R in A's place and V in two; the
 * same bits with a block for each chunk of rows, with fewer and with one. */
#include "emulated_lane.h"
#include "gpu/cooperative.h"
#include "gpu/kernels/two_stage/band_arguments.h"
#include "real_matrices.h"
#include "unit_test.h"

enum { ROWS_MOST = 1000, GAP = 5, V_COLUMNS = 3 * BAND_WIDTH, CHUNKS_MOST = 4 };
static const double BOUND = 2; /* in units of rows eps */

#if defined __SANITIZE_THREAD__
static const int rows_limit = 66;
#elif defined __SANITIZE_ADDRESS__
static const int rows_limit = 300;
#else
static const int rows_limit = ROWS_MOST;
#endif

static struct lane *lane;

/* As they are on the device, and in double precision. */
struct panel {
    enum blas_type type;
    int rows;
    double *given, *a, *v, *t;
    size_t bytes;
    unsigned char *bits; /* of A, V and T, one behind the other */
};

static CUdeviceptr allocate(size_t bytes)
{
    CUdeviceptr address = 0;
    if (device_allocate(emulated_device, bytes, &address) != STATUS_OK)
        exit(1);
    return address;
}

static double number_at(enum blas_type type, const void *elements, size_t place)
{
    return type == TYPE_S ? (double)((const float *)elements)[place] : ((const double *)elements)[place];
}

static double *widened(enum blas_type type, const void *elements, size_t count)
{
    double *const numbers = malloc(count * sizeof *numbers);
    for (size_t i = 0; i < count; i++)
        numbers[i] = number_at(type, elements, i);
    return numbers;
}

/* Columns are `rows` + GAP apart, for A and V; NaN in the gaps and in V. */
static void factor(struct panel *panel, bool is_long, unsigned blocks)
{
    const size_t element = blas_element_bytes(panel->type), ld = (size_t)panel->rows + GAP;
    const size_t a_bytes = ld * BAND_WIDTH * element, v_bytes = ld * V_COLUMNS * element,
                 t_bytes = BAND_WIDTH * BAND_WIDTH * element;
    const CUdeviceptr memory = allocate(a_bytes + v_bytes + t_bytes);
    const CUdeviceptr partials = allocate(2 * BAND_WIDTH * CHUNKS_MOST * element),
                      pivots = allocate(2 * BAND_WIDTH * element), gate = allocate(sizeof(struct grid_gate));
    panel->bytes = a_bytes + v_bytes + t_bytes;
    panel->bits = malloc(panel->bytes);
    memset(panel->bits, 0xff, panel->bytes);
    for (size_t i = 0; i < (size_t)panel->rows * BAND_WIDTH; i++) {
        const size_t place = i % (size_t)panel->rows + i / (size_t)panel->rows * ld;
        if (panel->type == TYPE_S)
            ((float *)panel->bits)[place] = (float)panel->given[i];
        else
            ((double *)panel->bits)[place] = panel->given[i];
    }
    device_poke(memory, panel->bits, panel->bytes);
    struct band_panel_arguments arguments = {.a = (void *)(uintptr_t)memory,
                                             .ld = (int64_t)ld,
                                             .rows = panel->rows,
                                             .v = (void *)(uintptr_t)(memory + a_bytes),
                                             .v_ld = (int64_t)ld,
                                             .t = (void *)(uintptr_t)(memory + a_bytes + v_bytes),
                                             .partials = (void *)(uintptr_t)partials,
                                             .chunks_most = CHUNKS_MOST,
                                             .pivots = (void *)(uintptr_t)pivots,
                                             .gate = (void *)(uintptr_t)gate};
    static const enum kernel kernels[][2] = {[TYPE_S] = {KERNEL_ssyband_panel, KERNEL_ssyband_panel_long},
                                             [TYPE_D] = {KERNEL_dsyband_panel, KERNEL_dsyband_panel_long}};
    struct cooperative_launch launch = {.kernel = kernels[panel->type][is_long],
                                        .threads = BAND_PANEL_THREADS,
                                        .shared_bytes = BAND_PANEL_ELEMENTS * element,
                                        .blocks = blocks,
                                        .gate = gate};
    if (cooperative_launch(emulated_device, lane->stream, &launch, &arguments) != STATUS_OK ||
        launch.blocks != blocks || lane_synchronise(lane, "testing") != STATUS_OK)
        exit(1);
    device_peek(panel->bits, memory, panel->bytes);
    panel->a = widened(panel->type, panel->bits, ld * BAND_WIDTH);
    panel->v = widened(panel->type, panel->bits + a_bytes, ld * V_COLUMNS);
    panel->t = widened(panel->type, panel->bits + a_bytes + v_bytes, BAND_WIDTH * BAND_WIDTH);
    const CUdeviceptr all[] = {memory, partials, pivots, gate}; /* to free looks for writes beside it */
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_free(emulated_device, all[i]);
}

static void panel_free(struct panel *panel)
{
    free(panel->a);
    free(panel->v);
    free(panel->t);
    free(panel->bits);
}

/* V is a unit lower trapezoid, twice, and columns without a reflector are zero; T an upper triangle. */
static bool is_in_form(const struct panel *panel)
{
    const int ld = panel->rows + GAP;
    bool good = true;
    for (int j = 0; j < BAND_WIDTH; j++) {
        for (int i = 0; i < panel->rows; i++) {
            const double v = panel->v[i + j * ld];
            good = good && v == panel->v[i + (j + 2 * BAND_WIDTH) * ld] && isfinite(panel->a[i + j * ld]);
            good = good && (i == j ? v == 1 : i < j ? v == 0 : isfinite(v));
        }
        for (int i = panel->rows; i < ld; i++)
            good = good && isnan(panel->v[i + j * ld]) && isnan(panel->a[i + j * ld]);
        for (int i = 0; i < BAND_WIDTH; i++)
            good = good && (i > j || j >= panel->rows ? panel->t[i + j * BAND_WIDTH] == 0
                                                      : isfinite(panel->t[i + j * BAND_WIDTH]));
    }
    return good;
}

/* x becomes Q x, or Q' x. */
static void apply(const struct panel *panel, bool transposed, double *x)
{
    double with_v[BAND_WIDTH] = {0}, of_v[BAND_WIDTH] = {0};
    const int ld = panel->rows + GAP;
    for (int j = 0; j < BAND_WIDTH; j++)
        for (int i = 0; i < panel->rows; i++)
            with_v[j] += panel->v[i + j * ld] * x[i];
    for (int j = 0; j < BAND_WIDTH; j++)
        for (int i = 0; i < BAND_WIDTH; i++)
            of_v[i] += panel->t[transposed ? j + i * BAND_WIDTH : i + j * BAND_WIDTH] * with_v[j];
    for (int j = 0; j < BAND_WIDTH; j++)
        for (int i = 0; i < panel->rows; i++)
            x[i] -= panel->v[i + j * ld] * of_v[j];
}

/* The largest element of A - Q R over the largest of A, and that of Q'Q e - e for a vector e of ones. */
static void measure(const struct panel *panel, double *residual, double *skew)
{
    double x[ROWS_MOST], most = 0;
    *residual = *skew = 0;
    for (int i = 0; i < panel->rows * BAND_WIDTH; i++)
        most = fmax(most, fabs(panel->given[i]));
    for (int j = 0; j < BAND_WIDTH; j++) {
        for (int i = 0; i < panel->rows; i++)
            x[i] = i <= j ? panel->a[i + j * (panel->rows + GAP)] : 0;
        apply(panel, false, x);
        for (int i = 0; i < panel->rows; i++)
            *residual =
                fmax(*residual, fabs(x[i] - panel->given[i + j * panel->rows]) / (most > 0 ? most : 1));
    }
    for (int i = 0; i < panel->rows; i++)
        x[i] = 1;
    apply(panel, false, x);
    apply(panel, true, x);
    for (int i = 0; i < panel->rows; i++)
        *skew = fmax(*skew, fabs(x[i] - 1));
}

enum kind { RANDOM, ZERO, DEPENDENT, TINY_COLUMNS, KINDS };
static const char *const kind_names[] = {"random", "zero", "dependent columns",
                                         "columns of nothing beside 1"};

static double *make(enum blas_type type, int rows, enum kind kind)
{
    double *const given = malloc((size_t)rows * BAND_WIDTH * sizeof *given);
    uint64_t state = (uint64_t)rows;
    for (int i = 0; i < rows * BAND_WIDTH; i++) {
        const int column = i / rows;
        const double number = random_number(&state), tiny = type == TYPE_S ? 1e-30 : 1e-200;
        given[i] = kind == ZERO ? 0 : kind == TINY_COLUMNS && column % 3 == 0 ? tiny * number : number;
        if (kind == DEPENDENT && column % 5 > 1)
            given[i] = given[i - rows];
        given[i] = type == TYPE_S ? (double)(float)given[i] : given[i];
    }
    return given;
}

static void test(enum blas_type type, int rows, enum kind kind)
{
    const unsigned chunks = (unsigned)(rows + BAND_CHUNK - 1) / BAND_CHUNK;
    const double unit = rows * (type == TYPE_S ? 0x1p-24 : 0x1p-53);
    double residual, skew;
    struct panel panel = {.type = type, .rows = rows, .given = make(type, rows, kind)}, other = panel;
    factor(&panel, false, chunks);
    measure(&panel, &residual, &skew);
    if (getenv("SHOW_RATIOS"))
        printf("# residual %.3g, orthogonality %.3g\n", residual / unit, skew / unit);
    tap_ok(is_in_form(&panel) && residual < BOUND * (unit + 8 * unit / rows) && skew < BOUND * 8 * unit,
           "%c, %d rows, %s", "sd"[type], rows, kind_names[kind]);
    for (unsigned blocks = 1; blocks <= chunks; blocks += 2) {
        factor(&other, true, blocks);
        /* Rows of V above the diagonal are working memory of that kernel, and the same in the end. */
        tap_ok(memcmp(panel.bits, other.bits, panel.bytes) == 0, "the same bits by %u blocks", blocks);
        panel_free(&other);
    }
    panel_free(&panel);
    free(panel.given);
}

UNIT_TEST(test_band_panel)
{
    static const int rows[] = {1, 2, 33, 63, 64, 65, 255, 257, 600, ROWS_MOST};
    setenv("EMULATED_MULTIPROCESSORS", "3", 1);
    setenv("EMULATED_COOPERATIVE", "1", 1);
    lane = emulated_lane();
    for (enum blas_type type = TYPE_S; type <= TYPE_D; type++) {
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            if (rows[i] <= rows_limit)
                test(type, rows[i], RANDOM);
        for (enum kind kind = ZERO; kind < KINDS; kind++)
            test(type, rows_limit < 260 ? 66 : 260, kind);
    }
    return tap_done();
}
