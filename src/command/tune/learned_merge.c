#include "command/tune/learned_merge.h"

#include <stdlib.h>
#include <string.h>

int learned_merge_device_curves(const struct learned_times *times)
{
    int count = 0;
    for (int class = 0; class < TIMED_CLASSES; class++)
        count += times->resident[class].count > 0;
    return count;
}

/* Of any routine that goes by the class: the Hermitian one, too. */
static bool has_stayed(int class, const struct call_timer_end *end)
{
    for (int routine = 0; routine < ROUTINES; routine++)
        if (end->stayed[routine] && routine_type(routine) == timed_class_type(class) &&
            timed_class_shared(routine_family(routine)) == timed_class_family(class))
            return true;
    return false;
}

void learned_merge_forget_stayed(struct learned_times *times, const struct call_timer_end *end)
{
    for (int class = 0; class < TIMED_CLASSES; class++)
        if (timed_class_exists(class) && has_stayed(class, end))
            memset(&times->resident[class], 0, sizeof times->resident[class]);
}

void learned_merge_forget_single(struct learned_times *times)
{
    for (int class = 0; class < TIMED_CLASSES; class++)
        if (times->host[class].count < 2 || times->resident[class].count < 2) {
            memset(&times->host[class], 0, sizeof times->host[class]);
            memset(&times->resident[class], 0, sizeof times->resident[class]);
        }
}

bool learned_merge_is_wanted(enum blas_family family, enum blas_type type, const char *routines)
{
    for (int routine = 0; routine < ROUTINES; routine++)
        if (timed_class_shared(routine_family(routine)) == family && routine_type(routine) == type &&
            routine_is_listed(routine, routines))
            return true;
    return false;
}

static void keep_curve(struct time_curve *curve, const struct time_curve *before)
{
    if (curve->count == 0)
        *curve = *before;
}

static void keep_class(struct learned_times *times, const struct learned_times *before, int class)
{
    keep_curve(&times->host[class], &before->host[class]);
    memcpy(times->flags[class], before->flags[class], sizeof times->flags[class]);
    keep_curve(&times->resident[class], &before->resident[class]);
    memcpy(times->device_sets[class], before->device_sets[class], sizeof times->device_sets[class]);
}

static void keep_rest(struct learned_times *times, const struct learned_times *before)
{
    for (int way = 0; way < UPLOAD_WAYS; way++)
        keep_curve(&times->upload[way], &before->upload[way]);
    route_factors_keep(&times->routes, &before->routes);
    if (!(times->wake_us > 0))
        times->wake_us = before->wake_us;
    if (!(times->links_part > 0))
        times->links_part = before->links_part;
}

static bool is_untimed(const struct learned_times *times, int class)
{
    return times->host[class].count == 0 && times->resident[class].count == 0;
}

void learned_merge_keep_others(struct learned_times *times, const char *text, const char *routines,
                              const struct call_timer_end *end)
{
    char fault[LEARNED_FAULT_BYTES];
    struct learned_times *before = malloc(sizeof *before); /* too large for some threads' stacks */
    if (before && learned_times_parse(before, text, fault)) {
        learned_times_settle(before, times->host_blas, times->host_threads);
        for (int class = 0; class < TIMED_CLASSES; class++) {
            if (!timed_class_exists(class))
                continue;
            const bool wanted =
                learned_merge_is_wanted(timed_class_family(class), timed_class_type(class), routines);
            if (wanted && (!is_untimed(times, class) || has_stayed(class, end)))
                continue;
            keep_class(times, before, class);
        }
        keep_rest(times, before);
    }
    free(before);
}
