#include "interpose/purchase/device_outlook.h"
#include "common/settings.h"
#include "common/threads/once.h"
#include "gpu/device_shares.h"
#include "gpu/vendor/level3.h"
#include "gpu/vendor/solver_library.h"
#include "interpose/purchase/device_use.h"
#include "interpose/purchase/model_in_force.h"

#include <math.h>

/* Slower ones get hardly any of a call that is shared. */
static const double LEAST_PACE = 0.2;

static struct {
    double pace, bandwidth;
    size_t bytes;
} outlooks[DEVICES_MAX];
static struct once ask_once = ONCE_INIT;

static double pace_beside(const struct device_properties *first, const struct device_properties *other)
{
    const double pace =
        fmin(device_shares_power(other) / device_shares_power(first),
             other->memory_bandwidth / first->memory_bandwidth);
    return pace >= LEAST_PACE ? fmin(pace, 1) : 0;
}

static void ask(void)
{
    const struct device *const first = device_use_at(0)->device;
    const struct device_choice *const choice = device_chosen(first);
    struct device_properties other;
    for (int place = 0; place < choice->count; place++) {
        if (device_query(choice->ordinals[place], &other) != STATUS_OK)
            continue;
        outlooks[place].pace = choice->has_candidates ? pace_beside(device_properties(first), &other) : 1;
        outlooks[place].bandwidth = other.memory_bandwidth / device_properties(first)->memory_bandwidth;
        outlooks[place].bytes = memory_amount_bytes(settings()->device_memory, other.memory_bytes);
    }
}

double device_outlook_pace(int place)
{
    once_run(&ask_once, ask);
    return outlooks[place].pace;
}

double device_outlook_bandwidth(int place)
{
    once_run(&ask_once, ask);
    return outlooks[place].bandwidth;
}

size_t device_outlook_bytes(int place)
{
    once_run(&ask_once, ask);
    return outlooks[place].bytes;
}

double device_outlook_price_us(void)
{
    const struct machine_model *const model = model_in_force();
    const bool has_level3 = level3_is_open() && !level3_is_missing();
    return model->wake_us + (has_level3 ? model->level3_wake_us : 0) +
           (solver_library_is_open() ? model->solver_wake_us : 0);
}
