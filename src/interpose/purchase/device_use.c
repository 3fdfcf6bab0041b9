#include "interpose/purchase/device_use.h"
#include "common/plural.h"
#include "common/settings.h"
#include "interpose/execute/shared_tiles.h"
#include "interpose/purchase/model_in_force.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* The ranks on this machine divide a percentage of its memory. */
static size_t pinned_bytes(void)
{
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
