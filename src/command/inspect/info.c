#include "command/commands.h"
#include "common/blas_call.h"
#include "common/own_thread.h"
#include "common/settings.h"
#include "gpu/device.h"
#include "gpu/device_sharing.h"
#include "gpu/vendor/solver_library.h"
#include "gpu/vendor/vendor_library.h"
#include "host/host_search.h"
#include "interpose/policy.h"
#include "interpose/purchase/device_use.h"
#include "mirror/host_memory/mapping.h"
#include "mirror/tracking/write_tracker.h"
#include "service/client/link.h"
#include "tuner/online/recipe.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct machine {
    bool has_device, has_host, has_recipe;
    struct device_choice choice;
    struct device_properties device; /* the first */
    struct host_library host;
    struct recipe recipe;
    struct recipe_search search;
};

static void look_around(struct machine *machine)
{
    memset(machine, 0, sizeof *machine);
    machine->has_device = device_choose(&machine->choice) == STATUS_OK &&
                          device_query(machine->choice.ordinal, &machine->device) == STATUS_OK;
    machine->has_host = host_search("dgemm_", &machine->host);
    if (machine->has_device) {
        const struct recipe_signature signature = recipe_signature_of(&machine->device);
        machine->has_recipe = recipe_search(&signature, &machine->recipe, &machine->search);
    }
}

/* Among those chosen; -1: it is not. */
static int place_of(int ordinal, const struct device_choice *choice)
{
    for (int place = 0; place < choice->count; place++)
        if (choice->ordinals[place] == ordinal)
            return place;
    return -1;
}

/* Whether a program would use it, and why. */
static void print_use(FILE *stream, int ordinal, const struct device_choice *choice)
{
    const int place = place_of(ordinal, choice);
    const char *const fault = place > 0 && choice->has_candidates ? device_candidate_fault(ordinal) : NULL;
    if (place < 0)
        fprintf(stream, "  not used: chosen were others, by %s\n", choice->reason);
    else if (place == 0 || !choice->has_candidates)
        fprintf(stream, "  chosen by %s\n", choice->reason);
    else if (fault)
        fprintf(stream, "  not used: %s\n", fault);
    else
        fprintf(stream, "  used by programs whose calls gain by it, while others leave %d%% of its memory free\n",
                CANDIDATE_FREE_PERCENT);
}

static void print_device(FILE *stream, const struct device_properties *device,
                         const struct device_choice *choice)
{
    fprintf(stream, "device %d: %s, compute capability %d.%d, %d multiprocessors\n", device->ordinal,
            device->name,
            device->compute_major, device->compute_minor, device->multiprocessors);
    fprintf(stream, "  memory %.1f GiB at %.0f GB/s by clock and bus width, L2 cache %.0f MiB\n",
            (double)device->memory_bytes / (1 << 30), device->memory_bandwidth / 1e9,
            (double)device->l2_bytes / (1 << 20));
    print_use(stream, device->ordinal, choice);
    fprintf(stream, "  driver for CUDA %d.%d\n", device->driver_version / 1000,
            device->driver_version % 1000 / 10);
}

/* Prints lines for the recipe of a device, if that is of another kind than the first. */
static void print_recipe_of_kind(FILE *stream, const struct machine *machine,
                                 const struct device_properties *device)
{
    struct recipe recipe;
    struct recipe_search search;
    const struct recipe_signature first = recipe_signature_of(&machine->device),
                                  kind = recipe_signature_of(device);
    if (recipe_is_of_kind(&first, &kind))
        return;
    const bool found = recipe_search(&kind, &recipe, &search);
    const struct recipe_attempt *const refused = recipe_search_refused_beside(&search, &kind);
    if (refused)
        fprintf(stream, "  the recipe %s is refused: %s\n", refused->path, refused->fault);
    if (found) {
        fprintf(stream, "  launch shapes: by the recipe %s: %s\n", recipe_search_used(&search)->path,
                recipe.made);
        recipe_clear(&recipe);
    } else {
        fputs("  launch shapes: built-in rules (MUBLAS_DEVICE=all mublas tune makes a recipe)\n", stream);
    }
}

static void print_if_there(FILE *stream, int ordinal, const struct machine *machine)
{
    struct device_properties device;
    if (device_query(ordinal, &device) != STATUS_OK)
        return;
    print_device(stream, &device, &machine->choice);
    if (place_of(ordinal, &machine->choice) >= 0)
        print_recipe_of_kind(stream, machine, &device);
}

