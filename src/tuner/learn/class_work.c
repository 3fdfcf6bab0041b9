#include "tuner/learn/class_work.h"

bool class_work_is_stopped(const struct class_work *work)
{
    return shape_timer_is_over(work->tuner->timer);
}

bool class_work_is_late(const struct class_work *work)
{
    const double deadline = work->tuner->timer->deadline;
    return deadline > 0 && clock_seconds() > deadline;
}

void class_work_step(struct class_work *work)
{
    work->steps_done++;
    if (work->tuner->progress)
        work->tuner->progress(work->tuner->progress_context, (double)work->steps_done / work->steps);
}

double class_work_floor(const struct class_work *work, const struct blas_call *call)
{
    return 3e-6 + (double)tuning_pool_matrix_bytes(call) / work->tuner->timer->bandwidth;
}

struct blas_call class_work_call(const struct class_work *work, int64_t size)
{
    return tuning_class_call_at(work->class, work->form, size);
}

void class_work_data(const struct class_work *work, const struct blas_call *call, const char *stage,
                      const struct launch_shape *shapes, const struct tuning_time *times, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (times[i].rounds > 0)
            tuning_data_line(work->tuner->data, work->class, call, stage, &shapes[i], &times[i]);
}
