/* Savings that are not to be counted on, and calls that are known never to save anything. */
#include "common/blas_call.h"
#include "interpose/entries/pack.h"
#include "policy_calls.h"
#include "predicted_call.h"
#include "tap.h"
#include "unit_test.h"

#include <math.h>

static struct blas_call gemm_call(int64_t n)
{
    static double storage;
    struct blas_call call = {.family = FAMILY_GEMM, .type = TYPE_D, .m = n, .n = n, .k = n,
                             .a = {.pointer = &storage, .ld = n}, .b = {.pointer = &storage, .ld = n},
                             .c = {.pointer = &storage, .ld = n}};
    pack_legal(&call);
    return call;
}

static double saved_by_waking_for(const struct machine_model *model, const struct blas_call *call)
{
    struct wake_account account = {0};
    wake(OFFLOAD_AUTO, model, call, 0, &account);
    return account.saved_us;
}

static void test_waking(const struct machine_model *model)
{
    const struct blas_call large = gemm_call(512), product = symv_call(2048);
    const struct predicted_times of_large = predicted_call(model, &large, 0, true);
    const struct predicted_times of_product = predicted_call(model, &product, 0, true);
    const double sure_us = 0.5 * of_large.host_us - 25 - of_large.resident_us;
    const double all_us = of_product.host_us - of_product.resident_us;
    tap_ok(fabs(saved_by_waking_for(model, &large) - sure_us) < 1e-6,
           "of a call that writes a matrix what exceeds half of the host's time pays for waking");
    tap_ok(fabs(saved_by_waking_for(model, &product) - all_us) < 1e-6,
           "of one that only reads it all that it saves");
}

/* The order at which the device saves less than half of the host's time, but something. */
static int64_t doubtful_order(const struct machine_model *model)
{
    for (int64_t n = 32;; n++) {
        const struct blas_call call = gemm_call(n);
        const struct predicted_times times = predicted_call(model, &call, 0, true);
        if (times.resident_us + crossover_new_output_us(model, &call) < 0.9 * times.host_us)
            return n;
    }
}

static void test_new_output(const struct machine_model *model)
{
    const struct blas_call call = gemm_call(doubtful_order(model)), large = gemm_call(1024);
    struct residency residency = {.trackable = true, .resident = true};
    tap_ok(decide(OFFLOAD_AUTO, model, &large, &residency).device,
           "a large product is brought home anywhere");
    const struct policy_decision decision = decide(OFFLOAD_AUTO, model, &call, &residency);
    tap_ok(!decision.device && decision.reason == HOST_FASTER,
           "one of order %d is not where the host may write the result", (int)call.n);
    residency.kept_bytes = (uint64_t)call.n * (uint64_t)call.n * 8;
    tap_ok(decide(OFFLOAD_AUTO, model, &call, &residency).device, "but where the device alone does");
    tap_ok(crossover_new_output_us(model, &call) > 20,
           "to stage a result takes some time however small it is");
}

/* Whatever is resident: the host, with nothing for the accounts. */
static bool is_always_host(const struct machine_model *model, const struct blas_call *call)
{
    const uint64_t result = (uint64_t)call_work_of(call).result_bytes,
                   bytes = (uint64_t)call_work_of(call).matrix_bytes;
    const struct residency all[] = {
        {.trackable = true, .resident = true},
        {.trackable = true, .resident = true, .kept_bytes = result, .worth_us = 1e9},
        {.trackable = true, .missing_bytes = bytes - result, .kept_bytes = result, .worth_us = 1e9,
         .credit_us = 1e9},
        {.trackable = true, .missing_bytes = bytes, .credit_us = 1e9},
        {.missing_bytes = bytes},
        {.resident = true},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const struct policy_decision decision = decide(OFFLOAD_AUTO, model, call, &all[i]);
        if (decision.device || decision.credit_us > 0)
            return false;
    }
    return true;
}

static void test_never(const struct machine_model *model)
{
    enum { ORDERS = 300 };
    int asleep = 0, awake = 0, wrong = 0;
    for (int64_t n = 1; n <= ORDERS; n++) {
        const struct blas_call call = gemm_call(n);
        asleep += never_pays(model, &call, false);
        awake += never_pays(model, &call, true);
        wrong += never_pays(model, &call, false) && saved_by_waking_for(model, &call) > 0;
        wrong += never_pays(model, &call, true) && !is_always_host(model, &call);
    }
    tap_ok(awake > 0 && asleep > awake && asleep < ORDERS,
           "%d of %d orders pay nothing for a device, %d not on it", asleep, ORDERS, awake);
    tap_ok(wrong == 0, "and the rules agree");
    struct blas_call update = {.family = FAMILY_SYRK, .type = TYPE_D, .n = 1000, .k = 1,
                               .a = gemm_call(1000).a, .c = gemm_call(1000).c};
    pack_legal(&update);
    tap_ok(saved_by_waking_for(model, &update) <= 0 && !never_pays(model, &update, false),
           "what writes a large matrix is looked at each time");
    const struct blas_call small = symv_call(800), large = symv_call(2000);
    tap_ok(never_pays(model, &small, false) == (saved_by_waking_for(model, &small) <= 0) &&
               !never_pays(model, &large, false) && !never_pays(model, &large, true),
           "a large matrix that is read may pay");
}

UNIT_TEST(test_policy_doubt)
{
    struct machine_model model = crossover_builtin_model(NULL, 16);
    crossover_use_processors(&model, 64, 300 << 20);
    test_waking(&model);
    test_new_output(&model);
    test_never(&model);
    return tap_done();
}
