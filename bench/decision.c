/* decision.c - what a decision about a launch shape costs: kept, and worked out the first time.
 *
 *   bench/decision [RECIPE]     otherwise an occupancy recipe for every class as paper 000's
 */
#include "tuner/online/recipe.h"

#include <stdio.h>
#include <time.h>

static struct recipe recipe;

/* All block shapes are candidates: the longest walk there is. */
static void make_longest(void)
{
    for (int class = 0; class < TUNING_CLASSES; class++)
        for (int form = 0; form < tuning_class_forms(class); form++) {
            struct class_recipe *rules = &recipe.classes[class][form];
            rules->by_occupancy = rules->has_occupancy = true;
            rules->base = (struct launch_shape){256, 0, 0, 1, 0, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER};
            for (int i = 0; i < SHAPE_EDGES; i++) {
                struct occupancy_figures *figures = &rules->figures.of_edge[i];
                *figures = (struct occupancy_figures){.multiprocessors = 132, .warps = 64, .blocks = 32};
                for (int warps = 1; warps <= BLOCK_WARPS_MAX; warps++)
                    figures->active[warps] = (unsigned char)(warps < 3 ? 32 : 64 / warps);
            }
        }
}

/* Processor time: the machine may be busy. */
static double processor_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The calls are there already, as they are when a program's is decided on; only their sizes change. */
static double time_all(int64_t first, int64_t last, int rounds, unsigned *check)
{
    struct blas_call calls[TUNING_CLASSES];
    int64_t decisions = 0;
    for (int class = 0; class < TUNING_CLASSES; class++)
        calls[class] = tuning_class_call(class, first, first);
    const double start = processor_now();
    for (int round = 0; round < rounds; round++)
        for (int class = 0; class < TUNING_CLASSES; class++)
            for (int64_t n = first; n < last; n += TUNING_UNIT, decisions++) {
                struct launch_shape shape = {.edge = 0};
                calls[class].m = calls[class].n = n;
                *check += decision_shape(LAUNCH_PLACE_FIRST, &calls[class], &shape) + shape.threads_x;
            }
    return (processor_now() - start) / (double)decisions;
}

int main(int count, char **arguments)
{
    char fault[RECIPE_FAULT_BYTES];
    unsigned check = 0;
    if (count > 1 && !recipe_read(arguments[1], &recipe, fault)) {
        fprintf(stderr, "decision: %s: %s\n", arguments[1], fault);
        return 1;
    }
    if (count == 1)
        make_longest();
    decision_use(&recipe);
    printf("first decision: %8.1f ns\n", 1e9 * time_all(32, 16384, 1, &check));
    printf("kept decision:  %8.1f ns  (%u)\n", 1e9 * time_all(32, 16384, 100, &check), check);
    return 0;
}
