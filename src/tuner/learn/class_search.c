#include "tuner/learn/class_search.h"

bool class_search_is_stopped(const struct class_search *search)
{
    return shape_timer_is_over(search->tuner->timer);
}

bool class_search_is_late(const struct class_search *search)
{
    const double deadline = search->tuner->timer->deadline;
    return deadline > 0 && clock_seconds() > deadline;
}

void class_search_step(struct class_search *search)
{
    search->steps_done++;
    if (search->tuner->progress)
        search->tuner->progress(search->tuner->progress_context, (double)search->steps_done / search->steps);
}

double class_search_floor(const struct class_search *search, const struct blas_call *call)
{
    return 3e-6 + (double)tuning_pool_matrix_bytes(call) / search->tuner->timer->bandwidth;
}

struct blas_call class_search_call(const struct class_search *search, int64_t size)
{
    return tuning_class_call_at(search->class, search->form, size);
}

void class_search_data(const struct class_search *search, const struct blas_call *call, const char *stage,
                       const struct launch_shape *shapes, const struct tuning_time *times, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (times[i].rounds > 0)
            tuning_data_line(search->tuner->data, search->class, call, stage, &shapes[i], &times[i]);
}
