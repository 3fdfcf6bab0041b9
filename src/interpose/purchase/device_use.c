#include "interpose/purchase/device_use.h"
#include "common/interruption.h"
#include "common/settings.h"
#include "common/text.h"
#include "gpu/device_sharing.h"
#include "gpu/driver.h"
#include "host/host_blas.h"
#include "interpose/estimate/estimate.h"
#include "interpose/execute/tile_runner.h"
#include "interpose/policy.h"
#include "tuner/online/recipe.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct machine_model reference_model, early_model, served_model, device_model;
static const struct machine_model *in_force = &reference_model;

const struct machine_model *model_in_force(void)
{
    return __atomic_load_n(&in_force, __ATOMIC_ACQUIRE);
}

/* The kind of the host BLAS that is bound by now decides; it is told without the loader. */
static struct machine_model built_in_model(const struct device_properties *device)
{
    struct machine_model model = crossover_model_here(device);
    model.is_in_use = estimate_wanted(); /* of which one is as good as there */
    if (host_blas_is_reference())
        crossover_use_reference_host(&model);
    return model;
}

void model_in_force_begin(void)
{
    reference_model = built_in_model(NULL);
    crossover_share(&reference_model, device_sharing_foreseen());
}

/* Go by another model from now on. */
static void use_model(const struct machine_model *other)
{
    __atomic_store_n(&in_force, other, __ATOMIC_RELEASE);
    floors_set(settings()->offload, other, other != &reference_model);
}

/* The path of the host bound for the plain names, which come first in learned_model_host's search as well. */
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

/* The model of a device that is in use beside that one, and is unlike it. NULL: out of memory. */
static const struct machine_model *model_in_force_beside(const struct device *device)
{
    char host[sizeof((struct learned_times *)0)->host_blas] = "";
    const struct machine_model built_in = built_in_model(device_properties(device));
    learned_model_host(bound_path(), host, sizeof host);
    return learned_model_of_other(device, &built_in, host);
}

struct estimate_source estimate_source = {.device = "NVIDIA H100 SXM"};

/* The file's times, from malloc; NULL: built-in figures. A wrong file is said in one line. Once. */
static char *estimate_section(void)
{
    const char *const name = settings()->estimate;
    char fault[RECIPE_FAULT_BYTES];
    char *section = NULL;
    if (strcasecmp(name, ESTIMATE_BUILT_IN) != 0 &&
        !(section = recipe_times_read(name, estimate_source.device, fault)))
        log_complaint("MUBLAS_ESTIMATE='%.200s' is neither " ESTIMATE_BUILT_IN
                      " nor a recipe with times of calls: %s; using " ESTIMATE_BUILT_IN, name, fault);
    estimate_source.is_file = section != NULL;
    return section;
}

static void learn_by(struct machine_model *learning, struct learned_times *times)
{
    char *section = estimate_wanted() ? estimate_section() : recipe_search_early();
    if (section)
        learn(learning, times, section);
    else
        use_model(learning); /* the same, but no recipe is waited for */
    free(section);
}

static void serve(struct machine_model *model)
{
    crossover_serve(model, device_sharing_sharers_foreseen());
}

/* Whether there is a service is looked for here alone, so that decisions repeat. */
static void learn_early(void)
{
    static struct learned_times learned;
    if (settings()->offload == OFFLOAD_AUTO && !estimate_wanted() && driver_provider_looks()) {
        served_model = built_in_model(NULL);
        serve(&served_model);
        learn_by(&served_model, &learned);
        return;
    }
    early_model = reference_model;
    learn_by(&early_model, &learned);
}

static void learn_alone(void)
{
    static struct learned_times learned;
    early_model = reference_model;
    learn_by(&early_model, &learned);
}

void model_in_force_leave_service(void)
{
    static struct once once = ONCE_INIT;
    once_run(&once, learn_alone);
}

const struct machine_model *model_in_force_learn(void)
{
    static struct once once = ONCE_INIT;
    once_run(&once, learn_early);
    return model_in_force();
}

void model_in_force_learn_of(const struct device *device)
{
    static struct learned_times learned;
    const struct recipe *recipe = recipe_of_process(device_properties(device));
    device_model = built_in_model(device_properties(device));
    device_model.is_in_use = true;
    if (driver_is_provided())
        serve(&device_model);
    else
        crossover_share(&device_model, device_sharing_of(device));
    learn(&device_model, &learned, recipe ? recipe->crossover : NULL);
}

static struct device_use uses[DEVICES_MAX];
static atomic_int use_count;
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

int device_use_count(void)
{
    return atomic_load_explicit(&use_count, memory_order_acquire);
}

