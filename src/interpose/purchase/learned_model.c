#include "interpose/purchase/device_use.h"
#include "common/loader.h"
#include "common/log.h"
#include "common/own_thread.h"
#include "gpu/device_sharing.h"
#include "host/host_search.h"
#include "host/symbols.h"
#include "tuner/online/recipe.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* As `mublas run` sets it; a matrix on such pages costs little to pin. */
static bool asks_for_huge_pages(void)
{
    static const char tunable[] = "glibc.malloc.hugetlb=";
    const char *tunables = secure_getenv("GLIBC_TUNABLES");
    const char *found = tunables ? strstr(tunables, tunable) : NULL;
    return found && found[sizeof tunable - 1] != '0';
}

bool learned_model_use(struct machine_model *model, struct learned_times *times, const char *section,
                       const char *host)
{
    char fault[LEARNED_FAULT_BYTES];
    model->huge_pages = asks_for_huge_pages();
    if (!section)
        return false;
    if (!learned_times_parse(times, section, fault)) {
        log_message(LOG_WARNING, "the recipe's learned times are not used: %s", fault);
        return false;
    }
    if (times->host_blas[0] && strcmp(times->host_blas, host) != 0)
        log_message(LOG_INFO, "host times were learned with %s, this is %s", times->host_blas,
                    *host ? host : "another");
    learned_times_settle_shared(times, host, processors_for_blas(), model->sharing);
    crossover_use_learned(model, times);
    return true;
}

static void resolve(const char *found, char *path, size_t room)
{
    char resolved[PATH_MAX];
    const char *best = realpath(found, resolved) ? resolved : found;
    if (strlen(best) < room)
        strcpy(path, best);
}

void learned_model_host(const char *bound, char *path, size_t room)
{
    struct host_library library;
    *path = '\0';
    if (bound) {
        resolve(bound, path, room);
        return;
    }
    for (int i = 0; i < INTERFACE_COUNT; i++) {
        const char *sentinel = symbol_name(interface_sentinel((enum interface)i));
        /* libmublas.so has bound its host by its path before anything can be offloaded. */
        if (!(host_search_by_path ? host_search(sentinel, &library) : host_search_program(sentinel,
                                                                                          &library)))
            continue;
        resolve(library.path, path, room);
        if (library.handle != RTLD_NEXT)
            loader_close(library.handle); /* the search's own reference */
        return;
    }
}

struct other_model {
    struct machine_model model;
    struct learned_times times;
    struct recipe recipe;
    struct recipe_search search;
};

static void tell_recipe(const struct device_properties *device, const struct recipe_search *search)
{
    for (int i = 0; i < RECIPE_ORIGINS; i++)
        if (search->attempts[i].outcome == RECIPE_IN_FORCE)
            log_message(LOG_INFO, "launch shapes of device %d by the recipe %s", device->ordinal,
                        search->attempts[i].path);
}

const struct machine_model *learned_model_of_other(const struct device *device,
                                                   const struct machine_model *built_in, const char *host)
{
    const struct device_properties *const properties = device_properties(device);
    const struct recipe_signature machine = recipe_signature_of(properties);
    struct other_model *const other = calloc(1, sizeof *other);
    if (!other)
        return NULL;
    other->model = *built_in;
    crossover_share(&other->model, device_sharing_of(device));
    const bool has_recipe = recipe_search(&machine, &other->recipe, &other->search);
    decision_use_at(device_place(device), has_recipe ? &other->recipe : NULL);
    tell_recipe(properties, &other->search);
    if (has_recipe)
        learned_model_use(&other->model, &other->times, other->recipe.crossover, host);
    return &other->model;
}
