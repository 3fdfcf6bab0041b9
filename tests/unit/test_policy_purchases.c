/* When the device is woken and cuBLAS opened: wake_is_paid, level3_is_paid and what prepares them. */
#include "interpose/entries/pack.h"
#include "policy_calls.h"
#include "predicted_call.h"
#include "tap.h"
#include "unit_test.h"

#include <math.h>

static void test_wake(const struct machine_model *model)
{
    struct blas_call call = symv_call(8192);
    struct wake_account account = {0};
    int calls = 1;
    tap_ok(wake(OFFLOAD_ALWAYS, model, &call, 0, &account), "always wakes at once");
    tap_ok(!wake(OFFLOAD_NEVER, model, &call, 0, &account), "never does not wake");
    const struct predicted_times times = predicted_call(model, &call, 0, true);
    const double saved = times.host_us - times.resident_us;
    while (!wake(OFFLOAD_AUTO, model, &call, 0, &account))
        calls++;
    tap_ok(calls > 1 && calls == (int)ceil(model->wake_us * 1.25 / saved),
           "auto wakes when %d large calls have saved a quarter more than its price", calls);
    account = (struct wake_account){0};
    wake(OFFLOAD_AUTO, model, &call, saved / 4, &account);
    tap_ok(fabs(account.saved_us - 0.75 * saved) < 1e-6, "what is lost again is not saved");
    wake(OFFLOAD_AUTO, model, &call, 2 * saved, &account);
    tap_ok(fabs(account.saved_us - 0.75 * saved) < 1e-6, "nor does it take from what was");
    account = (struct wake_account){.saved_us = 1};
    const struct blas_call product = {.family = FAMILY_GEMM, .type = TYPE_D, .m = 4096, .n = 4096, .k = 4096,
                                      .a = call.a, .b = call.a, .c = call.a};
    wake(OFFLOAD_AUTO, model, &product, 0, &account);
    const bool has_paid = account.saved_us > 2 && account.level3_us > 1;
    wake_void_level3(&account);
    tap_ok(has_paid && fabs(account.saved_us - 1) < 1e-6 && account.level3_us == 0,
           "without cuBLAS level 3 has saved nothing, the others what they have");
    account = (struct wake_account){0};
    tap_ok(wake(OFFLOAD_AUTO, model, &(struct blas_call){.family = FAMILY_SYMV, .type = TYPE_D, .n = 1 << 17,
                                              .a = {call.a.pointer, 1 << 17, 1 << 17, 1 << 17, PART_LOWER}},
                       0, &account), "a call that saves so much wakes at once");
    account = (struct wake_account){0};
    call = symv_call(100);
    calls = 0;
    while (calls < 10000 && !wake(OFFLOAD_AUTO, model, &call, 0, &account))
        calls++;
    tap_ok(calls == 10000 && account.saved_us == 0, "small calls never wake the device");
}

/* How many such calls it takes until then. */
static int calls_until(enum purchase_time wanted, const struct machine_model *model,
                       const struct blas_call *call, const struct policy_decision *decision,
                       struct level3_accounts *accounts)
{
    int calls = 1;
    while (calls < 10000 && level3_is_paid(OFFLOAD_AUTO, model, call, decision, accounts) < wanted)
        calls++;
    return calls;
}

static void test_opening_level3(const struct machine_model *model)
{
    static double storage;
    struct blas_call call = {.family = FAMILY_GEMM, .type = TYPE_D, .m = 1024, .n = 1024, .k = 1024,
                             .a = {.pointer = &storage, .ld = 1024}, .b = {.pointer = &storage, .ld = 1024},
                             .c = {.pointer = &storage, .ld = 1024}};
    struct blas_call other = call;
    struct level3_accounts accounts = {0}, none = {0};
    struct policy_decision decision = {.device = true, .gain_us = 1000};
    const double both = model->level3_wake_us + model->level3_first_us;
    pack_legal(&call);
    other.type = TYPE_S;
    tap_ok(calls_until(PURCHASE_SOON, model, &call, &decision, &accounts) == (int)ceil(both / 4 / 1000),
           "opening cuBLAS is prepared once a quarter of that is gained");
    tap_ok(calls_until(PURCHASE_NOW, model, &call, &decision, &accounts) == (int)ceil(both * 3 / 4 / 1000),
           "it is used once calls gained its price and that of a first use");
    tap_ok(calls_until(PURCHASE_NOW, model, &call, &decision, &accounts) == 1, "from then on at once");
    tap_ok(calls_until(PURCHASE_NOW, model, &other, &decision, &accounts) ==
               (int)ceil(model->level3_first_us / 1000),
           "another routine pays for its own first use");
    decision.gain_us = 2 * both;
    tap_ok(calls_until(PURCHASE_NOW, model, &call, &decision, &none) == 1,
           "a call that gains so much opens it at once");
    none = (struct level3_accounts){0};
    level3_credit(&call, both / 4 - 1, &none);
    const bool is_early = level3_is_expected(model, &none);
    level3_credit(&call, 1, &none);
    tap_ok(!is_early && level3_is_expected(model, &none),
           "it is loaded while the device wakes where calls before have gained a quarter of its price");
    level3_credit(&call, both * 3 / 4 - 1000, &none);
    decision.gain_us = 1000;
    tap_ok(calls_until(PURCHASE_NOW, model, &call, &decision, &none) == 1, "which they pay like later ones");
    tap_ok(level3_is_paid(OFFLOAD_ALWAYS, model, &call, &(struct policy_decision){.device = true},
                         &(struct level3_accounts){0}) == PURCHASE_NOW, "always opens it at once");
    tap_ok(level3_is_paid(OFFLOAD_NEVER, model, &call, &decision, &(struct level3_accounts){0}) ==
               PURCHASE_NOT_YET,
           "never does not");
}

/* The first of a factorisation's updates of what is on the device opens cuBLAS, if those to come pay. */
static void test_recurring_updates(const struct machine_model *model)
{
    static double storage;
    for (int64_t n = 256; n <= 8192; n *= 32) {
        const int64_t k = 32;
        struct blas_call call = {.family = FAMILY_SYR2K, .type = TYPE_D, .n = n, .k = k,
                                 .a = {&storage, n, k, n, PART_FULL}, .b = {&storage, n, k, n, PART_FULL},
                                 .c = {&storage, n, n, n, PART_LOWER}};
        struct residency residency = {.trackable = true, .missing_bytes = (uint64_t)(n * k * 8),
                                      .kept_bytes = (uint64_t)(n * n * 4), .worth_us = 1e5};
        struct policy_decision decision = decide(OFFLOAD_AUTO, model, &call, &residency);
        struct level3_accounts accounts = {0};
        const bool opens = decision.device &&
                           level3_is_paid(OFFLOAD_AUTO, model, &call, &decision, &accounts) == PURCHASE_NOW;
        tap_ok(opens == (n == 8192) && accounts.all_us <= decision.gain_us,
               "the first update of order %d %s cuBLAS", (int)n, opens ? "opens" : "does not open");
        residency.kept_bytes = 0;
        tap_ok(decide(OFFLOAD_AUTO, model, &call, &residency).recurs_us == 0,
               "what is not on the device comes to nothing");
    }
}

UNIT_TEST(test_policy_purchases)
{
    struct machine_model model = crossover_builtin_model(NULL, 16);
    test_wake(&model);
    test_opening_level3(&model);
    test_recurring_updates(&model);
    return tap_done();
}