struct device_use *device_use_at(int number)
{
    return &uses[number];
}

struct device_use *device_use_first(void)
{
    return device_use_count() > 0 ? &uses[0] : NULL;
}

struct device_use *device_use_holding(const struct operand *matrix)
{
    for (int i = 1; i < device_use_count() && matrix->matrix.pointer; i++)
        if (operands_are_resident(uses[i].mirrors, matrix))
            return &uses[i];
    return device_use_first();
}

bool device_use_any(void)
{
    for (int i = 0; i < device_use_count(); i++)
        if (device_is_usable(uses[i].device))
            return true;
    return false;
}

const struct machine_model *device_use_model(const struct device_use *use)
{
    return use->own_model ? use->own_model : model_in_force();
}

/* The ranks on this machine divide a percentage of its memory. A service pins none of it. */
static size_t pinned_bytes(void)
{
    if (driver_is_provided())
        return 0;
    const struct memory_amount amount = settings()->pinned_memory;
    const int ranks = local_rank()->ranks;
    size_t bytes =
        memory_amount_bytes(amount, (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE));
    return amount.is_percent && ranks > 1 ? bytes / (size_t)ranks : bytes;
}

static enum status create_table(struct device *device, size_t budget_bytes, struct mirror_table **mirrors)
{
    return device_use_count() == 0
               ? mirror_table_create(device, budget_bytes, pinned_bytes(), settings()->tracking, mirrors)
               : mirror_table_create_beside(uses[0].mirrors, device, budget_bytes, mirrors);
}

static enum status create_mirrors(struct device *device, struct mirror_table **mirrors)
{
    struct device_scope scope;
    const struct memory_amount share = settings()->device_memory;
    size_t free_bytes = 0, total_bytes = 0;
    enum status status = device_enter(device, &scope);
    if (status != STATUS_OK)
        return status;
    status = device_check(device, driver()->memory_info(&free_bytes, &total_bytes),
                          "asking for free device memory");
    if (status == STATUS_OK)
        status = create_table(device, memory_amount_bytes(share, free_bytes), mirrors);
    if (status == STATUS_OK && share.is_percent)
        mirror_table_follow(*mirrors, (unsigned)share.value);
    device_leave(device, &scope);
    return status;
}

static bool are_alike(const struct device *one, const struct device *other)
{
    const struct device_properties *a = device_properties(one), *b = device_properties(other);
    return strcmp(a->name, b->name) == 0 && a->multiprocessors == b->multiprocessors;
}

static const struct machine_model *model_of(const struct device *device)
{
    if (device_use_count() == 0 || are_alike(device, uses[0].device))
        return NULL;
    return model_in_force_beside(device);
}

static enum status prepare(struct device *device, struct device_use **result)
{
    struct mirror_table *mirrors;
    struct device_use *const use = &uses[device_use_count()];
    enum status status = create_mirrors(device, &mirrors);
    if (status != STATUS_OK)
        return status;
    use->device = device;
    use->mirrors = mirrors;
    use->own_model = model_of(device);
    *result = use;
    return STATUS_OK;
}

enum status device_use_prepare(struct device *device, struct device_use **use)
{
    pthread_mutex_lock(&adding);
    const enum status status = prepare(device, use);
    pthread_mutex_unlock(&adding);
    return status;
}

void device_use_add(const struct device_use *use)
{
    atomic_store_explicit(&use_count, (int)(use - uses) + 1, memory_order_release);
}

static int describe_calls(const struct device_use *use, char *text, size_t room)
{
    if (device_chosen(use->device)->count == 1)
        return 0;
    const unsigned long long calls = use->calls;
    int at = snprintf(text, room, "; %llu call%s of BLAS and %llu of LAPACK", calls, plural(calls),
                      (unsigned long long)use->routes);
    const double part = shared_tiles_part(use->device);
    if (part > 0)
        at += snprintf(text + at, room - (size_t)at, "; %.0f%% of what calls of level 3 share", 100 * part);
    return at;
}

const char *device_use_description(int number)
{
    static char text[768];
    const struct device_use *const use = &uses[number];
    int at = snprintf(text, sizeof text, "%s%s; device %d by %s", device_properties(use->device)->name,
                      device_is_usable(use->device) ? "" : " (given up)",
                      device_properties(use->device)->ordinal,
                      device_choice_reason(device_chosen(use->device), device_place(use->device)));
    at += describe_calls(use, text + at, sizeof text - (size_t)at);
    snprintf(text + at, sizeof text - (size_t)at, "; %s", mirror_table_description(use->mirrors));
    return text;
}
