#include "gpu/device_choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool device_choice_is_bound(void)
{
    const char *visible = secure_getenv("CUDA_VISIBLE_DEVICES");
    return visible && *visible && !strchr(visible, ',');
}

/* Of ranks 0 to ranks - 1, dealt round robin, those that get device `ordinal`. */
static int ranks_on(int ordinal, int ranks, int devices)
{
    return ranks > ordinal ? (ranks - ordinal - 1) / devices + 1 : 1;
}

struct device_choice device_choice_make(long setting, const struct local_rank *rank, int devices, bool bound)
{
    struct device_choice choice = {.devices = devices, .sharers = 1};
    const bool is_rank = rank->rank >= 0;
    if (setting >= 0)
        choice.ordinal = (int)setting;
    else if (is_rank)
        choice.ordinal = rank->rank % devices;
    if (is_rank && rank->ranks > 0 && setting < 0 && !(bound && devices == 1))
        choice.sharers = ranks_on(choice.ordinal, rank->ranks, devices);
    if (setting >= 0)
        snprintf(choice.reason, sizeof choice.reason, "MUBLAS_DEVICE=%ld", setting);
    else if (!is_rank)
        snprintf(choice.reason, sizeof choice.reason, "default, the first of %d visible", devices);
    else if (rank->ranks > 0)
        snprintf(choice.reason, sizeof choice.reason, "%s=%d, %d visible, shared by %d of %d ranks", rank->variable,
                 rank->rank, devices, choice.sharers, rank->ranks);
    else
        snprintf(choice.reason, sizeof choice.reason, "%s=%d, %d visible", rank->variable, rank->rank, devices);
    return choice;
}

size_t device_choice_share(const struct device_choice *choice, unsigned percent, size_t available_bytes,
                           size_t total_bytes)
{
    size_t share = total_bytes / (size_t)choice->sharers;
    return (share < available_bytes ? share : available_bytes) / 100 * percent;
}
