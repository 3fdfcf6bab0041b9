/* Vectors of routes, as long as those of the largest matrices that devices hold: they come home whole, and
 * what is longer than the pinned memory is left to the host. */
#include "emulated_lane.h"
#include "unit_test.h"
#include "lapack/route.h"

#include <stdlib.h>
#include <string.h>

enum { LENGTHS = ROUTE_VECTORS_MAX };

static struct mirror_table *mirrors;
static const struct solver_library *library;

static enum status plan(struct route *route, const struct solver_handle *handle)
{
    (void)handle;
    route->device_workspace_bytes = 256;
    return STATUS_OK;
}

/* Each vector its own number; those that went up stay. */
static enum status queue(struct route *route, const struct solver_handle *handle)
{
    CUresult result = driver()->memory_set_async(route->info_address, 0, sizeof route->info, handle->stream);
    for (int i = 0; i < ROUTE_VECTORS_MAX && result == CUDA_SUCCESS; i++)
        if (route->vectors[i].bytes > 0 && !route->vectors[i].up)
            result = driver()->memory_set_async(route->vectors[i].address, (unsigned char)(i + 1),
                                                route->vectors[i].bytes, handle->stream);
    return device_check(handle->library->device, result, "setting vectors");
}

static bool judge(struct route *route)
{
    return route->info == 0;
}

static bool is_filled(const unsigned char *bytes, size_t count, unsigned char value)
{
    size_t i = 0;
    while (i < count && bytes[i] == value)
        i++;
    return i == count && bytes[count] == 0xff;
}

static void test(const size_t lengths[LENGTHS], bool go_up, enum status wanted)
{
    static const struct route_method method = {plan, queue, judge};
    struct route route = {.method = &method, .type = TYPE_D};
    struct patience patience = patience_of_us(1e9);
    unsigned char *homes[LENGTHS], *const up = calloc(lengths[0] + 1, 1);
    bool good = true;
    for (int i = 0; i < LENGTHS; i++) {
        homes[i] = memset(malloc(lengths[i] + 1), 0xff, lengths[i] + 1);
        route.vectors[i] = (struct route_vector){.bytes = lengths[i], .values = homes[i]};
    }
    route.vectors[0].up = go_up ? memset(up, 1, lengths[0]) : NULL;
    const enum status status = route_execute(&route, emulated_device, library, mirrors, &patience);
    for (int i = 0; i < LENGTHS; i++)
        good = good && (wanted == STATUS_OK ? is_filled(homes[i], lengths[i], (unsigned char)(i + 1))
                                            : homes[i][0] == 0xff);
    tap_ok(good && status == wanted, "vectors of %zu, %zu and %zu bytes%s: %s", lengths[0], lengths[1],
           lengths[2], go_up ? ", the first of which goes up" : "",
           wanted == STATUS_OK ? "they come home" : "the host's");
    for (int i = 0; i < LENGTHS; i++)
        free(homes[i]);
    free(up);
}

UNIT_TEST(test_route_vectors)
{
    if (device_wake(&emulated_device) != STATUS_OK ||
        device_enter(emulated_device, &emulated_scope) != STATUS_OK)
        tap_skip_all("no device");
    if (solver_library_open(emulated_device, &library) != STATUS_OK)
        tap_skip_all("no cuSOLVER");
    if (mirror_table_create(emulated_device, 16 << 20, 0, false, &mirrors) != STATUS_OK)
        exit(1);
    test((const size_t[LENGTHS]){100, 8, 0}, false, STATUS_OK);
    /* zhetrd of order 40000: D, E and TAU */
    test((const size_t[LENGTHS]){40000 * 8, 39999 * 8, 39999 * 16}, false, STATUS_OK);
    test((const size_t[LENGTHS]){LANE_VECTOR_BYTES - 256}, true, STATUS_OK);
    test((const size_t[LENGTHS]){LANE_VECTOR_BYTES}, true, STATUS_UNSUPPORTED);
    test((const size_t[LENGTHS]){2 * LANE_VECTOR_BYTES}, false, STATUS_UNSUPPORTED);
    mirror_table_destroy(mirrors);
    device_leave(emulated_device, &emulated_scope);
    return tap_done();
}
