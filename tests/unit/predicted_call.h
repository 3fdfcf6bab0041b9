/* predicted_call.h - the model's times of a call whose operands are somewhere. */
#ifndef MUBLAS_TESTS_PREDICTED_CALL_H
#define MUBLAS_TESTS_PREDICTED_CALL_H

#include "tuner/online/crossover.h"

static inline struct predicted_times predicted_call(const struct machine_model *model,
                                                    const struct blas_call *call, uint64_t missing_bytes,
                                                    bool trackable)
{
    struct predicted_times times = crossover_times(model, call);
    crossover_charge_missing(model, call, missing_bytes, trackable, &times);
    return times;
}

#endif
