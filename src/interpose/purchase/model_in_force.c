#include "interpose/purchase/model_in_force.h"
#include "common/settings.h"
#include "common/threads/once.h"
#include "gpu/device_sharing.h"
#include "host/host_blas.h"
#include "interpose/floors.h"
#include "interpose/purchase/learned_model.h"
#include "tuner/online/recipe_search.h"

#include <stdlib.h>

static struct machine_model reference_model, early_model, device_model;
static const struct machine_model *in_force = &reference_model;

const struct machine_model *model_in_force(void)
{
    return __atomic_load_n(&in_force, __ATOMIC_ACQUIRE);
}

bool model_in_force_is_of_device(const struct machine_model *model)
{
    return model == &device_model;
}

void model_in_force_begin(void)
{
    reference_model = crossover_model_here(NULL);
    crossover_share(&reference_model, device_sharing_foreseen());
}

/* Go by another model from now on. */
static void use_model(const struct machine_model *other)
{
    __atomic_store_n(&in_force, other, __ATOMIC_RELEASE);
    floors_set(settings()->offload, other, other != &reference_model);
}

/* Of the plain names, which come first in learned_model_host's search as well. */
static const char *bound_path(void)
{
    const bool is_shared = host_blas_is_shared(INTERFACE_NAME_);
    const struct host_library *bound = is_shared ? NULL : host_blas_library(INTERFACE_NAME_, 0);
    return bound ? bound->path : NULL;
}

static void learn(struct machine_model *learning, struct learned_times *times, const char *section)
{
    char host[sizeof times->host_blas] = "";
    if (section)
        learned_model_host(bound_path(), host, sizeof host);
    learned_model_use(learning, times, section, host);
    use_model(learning);
}

const struct machine_model *model_in_force_beside(const struct device *device)
{
    char host[sizeof((struct learned_times *)0)->host_blas] = "";
    learned_model_host(bound_path(), host, sizeof host);
    return learned_model_of_other(device, host);
}

static void learn_early(void)
{
    static struct learned_times learned;
    char *section = recipe_search_early();
    early_model = reference_model;
    if (section)
        learn(&early_model, &learned, section);
    else
        use_model(&early_model); /* the same, but no recipe is waited for */
    free(section);
}

void model_in_force_learn(void)
{
    static struct once once = ONCE_INIT;
    once_run(&once, learn_early);
}

void model_in_force_learn_of(const struct device *device)
{
    static struct learned_times learned;
    const struct recipe *recipe = recipe_of_process(device_properties(device));
    device_model = crossover_model_here(device_properties(device));
    crossover_share(&device_model, device_sharing_of(device));
    learn(&device_model, &learned, recipe ? recipe->crossover : NULL);
}
