#include "command/info.h"
#include "common/processors.h"
#include "common/settings.h"
#include "gpu/device.h"
#include "interpose/host_search.h"
#include "interpose/learned_model.h"
#include "interpose/policy.h"
#include "mirror/mapping.h"
#include "mirror/write_tracker.h"
#include "tuner/recipe_search.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void print_device(FILE *stream, const struct device_properties *device, const struct device_choice *choice)
{
    fprintf(stream, "device %d: %s, compute capability %d.%d, %d multiprocessors\n", device->ordinal,
            device->name,
            device->compute_major, device->compute_minor, device->multiprocessors);
    fprintf(stream, "  memory %.1f GiB at %.0f GB/s by clock and bus width, L2 cache %.0f MiB\n",
            (double)device->memory_bytes / (1 << 30), device->memory_bandwidth / 1e9,
            (double)device->l2_bytes / (1 << 20));
    fprintf(stream, "  chosen by %s\n", choice->reason);
    fprintf(stream, "  driver for CUDA %d.%d\n", device->driver_version / 1000,
            device->driver_version % 1000 / 10);
}

static void print_floors(FILE *stream, const struct machine_model *model)
{
    static const struct {
        const char *types, *name;
        enum blas_family family;
    } routines[] = {
        {"sdcz", "axpy", FAMILY_AXPY}, {"sdcz", "gemv", FAMILY_GEMV}, {"sd", "symv", FAMILY_SYMV},
        {"cz", "hemv", FAMILY_HEMV},   {"sdcz", "trmv", FAMILY_TRMV}, {"sdcz", "gemm", FAMILY_GEMM},
        {"sdcz", "symm", FAMILY_SYMM}, {"cz", "hemm", FAMILY_HEMM},   {"sdcz", "syrk", FAMILY_SYRK},
        {"cz", "herk", FAMILY_HERK},   {"sdcz", "syr2k", FAMILY_SYR2K}, {"cz", "her2k", FAMILY_HER2K},
        {"sdcz", "trmm", FAMILY_TRMM}, {"sdcz", "trsm", FAMILY_TRSM},
    };
    static const char types[] = "sdcz"; /* in the order of enum blas_type */
    fprintf(stream, "crossovers: %s; below these sizes calls never leave the host\n"
                    "  (n; m*n for gemv, symm, hemm, trmm and trsm; m*n*k for gemm; n*n*k for syrk, herk, syr2k, her2k)\n",
            model->learned ? "learned" : "built in");
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++) {
        fputc(' ', stream);
        for (const char *type = routines[i].types; *type; type++) {
            enum blas_type number = (enum blas_type)(strchr(types, *type) - types);
            uint64_t floor = policy_floor(settings()->offload, model, routines[i].family, number);
            if (floor == UINT64_MAX)
                fprintf(stream, " %c%s never", *type, routines[i].name);
            else
                fprintf(stream, " %c%s %llu", *type, routines[i].name, (unsigned long long)floor);
        }
        fputc('\n', stream);
    }
}

/* False: there is none. After true recipe_clear must follow. */
static bool print_recipe(FILE *stream, const struct device_properties *device, struct recipe *recipe)
{
    const struct recipe_signature machine = recipe_signature_of(device);
    struct recipe_search search;
    const bool found = recipe_search(&machine, recipe, &search);
    fprintf(stream, "launch shapes: %s\n", found ? "by a recipe" :
            "built-in rules (mublas tune makes a recipe)");
    for (int origin = 0; origin < RECIPE_ORIGINS; origin++) {
        const struct recipe_attempt *attempt = &search.attempts[origin];
        const char *name = recipe_origin_name((enum recipe_origin)origin);
        if (attempt->outcome == RECIPE_REFUSED)
            fprintf(stream, "  %s recipe %s is refused: %s\n", name, attempt->path, attempt->fault);
        else if (attempt->outcome == RECIPE_IN_FORCE)
            fprintf(stream, "  %s recipe %s is in force: %s\n", name, attempt->path, recipe->made);
        else if (attempt->outcome == RECIPE_ABSENT && *attempt->path)
            fprintf(stream, "  %s recipe %s is not there\n", name, attempt->path);
    }
    return found;
}

/* What the recipe says of calls holds for the host BLAS that was tuned with. */
static void print_learned(FILE *stream, const struct learned_times *times, const char *host)
{
    if (strcmp(times->host_blas, host) != 0)
        fprintf(stream, "  host times were learned with %s; with %s those built in count\n",
                *times->host_blas ? times->host_blas : "no host BLAS", *host ? host : "none");
    else if (times->host_threads != processors_for_blas())
        fprintf(stream, "  host times were learned with %d threads; with %d those built in count\n",
                times->host_threads, processors_for_blas());
}

static void print_crossovers(FILE *stream, const struct device_properties *device, const char *section,
                             const struct host_library *host)
{
    struct machine_model model = crossover_model_here(device);
    struct learned_times *times = malloc(sizeof *times);
    char path[PATH_MAX] = "";
    if (host && !realpath(host->path, path))
        snprintf(path, sizeof path, "%s", host->path);
    bool learned = times && learned_model_use(&model, times, section, path);
    print_floors(stream, &model);
    if (learned)
        print_learned(stream, times, path);
    free(times);
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
        fprintf(stream,
                "  this process can be written behind the tracker's back (RDMA, XPMEM, KNEM or foreign pins):"
                        " calls are stateless%s\n",
                settings()->trust_tracking ? ", but MUBLAS_TRUST_TRACKING=1 overrides" : "");
}

static void print_calls(FILE *stream, const struct device_properties *device)
{
    struct recipe recipe = {.crossover = NULL};
    struct host_library host;
    const bool has_recipe = device && print_recipe(stream, device, &recipe);
    const bool has_host = host_search("dgemm_", &host);
    print_crossovers(stream, device, recipe.crossover, has_host ? &host : NULL);
    if (has_host)
        fprintf(stream, "host BLAS for programs that bring none: %s (%s)\n", host.path, host.origin);
    else
        fprintf(stream, "host BLAS: none found; set MUBLAS_HOST_BLAS\n");
    if (has_recipe)
        recipe_clear(&recipe);
}

void info_print(FILE *stream)
{
    struct device_choice choice;
    struct device_properties device;
    fprintf(stream, "mublas %s\n", PACKAGE_VERSION);
    bool has_device = device_choose(&choice) == STATUS_OK && device_query(choice.ordinal, &device) == STATUS_OK;
    if (has_device)
        print_device(stream, &device, &choice);
    else
        fprintf(stream, "device: none usable; every call runs on the host (MUBLAS_VERBOSE=2 says why)\n");
    print_calls(stream, has_device ? &device : NULL);
    print_tracker(stream);
    fprintf(stream, "settings:\n");
    settings_print(stream);
}
