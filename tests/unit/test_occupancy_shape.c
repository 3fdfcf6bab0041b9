/* Launch shapes by the occupancies, on the emulated device. */
#include "tuner/online/tuning_class.h"
#include "emulated_lane.h"
#include "paper_devices.h"
#include "unit_test.h"

static const struct launch_shape base = {64, 8, 1, 4, 0, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER};
static const struct occupancy_recipe none = {0, 0, 0, 0};

static struct blas_call call_of(enum blas_family family, enum blas_type type, int64_t m, int64_t n)
{
    return (struct blas_call){.family = family, .type = type, .m = m, .n = n, .a = {.ld = m > n ? m : n},
                              .x = {.length = n, .increment = 1}, .y = {.length = m, .increment = 1}};
}

/* The emulated device says what the description does of kernels with so few registers that
 * these do not matter. */
static void test_read(struct kernel_set *set)
{
    const struct blas_call call = call_of(FAMILY_SYMV, TYPE_D, 0, 1000);
    struct shape_figures figures;
    tap_ok(occupancy_read_shapes(set, &call, &figures) == CUDA_SUCCESS, "figures of dsymv are read");
    bool same = true;
    for (int i = 0; i < SHAPE_EDGES; i++) {
        const struct kernel_resources resources = {
            16, matrix_vector_shared_bytes(shape_edges[i], sizeof(double))};
        const struct occupancy_figures described = occupancy_figures_of(&h100, &resources);
        same = same && figures.of_edge[i].multiprocessors == 132 && figures.of_edge[i].warps == 64 &&
               figures.of_edge[i].blocks == 32;
        for (int warps = 1; warps <= BLOCK_WARPS_MAX; warps++)
            same = same && described.active[warps] == figures.of_edge[i].active[warps];
    }
    tap_ok(same, "and are those of a described H100");
    const struct blas_call wide = call_of(FAMILY_GEMV, TYPE_W, 100, 100);
    tap_ok(occupancy_read_shapes(set, &wide, &figures) == CUDA_ERROR_NOT_SUPPORTED,
           "of wgemv there are none");
}

static double grid_at(const struct blas_call *call, const struct launch_shape *shape,
                      const struct shape_figures *figures)
{
    int i = 0;
    while (shape_edges[i] != shape->edge)
        i++;
    const struct occupancy occupancy =
        occupancy_of(&figures->of_edge[i], shape->threads_x * shape->threads_y,
                     shape->blocks_per_multiprocessor, launch_shape_tiling(call, shape).items);
    return occupancy.grid;
}

static void test_sizes(struct kernel_set *set, enum blas_family family, enum blas_type type,
                       unsigned team_groups)
{
    const struct launch_shape large = {256, 64, 4, 4, 0, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER};
    struct launch_shape with_teams = base;
    struct shape_figures figures;
    unsigned faults = 0, worse = 0, edges[257] = {0};
    with_teams.team_groups = team_groups;
    const struct blas_call any = call_of(family, type, 100, 100);
    occupancy_read_shapes(set, &any, &figures);
    for (int64_t n = 32; n <= 16384; n += 32) {
        const struct blas_call call = call_of(family, type, n, n);
        const struct launch_shape shape = occupancy_shape(&call, &with_teams, &none, &figures);
        faults +=
            shape.edge == 0 || launch_shape_fault(&call, &shape) != NULL || shape.team_groups != team_groups;
        worse += shape.edge == 0 || grid_at(&call, &shape, &figures) < grid_at(&call, &large, &figures);
        edges[shape.edge]++;
    }
    tap_ok(faults == 0 && worse == 0,
           "family %d type %d: 512 sizes, shapes that can run and leave no more slots empty", family, type);
    tap_ok(edges[64] > 0 && edges[64] < 512, "edges 256, 128, 64 at %u, %u, %u of them", edges[256],
           edges[128], edges[64]);
}

static void test_recipe(struct kernel_set *set)
{
    struct shape_figures figures;
    const struct blas_call call = call_of(FAMILY_SYMV, TYPE_S, 0, 5000);
    const struct occupancy_recipe many = {0, 0, 400, 0}, low = {0, 0, 0, 0.125}, impossible = {0, 0, 600, 0};
    occupancy_read_shapes(set, &call, &figures);
    struct launch_shape shape = occupancy_shape(&call, &base, &many, &figures);
    tap_ok(shape.edge && shape.threads_x * shape.threads_y >= 400, "400 threads at least: %u x %u",
           shape.threads_x, shape.threads_y);
    shape = occupancy_shape(&call, &base, &low, &figures);
    tap_ok(shape.edge && shape.threads_y * 8 <= shape.threads_x, "Ty at most an eighth of Tx: %u x %u",
           shape.threads_x, shape.threads_y);
    tap_ok(occupancy_shape(&call, &base, &impossible, &figures).edge == 0,
           "600 threads at least: no candidate");
}

UNIT_TEST(test_occupancy_shape)
{
    struct lane *lane = emulated_lane();
    struct kernel_set *set = device_kernels(emulated_device);
    test_read(set);
    test_sizes(set, FAMILY_SYMV, TYPE_D, 1);
    test_sizes(set, FAMILY_GEMV, TYPE_S, 4);
    test_sizes(set, FAMILY_TRMV, TYPE_Z, 1);
    test_recipe(set);
    lane_release(lane);
    device_leave(emulated_device, &emulated_scope);
    return tap_done();
}
