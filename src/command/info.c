#include "command/info.h"
#include "common/processors.h"
#include "common/settings.h"
#include "gpu/device.h"
#include "interpose/host_search.h"
#include "interpose/policy.h"
#include "mirror/mapping.h"
#include "mirror/write_tracker.h"
#include "tuner/recipe_search.h"

#include <string.h>

static void print_device(FILE *stream, const struct device_properties *device)
{
    fprintf(stream, "device %d: %s, compute capability %d.%d, %d multiprocessors\n", device->ordinal, device->name,
            device->compute_major, device->compute_minor, device->multiprocessors);
    fprintf(stream, "  memory %.1f GiB at %.0f GB/s by clock and bus width, L2 cache %.0f MiB\n",
            (double)device->memory_bytes / (1 << 30), device->memory_bandwidth / 1e9,
            (double)device->l2_bytes / (1 << 20));
    fprintf(stream, "  driver for CUDA %d.%d\n", device->driver_version / 1000, device->driver_version % 1000 / 10);
}

static void print_floors(FILE *stream, const struct device_properties *device)
{
    static const struct {
        const char *types, *name;
        enum blas_family family;
    } routines[] = {
        {"sdcz", "axpy", FAMILY_AXPY}, {"sdcz", "gemv", FAMILY_GEMV}, {"sd", "symv", FAMILY_SYMV},
        {"cz", "hemv", FAMILY_HEMV},   {"sdcz", "trmv", FAMILY_TRMV}, {"sd", "syr2k", FAMILY_SYR2K},
    };
    static const char types[] = "sdcz"; /* in the order of enum blas_type */
    struct machine_model model = crossover_builtin_model(device, processors_usable());
    fprintf(stream, "crossovers: built in; below these sizes calls never leave the host (n; m*n for gemv)\n");
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++) {
        fputc(' ', stream);
        for (const char *type = routines[i].types; *type; type++) {
            enum blas_type number = (enum blas_type)(strchr(types, *type) - types);
            uint64_t floor = policy_floor(settings()->offload, &model, routines[i].family, number);
            if (floor == UINT64_MAX)
                fprintf(stream, " %c%s never", *type, routines[i].name);
            else
                fprintf(stream, " %c%s %llu", *type, routines[i].name, (unsigned long long)floor);
        }
        fputc('\n', stream);
    }
}

static void print_recipe(FILE *stream, const struct device_properties *device)
{
    const struct recipe_signature machine = recipe_signature_of(device);
    struct recipe_search search;
    struct recipe recipe;
    const bool found = recipe_search(&machine, &recipe, &search);
    fprintf(stream, "launch shapes: %s\n", found ? "by a recipe" : "built-in rules (mublas tune makes a recipe)");
    for (int origin = 0; origin < RECIPE_ORIGINS; origin++) {
        const struct recipe_attempt *attempt = &search.attempts[origin];
        const char *name = recipe_origin_name((enum recipe_origin)origin);
        if (attempt->outcome == RECIPE_REFUSED)
            fprintf(stream, "  %s recipe %s is refused: %s\n", name, attempt->path, attempt->fault);
        else if (attempt->outcome == RECIPE_IN_FORCE)
            fprintf(stream, "  %s recipe %s is in force: %s\n", name, attempt->path, recipe.made);
        else if (attempt->outcome == RECIPE_ABSENT && *attempt->path)
            fprintf(stream, "  %s recipe %s is not there\n", name, attempt->path);
    }
    if (found)
        recipe_clear(&recipe);
}

static void print_tracker(FILE *stream)
{
    struct write_tracker *tracker = NULL;
    if (!settings()->tracking) {
        fprintf(stream, "residency: off by MUBLAS_TRACKING=0; operands are copied at every call\n");
        return;
    }
    write_tracker_create(&tracker);
    fprintf(stream, "residency: %s\n", write_tracker_description(tracker));
    write_tracker_destroy(tracker);
    if (mapping_has_blind_spots(0))
        fprintf(stream, "  this process can be written behind the tracker's back (RDMA, XPMEM, KNEM or foreign pins):"
                        " calls are stateless%s\n",
                settings()->trust_tracking ? ", but MUBLAS_TRUST_TRACKING=1 overrides" : "");
}

int info_print(FILE *stream)
{
    struct device_properties device;
    struct host_library host;
    int ordinal = (int)settings()->device;
    fprintf(stream, "mublas %s\n", PACKAGE_VERSION);
    bool has_device = device_query(ordinal, &device) == STATUS_OK;
    if (has_device)
        print_device(stream, &device), print_recipe(stream, &device);
    else
        fprintf(stream, "device: none usable; every call runs on the host (MUBLAS_VERBOSE=2 says why)\n");
    print_floors(stream, has_device ? &device : NULL);
    if (host_search("dgemm_", &host))
        fprintf(stream, "host BLAS for programs that bring none: %s (%s)\n", host.path, host.origin);
    else
        fprintf(stream, "host BLAS: none found; set MUBLAS_HOST_BLAS\n");
    print_tracker(stream);
    fprintf(stream, "settings:\n");
    settings_print(stream);
    if (fflush(stream) == 0 && !ferror(stream))
        return 0;
    perror("mublas: info cannot be written");
    return 1;
}
