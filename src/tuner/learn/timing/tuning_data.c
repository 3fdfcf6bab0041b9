#include "tuner/learn/timing/tuning_data.h"
#include "common/plain_locale.h"

#include <inttypes.h>

void tuning_data_begin(FILE *stream, const struct recipe_signature *signature, const char *made)
{
    fprintf(stream, "%s\n# device %s\n# made %s\n%s\n", TUNING_DATA_FIRST_LINE, signature->device, made,
            TUNING_DATA_COLUMNS);
}

void tuning_data_line(FILE *stream, int class, const struct blas_call *call, const char *stage,
                      const struct launch_shape *shape, const struct tuning_time *time)
{
    const int64_t m = call->family == FAMILY_GEMV ? call->m : call->n;
    if (!stream)
        return;
    const locale_t locale = plain_locale_begin();
    fprintf(stream, "%s,%s,%" PRId64 ",%" PRId64 ",%s,%u,%u,%u,%u,%u,%s,%u,%s,%.4f,%.4f,%.4f,%d\n",
            tuning_class_name(class), tuning_form_name(tuning_form_of(call)), m, call->n, stage, shape->edge,
            shape->threads_x, shape->threads_y, shape->leaf_columns, shape->blocks_per_multiprocessor,
            recipe_orders[shape->order], shape->team_groups, recipe_variants[shape->variant],
            1e6 * time->seconds, 1e6 * time->low, 1e6 * time->high, time->rounds);
    plain_locale_end(locale);
}