/* Prints the devices that calls go to beside the first, and then those that calls do not go to. */
static void print_other_devices(FILE *stream, const struct machine *machine)
{
    const struct device_choice *const choice = &machine->choice;
    for (int i = 1; i < choice->count; i++)
        print_if_there(stream, choice->ordinals[i], machine);
    for (int ordinal = 0; ordinal < choice->devices; ordinal++)
        if (place_of(ordinal, choice) < 0)
            print_if_there(stream, ordinal, machine);
    if (choice->missing >= 0)
        fprintf(stream, "device %d: there is none\n", choice->missing);
}

static void print_floor(FILE *stream, const struct machine_model *model, enum blas_family family,
                        enum blas_type type)
{
    const uint64_t floor = policy_floor(settings()->offload, model, family, type);
    fprintf(stream, " %c%s", "sdcz"[type], blas_families[family].name);
    if (floor == UINT64_MAX)
        fprintf(stream, " never");
    else
        fprintf(stream, " %llu", (unsigned long long)floor);
}

static void print_floors(FILE *stream, const struct machine_model *model)
{
    fprintf(stream, "below these sizes calls never leave the host\n"
                    "  (n; m*n for gemv, symm, hemm, trmm and trsm; m*n*k for gemm;"
                    " n*n*k for syrk, herk, syr2k, her2k)\n");
    for (int family = 0; family < FAMILY_COUNT; family++) {
        fputc(' ', stream);
        for (int type = TYPE_S; type <= TYPE_Z; type++)
            if (blas_family_has_type((enum blas_family)family, (enum blas_type)type))
                print_floor(stream, model, (enum blas_family)family, (enum blas_type)type);
        fputc('\n', stream);
    }
}

static void print_recipe(FILE *stream, const struct machine *machine)
{
    fprintf(stream, "launch shapes: %s\n",
            machine->has_recipe ? "by a recipe" : "built-in rules (mublas tune makes a recipe)");
    for (int origin = 0; origin < RECIPE_ORIGINS; origin++) {
        const struct recipe_attempt *attempt = &machine->search.attempts[origin];
        const char *name = recipe_origin_name((enum recipe_origin)origin);
        if (attempt->outcome == RECIPE_REFUSED)
            fprintf(stream, "  %s recipe %s is refused: %s\n", name, attempt->path, attempt->fault);
        else if (attempt->outcome == RECIPE_IN_FORCE)
            fprintf(stream, "  %s recipe %s is in force: %s\n", name, attempt->path, machine->recipe.made);
        else if (attempt->outcome == RECIPE_ABSENT && *attempt->path)
            fprintf(stream, "  %s recipe %s is not there\n", name, attempt->path);
    }
}

/* The times of calls in a recipe hold for the host BLAS that it was tuned with. */
static void print_learned(FILE *stream, const struct learned_times *times, const char *host)
{
    if (strcmp(times->host_blas, host) != 0)
        fprintf(stream, "  host times were learned with %s; with %s those built in count\n",
                *times->host_blas ? times->host_blas : "no host BLAS", *host ? host : "none");
    else if (times->host_threads != processors_for_blas())
        fprintf(stream, "  host times were learned with %d threads; with %d those built in count\n",
                times->host_threads, processors_for_blas());
}

/* A program that is started like this command has this. */
static double sharing_of(const struct machine *machine)
{
    return machine->has_device ? device_sharing_factor(machine->choice.sharers, machine->device.has_mps)
                               : device_sharing_foreseen();
}

/* With `sizes` every size, else only where they come from. */
static void print_crossovers(FILE *stream, const struct machine *machine, bool sizes)
{
    struct machine_model model = crossover_model_here(machine->has_device ? &machine->device : NULL);
    struct learned_times *times = malloc(sizeof *times);
    if (machine->has_host && host_library_is_reference(&machine->host))
        crossover_use_reference_host(&model);
    crossover_share(&model, sharing_of(machine));
    char path[PATH_MAX] = "";
    if (machine->has_host && !realpath(machine->host.path, path))
        snprintf(path, sizeof path, "%s", machine->host.path);
    const bool learned = times && learned_model_use(&model, times, machine->recipe.crossover, path);
    fprintf(stream, "crossovers: %s; ", model.learned ? "learned" : "built in");
    if (sizes) {
        print_floors(stream, &model);
        route_orders_print(stream, &model);
    } else {
        fputs("mublas info --crossovers lists the sizes below which calls stay on the host\n", stream);
    }
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
    fprintf(stream, "residency: %s\n", write_tracker_description());
    write_tracker_destroy(tracker);
    if (mapping_has_blind_spots(0))
        fprintf(stream,
                "  this process can be written behind the tracker's back (RDMA, XPMEM, KNEM or foreign pins):"
                        " calls are stateless%s\n",
                settings()->trust_tracking ? ", but MUBLAS_TRUST_TRACKING=1 overrides" : "");
}

