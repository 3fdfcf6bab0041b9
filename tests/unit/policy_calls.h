/* policy_calls.h - a call for the tests of policy.h. */
#ifndef MUBLAS_TEST_POLICY_CALLS_H
#define MUBLAS_TEST_POLICY_CALLS_H

#include "interpose/purchase/ledger.h"

/* dsymv, lower; its memory must not be read. */
static inline struct blas_call symv_call(int64_t n)
{
    static double storage;
    return (struct blas_call){
        .family = FAMILY_SYMV, .type = TYPE_D, .n = n,
        .a = {.pointer = &storage, .rows = n, .columns = n, .ld = n, .part = PART_LOWER},
        .x = {&storage, n, 1}, .y = {&storage, n, 1}};
}

/* As interpose/call/blas_kind.c and purchase/ledger.c do it. */
static inline struct policy_decision decide(enum offload_mode mode, const struct machine_model *model,
                                            const struct blas_call *call, const struct residency *residency)
{
    return policy_decide(mode, model, call, crossover_times(model, call), residency);
}

static inline bool never_pays(const struct machine_model *model, const struct blas_call *call, bool is_in_use)
{
    const struct predicted_times times = crossover_times(model, call);
    struct machine_model judging = *model;
    judging.is_in_use = is_in_use;
    return policy_never_pays(&judging, call, &times);
}

static inline bool wake(enum offload_mode mode, const struct machine_model *model,
                        const struct blas_call *call, double lost_us, struct wake_account *account)
{
    const struct predicted_times times = crossover_times(model, call);
    return wake_is_paid(mode, model, call, policy_sure_gain_us(model, call, &times) - lost_us, account);
}

#endif
