#include "mirror/device_memory/budget.h"

#include "common/log.h"

void budget_fix(struct budget *budget, struct device *device, size_t bytes)
{
    budget->device = device;
    budget->fixed = bytes;
    budget->percent = 0;
    atomic_store(&budget->bytes, bytes);
}

void budget_follow(struct budget *budget, struct device *device, unsigned percent)
{
    budget->device = device;
    budget->percent = percent;
    if (percent == 0) {
        budget_fix(budget, device, 0);
        return;
    }
    budget_refresh(budget);
}

bool budget_refresh(struct budget *budget)
{
    size_t free_bytes, total_bytes, committed = atomic_load(&budget->committed);
    if (device_check(budget->device, driver()->memory_info(&free_bytes, &total_bytes),
                     "asking for free device memory") != STATUS_OK)
        return false;
    size_t available = free_bytes + committed, bytes = available < budget->fixed ? available : budget->fixed;
    if (budget->percent > 0)
        bytes = device_choice_share(device_chosen(budget->device), budget->percent, available, total_bytes);
    atomic_store(&budget->bytes, bytes);
    if (committed <= bytes)
        return false;
    log_message(LOG_INFO, "device memory is wanted elsewhere: mirrors may fill %zu MiB of it now, not %zu",
                bytes >> 20, committed >> 20);
    return true;
}

size_t budget_spare(const struct budget *budget)
{
    size_t free_bytes, total_bytes;
    if (budget->percent == 0 || device_chosen(budget->device)->sharers == 1 ||
        device_check(budget->device, driver()->memory_info(&free_bytes, &total_bytes),
                     "asking for free device memory") != STATUS_OK)
        return 0;
    return free_bytes / 100 * budget->percent;
}

bool budget_take(struct budget *budget, size_t bytes)
{
    /* Never more than there is, not even for a moment: it would fail who asks for little meanwhile. */
    size_t committed = atomic_load(&budget->committed);
    do {
        const size_t most = atomic_load(&budget->bytes);
        if (committed > most || bytes > most - committed)
            return false;
    } while (!atomic_compare_exchange_weak(&budget->committed, &committed, committed + bytes));
    return true;
}

void budget_give(struct budget *budget, size_t bytes)
{
    atomic_fetch_sub(&budget->committed, bytes);
}
