/* The choice for a call, as a pure function: the rules of policy_decide, and ski rental's bound. */
#include "common/blas_call.h"
#include "interpose/entries/pack.h"
#include "policy_calls.h"
#include "predicted_call.h"
#include "tap.h"
#include "unit_test.h"

#include <math.h>

static struct residency cold(const struct blas_call *call, double credit_us)
{
    uint64_t bytes = (uint64_t)call_work_of(call).matrix_bytes;
    return (struct residency){.trackable = true, .bytes = bytes, .missing_bytes = bytes, .credit_us = credit_us};
}

static void test_modes(const struct machine_model *model)
{
    struct blas_call call = symv_call(3);
    struct residency residency = cold(&call, 0);
    tap_ok(decide(OFFLOAD_ALWAYS, model, &call, &residency).device, "always offloads a tiny call");
    call = symv_call(30000);
    residency = (struct residency){.trackable = true, .resident = true};
    struct policy_decision decision = decide(OFFLOAD_NEVER, model, &call, &residency);
    tap_ok(!decision.device && decision.reason == HOST_SWITCHED_OFF, "never keeps a resident giant on the host");
}

static void test_residency(const struct machine_model *model)
{
    struct blas_call call = symv_call(8192);
    struct residency residency = cold(&call, 0);
    struct policy_decision decision = decide(OFFLOAD_AUTO, model, &call, &residency);
    tap_ok(!decision.device && decision.reason == HOST_NOT_RESIDENT && decision.credit_us > 0,
           "a first large call stays and earns credit");
    residency.resident = true;
    tap_ok(decide(OFFLOAD_AUTO, model, &call, &residency).device, "the same call on a resident matrix goes");
    residency = cold(&call, 0);
    residency.trackable = false;
    decision = decide(OFFLOAD_AUTO, model, &call, &residency);
    tap_ok(!decision.device && decision.reason == HOST_UNTRACKABLE && decision.credit_us == 0,
           "memory that cannot be tracked earns nothing, and that is the reason");
    residency = cold(&call, 0);
    residency.rewritten = true;
    decision = decide(OFFLOAD_AUTO, model, &call, &residency);
    tap_ok(!decision.device && decision.reason == HOST_REWRITTEN && decision.credit_us > 0,
           "a matrix that the program rewrites stays for that reason");
    residency = cold(&call, crossover_copies_us(model, call_work_of(&call).matrix_bytes, true) / 2);
    tap_ok(!decide(OFFLOAD_AUTO, model, &call, &residency).device, "half of an upload's cost is not enough");
    residency.pinned_bytes = residency.missing_bytes;
    residency.credit_us = crossover_copies_us(model, (double)residency.missing_bytes, false) - 1;
    tap_ok(decide(OFFLOAD_AUTO, model, &call, &residency).device, "but where the matrix was pinned before");
    call = symv_call(64);
    residency = (struct residency){.trackable = true, .resident = true};
    tap_ok(!decide(OFFLOAD_AUTO, model, &call, &residency).device, "a small resident call stays");
}

/* Rent until the account covers the upload: what was lost by waiting is at most one upload. */
static void test_ski_rental(const struct machine_model *model)
{
    struct blas_call call = symv_call(8192);
    double credit = 0;
    int calls = 0;
    while (calls < 100000) {
        struct residency residency = cold(&call, credit);
        struct policy_decision decision = decide(OFFLOAD_AUTO, model, &call, &residency);
        if (decision.device)
            break;
        credit += decision.credit_us;
        calls++;
    }
    struct residency residency = cold(&call, 0);
    double upload = predicted_call(model, &call, residency.missing_bytes, true).upload_us;
    tap_ok(calls > 0 && calls < 1000, "an unchanged matrix is uploaded after %d calls", calls);
    tap_ok(credit <= upload, "waiting cost %.0f us, an upload costs %.0f us", credit, upload);
}

/* A matrix lost to the host's writes must pay twice as much before it goes up again. */
static void test_setbacks(const struct machine_model *model)
{
    struct blas_call call = symv_call(8192);
    struct residency residency = cold(&call, 0);
    struct predicted_times times = predicted_call(model, &call, residency.missing_bytes, true);
    residency.credit_us = times.upload_us * 3;
    residency.setbacks = 1;
    tap_ok(decide(OFFLOAD_AUTO, model, &call, &residency).device, "after a setback twice the upload suffices");
    residency.setbacks = 2;
    tap_ok(!decide(OFFLOAD_AUTO, model, &call, &residency).device, "after another it does not");
    residency = cold(&call, 0);
    residency.setbacks = 2;
    residency.recurs = true;
    residency.usual_us = times.upload_us * 1.1;
    tap_ok(decide(OFFLOAD_AUTO, model, &call, &residency).device, "nothing is waited for where it pays each time");
    residency.usual_us = times.upload_us * 0.9;
    tap_ok(!decide(OFFLOAD_AUTO, model, &call, &residency).device, "but where it does not pay for the upload");
}

static void test_level3(const struct machine_model *model)
{
    static double storage;
    int64_t n = 8192, k = 32;
    struct blas_call call = {.family = FAMILY_SYR2K, .type = TYPE_D, .n = n, .k = k,
                             .a = {&storage, n, k, n, PART_FULL}, .b = {&storage, n, k, n, PART_FULL},
                             .c = {&storage, n, n, n, PART_LOWER}};
    struct residency residency = {.trackable = true, .missing_bytes = (uint64_t)(n * k * 8),
                                  .kept_bytes = (uint64_t)(n * n * 4)};
    tap_ok(decide(OFFLOAD_AUTO, model, &call, &residency).device,
           "a trailing update goes to a resident matrix although one panel must be uploaded");
}

/* C, which other calls use, is worth keeping where it is, as far as it was worth bringing there. */
static void test_kept_residency(const struct machine_model *model)
{
    static double storage;
    struct blas_call call = {.family = FAMILY_SYRK, .type = TYPE_D, .n = 4000, .k = 4,
                             .a = {&storage, 4000, 4, 4000, PART_FULL}, .c = {&storage, 4000, 4000, 4000, PART_LOWER}};
    const struct predicted_times times = predicted_call(model, &call, 0, true);
    const double loses = times.resident_us - times.host_us;
    struct residency residency = {.trackable = true, .resident = true};
    tap_ok(loses > 0 && !decide(OFFLOAD_AUTO, model, &call, &residency).device,
           "a thin update alone stays on the host, %.0f us faster there", loses);
    residency.kept_bytes = 16000000;
    tap_ok(!decide(OFFLOAD_AUTO, model, &call, &residency).device, "also if it writes to what is worth nothing");
    residency.worth_us = loses * 0.9;
    tap_ok(!decide(OFFLOAD_AUTO, model, &call, &residency).device, "or to what is worth less than that");
    residency.worth_us = loses * 1.1;
    struct policy_decision decision = decide(OFFLOAD_AUTO, model, &call, &residency);
    tap_ok(decision.device && fabs(decision.gain_us - 0.1 * loses) < 1e-6 && fabs(decision.earned_us + loses) < 1e-6,
           "it goes to a matrix whose residency is worth more");
    residency.worth_us = 1e9;
    residency.kept_bytes = 8;
    tap_ok(!decide(OFFLOAD_AUTO, model, &call, &residency).device,
           "what is kept is worth an upload of it at most");
}

UNIT_TEST(test_policy)
{
    struct machine_model model = crossover_builtin_model(NULL, 16);
    test_modes(&model);
    test_residency(&model);
    test_ski_rental(&model);
    test_setbacks(&model);
    test_level3(&model);
    test_kept_residency(&model);
    return tap_done();
}
