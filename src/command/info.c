#include "command/info.h"
#include "command/exit_status.h"
#include "command/inspect.h"
#include "command/route_orders.h"
#include "common/processors.h"
#include "common/settings.h"
#include "gpu/cublas_library.h"
#include "gpu/device.h"
#include "gpu/solver_library.h"
#include "interpose/host_search.h"
#include "interpose/learned_model.h"
#include "interpose/policy.h"
#include "mirror/mapping.h"
#include "mirror/write_tracker.h"
#include "tuner/online/recipe_search.h"

#include <limits.h>
#include <stdio.h>
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
    fprintf(stream, "below these sizes calls never leave the host\n"
                    "  (n; m*n for gemv, symm, hemm, trmm and trsm; m*n*k for gemm; n*n*k for syrk, herk, syr2k, her2k)\n");
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

static void print_all_sizes(FILE *stream, const struct machine_model *model)
{
    print_floors(stream, model);
    route_orders_print(stream, model);
}

/* With every size, or where they are from. */
static void print_crossovers(FILE *stream, const struct device_properties *device, const char *section,
                             const struct host_library *host, bool sizes)
{
    struct machine_model model = crossover_model_here(device);
    struct learned_times *times = malloc(sizeof *times);
    char path[PATH_MAX] = "";
    if (host && !realpath(host->path, path))
        snprintf(path, sizeof path, "%s", host->path);
    bool learned = times && learned_model_use(&model, times, section, path);
    fprintf(stream, "crossovers: %s; ", model.learned ? "learned" : "built in");
    if (sizes)
        print_all_sizes(stream, &model);
    else
        fputs("mublas info --crossovers lists the sizes below which calls stay on the host\n", stream);
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

static void print_level3(FILE *stream)
{
    const char *found = cublas_library_find();
    if (found)
        fprintf(stream, "level 3: by cuBLAS, %s\n", found);
    else
        fputs("level 3: on the host, there is no cuBLAS (MUBLAS_CUBLAS names one)\n", stream);
}

static void print_lapack(FILE *stream)
{
    const char *found = solver_library_find();
    if (found)
        fprintf(stream, "LAPACK: by cuSOLVER, %s\n", found);
    else
        fputs("LAPACK: on the host, there is no cuSOLVER (MUBLAS_CUSOLVER names one)\n", stream);
}

static void print_host(FILE *stream, const struct host_library *host)
{
    if (host)
        fprintf(stream, "host BLAS for programs that bring none: %s (%s)\n", host->path, host->origin);
    else
        fprintf(stream, "host BLAS: none found; set MUBLAS_HOST_BLAS\n");
}

static void print_settings(FILE *stream)
{
    fputs("settings other than by default (mublas info --settings lists all):\n", stream);
    if (settings_print_changed(stream) == 0)
        fputs("  none\n", stream);
}

/* What this machine is, and what becomes of calls on it. */
struct machine {
    bool has_device, has_host;
    struct device_choice choice;
    struct device_properties device;
    struct host_library host;
};

static struct machine look_around(void)
{
    struct machine machine = {.has_device = false};
    machine.has_device = device_choose(&machine.choice) == STATUS_OK &&
                         device_query(machine.choice.ordinal, &machine.device) == STATUS_OK;
    machine.has_host = host_search("dgemm_", &machine.host);
    return machine;
}

static void print_screen(FILE *stream)
{
    const struct machine machine = look_around();
    const struct host_library *host = machine.has_host ? &machine.host : NULL;
    struct recipe recipe = {.crossover = NULL};
    fprintf(stream, "mublas %s\n", PACKAGE_VERSION);
    if (machine.has_device)
        print_device(stream, &machine.device, &machine.choice);
    else
        fprintf(stream, "device: none usable; every call runs on the host (MUBLAS_VERBOSE=2 says why)\n");
    if (machine.has_device) {
        print_level3(stream);
        print_lapack(stream);
    }
    print_host(stream, host);
    const bool has_recipe = machine.has_device && print_recipe(stream, &machine.device, &recipe);
    print_crossovers(stream, machine.has_device ? &machine.device : NULL, recipe.crossover, host, false);
    if (has_recipe)
        recipe_clear(&recipe);
    print_tracker(stream);
    print_settings(stream);
}

static void print_sizes(FILE *stream)
{
    const struct machine machine = look_around();
    struct recipe recipe = {.crossover = NULL};
    struct recipe_signature signature;
    struct recipe_search search;
    if (machine.has_device)
        signature = recipe_signature_of(&machine.device);
    const bool has_recipe = machine.has_device && recipe_search(&signature, &recipe, &search);
    print_crossovers(stream, machine.has_device ? &machine.device : NULL, recipe.crossover,
                     machine.has_host ? &machine.host : NULL, true);
    if (has_recipe)
        recipe_clear(&recipe);
}

int info_run(char **arguments)
{
    bool sizes = false, all_settings = false;
    char **argument = arguments;
    for (; *argument; argument++)
        if (strcmp(*argument, "--crossovers") == 0)
            sizes = true;
        else if (strcmp(*argument, "--settings") == 0)
            all_settings = true;
        else
            break;
    if (*argument && argument == arguments)
        return inspect_program(arguments);
    if (*argument) {
        fprintf(stderr, "mublas info: %s: not with %s\n", *argument, *arguments);
        return EXIT_BAD_COMMAND_LINE;
    }
    if (sizes)
        print_sizes(stdout);
    if (all_settings)
        settings_print(stdout);
    if (!sizes && !all_settings)
        print_screen(stdout);
    return 0;
}