/* `found` is the library's file, NULL if there is none; `setting` can name another. */
static void print_library(FILE *stream, const char *routines, const char *library, const char *found,
                          const char *setting)
{
    if (found)
        fprintf(stream, "%s: by %s, %s\n", routines, library, found);
    else
        fprintf(stream, "%s: on the host, there is no %s (%s names one)\n", routines, library, setting);
}

static void print_service(FILE *stream)
{
    char text[512];
    serve_describe(service_refusal_here(), text, sizeof text);
    fprintf(stream, "service: %s\n", text);
}

static void print_host(FILE *stream, const struct machine *machine)
{
    if (machine->has_host)
        fprintf(stream, "host BLAS for programs that bring none: %s (%s)%s\n", machine->host.path,
                machine->host.origin,
                host_library_is_reference(&machine->host) ? ", the slow reference" : "");
    else
        fputs("host BLAS: none found; set MUBLAS_HOST_BLAS\n", stream);
}

static void print_settings(FILE *stream)
{
    fputs("settings other than by default (mublas info --settings lists all):\n", stream);
    if (settings_print_changed(stream) == 0)
        fputs("  none\n", stream);
}

/* Nothing is woken here: a device whose own fault shows only then is mublas doctor's to find. */
static void print_verdict(FILE *stream, const struct machine *machine)
{
    if (settings()->offload == OFFLOAD_NEVER)
        fputs("verdict: every call runs on the host, by MUBLAS_OFFLOAD=never\n", stream);
    else if (!machine->has_device && !kernel_set_is_built())
        fputs("verdict: every call runs on the host: there is no usable device, and no kernels in this build\n",
              stream);
    else if (!machine->has_device)
        fputs("verdict: every call runs on the host: there is no usable device\n", stream);
    else if (!kernel_set_is_built() && !device_name_is_emulated(machine->device.name))
        fputs("verdict: every call runs on the host: there are no kernels in this build, made without nvcc\n",
              stream);
    else
        fprintf(stream, "verdict: calls that gain by it run on %s (mublas doctor tries it)\n",
                machine->device.name);
}

static void print_screen(FILE *stream, const struct machine *machine)
{
    fprintf(stream, "mublas %s\n", PACKAGE_VERSION);
    print_verdict(stream, machine);
    if (machine->has_device) {
        print_device(stream, &machine->device, &machine->choice);
        print_other_devices(stream, machine);
        print_library(stream, "level 3", "cuBLAS", cublas_library_find(), "MUBLAS_CUBLAS");
        print_library(stream, "LAPACK", "cuSOLVER", solver_library_find(), "MUBLAS_CUSOLVER");
    } else {
        fputs("device: none usable; every call runs on the host (MUBLAS_VERBOSE=2 says why)\n", stream);
    }
    print_service(stream);
    print_host(stream, machine);
    if (machine->has_device)
        print_recipe(stream, machine);
    print_crossovers(stream, machine, false);
    print_tracker(stream);
    print_settings(stream);
}

static void print_machine(FILE *stream, bool sizes)
{
    struct machine machine;
    look_around(&machine);
    if (sizes)
        print_crossovers(stream, &machine, true);
    else
        print_screen(stream, &machine);
    if (machine.has_recipe)
        recipe_clear(&machine.recipe);
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
    if (sizes || !all_settings)
        print_machine(stdout, sizes);
    if (all_settings)
        settings_print(stdout);
    return 0;
}

#ifdef WITHOUT_LIBELF
int inspect_program(char **arguments)
{
    (void)arguments;
    fputs("mublas info: programs cannot be looked into: this mublas was built without libelf\n", stderr);
    return EXIT_BAD_COMMAND_LINE;
}

char *inspect_unreachable(const char *path, bool *is_refused)
{
    (void)path;
    *is_refused = false;
    return NULL;
}
#endif
