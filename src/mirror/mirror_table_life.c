/* The beginning and the end of a table of mirrors, and what is said of it. */
#include "mirror/mirror_table.h"
#include "mirror/operands.h"

#include <stdio.h>
#include <stdlib.h>

enum status mirror_table_create(struct device *device, size_t budget_bytes, size_t pin_budget_bytes,
                                bool tracking, struct mirror_table **result)
{
    struct mirror_table *table = calloc(1, sizeof *table);
    if (!table)
        return STATUS_OUT_OF_MEMORY;
    table->resources.device = device;
    budget_fix(&table->resources.budget, device, budget_bytes);
    table->resources.pin_budget_bytes = pin_budget_bytes;
    patience_condition_create(&table->made);
    pthread_mutex_init(&table->lock, NULL);
    pthread_mutex_init(&table->resources.pinning, NULL);
    if (tracking && write_tracker_create(&table->resources.tracker) != STATUS_OK)
        table->resources.tracker = NULL;
    *result = table;
    return STATUS_OK;
}

void mirror_table_follow(struct mirror_table *table, unsigned percent)
{
    budget_follow(&table->resources.budget, table->resources.device, percent);
}

void mirror_table_destroy(struct mirror_table *table)
{
    if (!table)
        return;
    while (mirror_table_drop_kept(table))
        continue;
    for (size_t i = 0; i < table->count; i++)
        mirror_destroy(table->mirrors[i]);
    write_tracker_destroy(table->resources.tracker);
    pin_gauge_close(&table->resources.gauge);
    pthread_cond_destroy(&table->made);
    pthread_mutex_destroy(&table->lock);
    pthread_mutex_destroy(&table->resources.pinning);
    free(table->mirrors);
    free(table);
}

const char *mirror_table_description(const struct mirror_table *table)
{
    static char text[320];
    const struct mirror_resources *resources = &table->resources;
    const char *rule = !resources->tracker        ? "stateless"
                       : atomic_load(&table->blind) ? "stateless: host writes may come unseen"
                                                    : "tracked";
    snprintf(text, sizeof text, "%zu mirrors, %zu of %zu MiB on the device, %zu of %zu MiB pinned, %s; tracker: %s",
             table->count, atomic_load(&resources->budget.committed) >> 20,
             atomic_load(&resources->budget.bytes) >> 20,
             atomic_load(&resources->pinned_bytes) >> 20, resources->pin_budget_bytes >> 20, rule,
             write_tracker_description(resources->tracker));
    return text;
}
