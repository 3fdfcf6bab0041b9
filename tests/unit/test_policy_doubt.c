/* Savings that are not to be counted on. */
#include "interpose/pack.h"
#include "interpose/policy.h"
#include "policy_calls.h"
#include "tap.h"

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
    policy_wake(OFFLOAD_AUTO, model, call, 0, &account);
    return account.saved_us;
}

static void test_waking(const struct machine_model *model)
{
    const struct blas_call large = gemm_call(512), product = symv_call(2048);
    const struct predicted_times of_large = crossover_predict(model, &large, 0, true);
    const struct predicted_times of_product = crossover_predict(model, &product, 0, true);
    tap_ok(fabs(saved_by_waking_for(model, &large) - (0.5 * of_large.host_us - of_large.resident_us)) < 1e-6,
           "of a call that writes a matrix what exceeds half of the host's time pays for waking");
    tap_ok(fabs(saved_by_waking_for(model, &product) - (of_product.host_us - of_product.resident_us)) < 1e-6,
           "of one that only reads it all that it saves");
}

/* The order at which the device saves less than half of the host's time, but something. */
static int64_t doubtful_order(const struct machine_model *model)
{
    for (int64_t n = 32;; n++) {
        const struct blas_call call = gemm_call(n);
        const struct predicted_times times = crossover_predict(model, &call, 0, true);
        if (times.resident_us + crossover_new_output_us(model, &call) < 0.9 * times.host_us)
            return n;
    }
}

static void test_new_output(const struct machine_model *model)
{
    const struct blas_call call = gemm_call(doubtful_order(model)), large = gemm_call(1024);
    struct residency residency = {.trackable = true, .resident = true};
    tap_ok(policy_decide(OFFLOAD_AUTO, model, &large, &residency).device, "a large product is brought home anywhere");
    const struct policy_decision decision = policy_decide(OFFLOAD_AUTO, model, &call, &residency);
    tap_ok(!decision.device && decision.reason == HOST_FASTER, "one of order %d is not where the host may write the result",
           (int)call.n);
    residency.kept_bytes = (uint64_t)call.n * (uint64_t)call.n * 8;
    tap_ok(policy_decide(OFFLOAD_AUTO, model, &call, &residency).device, "but where the device alone does");
    tap_ok(crossover_new_output_us(model, &call) > 20, "to stage a result takes some time however small it is");
}

int main(void)
{
    struct machine_model model = crossover_builtin_model(NULL, 16);
    crossover_use_processors(&model, 64, 300 << 20);
    test_waking(&model);
    test_new_output(&model);
    return tap_done();
}
