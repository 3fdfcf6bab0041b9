/* The policy as a pure function: each rule of policy.h, and ski rental's bound. */
#include "interpose/pack.h"
#include "interpose/policy.h"
#include "tap.h"

#include <math.h>

static struct blas_call symv_call(int64_t n)
{
    static double storage;
    return (struct blas_call){
        .family = FAMILY_SYMV, .type = TYPE_D, .n = n,
        .a = {.pointer = &storage, .rows = n, .columns = n, .ld = n, .part = PART_LOWER},
        .x = {&storage, n, 1}, .y = {&storage, n, 1}};
}

static struct residency cold(const struct blas_call *call, double credit_us)
{
    uint64_t bytes = crossover_matrix_bytes(call);
    return (struct residency){.trackable = true, .bytes = bytes, .missing_bytes = bytes, .credit_us = credit_us};
}

static void test_modes(const struct machine_model *model)
{
    struct blas_call call = symv_call(3);
    struct residency residency = cold(&call, 0);
    tap_ok(policy_decide(OFFLOAD_ALWAYS, model, &call, &residency).device, "always offloads a tiny call");
    call = symv_call(30000);
    residency = (struct residency){.trackable = true, .resident = true};
    struct policy_decision decision = policy_decide(OFFLOAD_NEVER, model, &call, &residency);
    tap_ok(!decision.device && decision.reason == HOST_SWITCHED_OFF, "never keeps a resident giant on the host");
}

static void test_residency(const struct machine_model *model)
{
    struct blas_call call = symv_call(8192);
    struct residency residency = cold(&call, 0);
    struct policy_decision decision = policy_decide(OFFLOAD_AUTO, model, &call, &residency);
    tap_ok(!decision.device && decision.reason == HOST_NOT_RESIDENT && decision.credit_us > 0,
           "a first large call stays and earns credit");
    residency.resident = true;
    tap_ok(policy_decide(OFFLOAD_AUTO, model, &call, &residency).device, "the same call on a resident matrix goes");
    residency = cold(&call, 0);
    residency.trackable = false;
    decision = policy_decide(OFFLOAD_AUTO, model, &call, &residency);
    tap_ok(!decision.device && decision.reason == HOST_FASTER && decision.credit_us == 0,
           "memory that cannot be tracked earns nothing");
    residency = cold(&call, crossover_upload_us(model, crossover_matrix_bytes(&call)) / 2);
    tap_ok(!policy_decide(OFFLOAD_AUTO, model, &call, &residency).device, "half of an upload's cost is not enough");
    residency.pinned_bytes = residency.missing_bytes;
    residency.credit_us = crossover_staged_us(model, residency.missing_bytes) - 1;
    tap_ok(policy_decide(OFFLOAD_AUTO, model, &call, &residency).device, "but where the matrix was pinned before");
    call = symv_call(64);
    residency = (struct residency){.trackable = true, .resident = true};
    tap_ok(!policy_decide(OFFLOAD_AUTO, model, &call, &residency).device, "a small resident call stays");
}

/* Rent until the account covers the upload: what was lost by waiting is at most one upload. */
static void test_ski_rental(const struct machine_model *model)
{
    struct blas_call call = symv_call(8192);
    double credit = 0;
    int calls = 0;
    while (calls < 100000) {
        struct residency residency = cold(&call, credit);
        struct policy_decision decision = policy_decide(OFFLOAD_AUTO, model, &call, &residency);
        if (decision.device)
            break;
        credit += decision.credit_us;
        calls++;
    }
    struct residency residency = cold(&call, 0);
    double upload = crossover_predict(model, &call, residency.missing_bytes, true).upload_us;
    tap_ok(calls > 0 && calls < 1000, "an unchanged matrix is uploaded after %d calls", calls);
    tap_ok(credit <= upload, "waiting cost %.0f us, an upload costs %.0f us", credit, upload);
}

/* What was lost to the host's writes must pay twice as much before it goes up again. */
static void test_setbacks(const struct machine_model *model)
{
    struct blas_call call = symv_call(8192);
    struct residency residency = cold(&call, 0);
    struct predicted_times times = crossover_predict(model, &call, residency.missing_bytes, true);
    residency.credit_us = times.upload_us * 3;
    residency.setbacks = 1;
    tap_ok(policy_decide(OFFLOAD_AUTO, model, &call, &residency).device, "after a setback twice the upload suffices");
    residency.setbacks = 2;
    tap_ok(!policy_decide(OFFLOAD_AUTO, model, &call, &residency).device, "after another it does not");
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
    tap_ok(policy_decide(OFFLOAD_AUTO, model, &call, &residency).device,
           "a trailing update goes to a resident matrix although one panel must be uploaded");
}

/* C, which other calls use, is worth keeping where it is, as far as it was worth bringing there. */
static void test_kept_residency(const struct machine_model *model)
{
    static double storage;
    struct blas_call call = {.family = FAMILY_SYRK, .type = TYPE_D, .n = 4000, .k = 4,
                             .a = {&storage, 4000, 4, 4000, PART_FULL}, .c = {&storage, 4000, 4000, 4000, PART_LOWER}};
    const struct predicted_times times = crossover_predict(model, &call, 0, true);
    const double loses = times.resident_us - times.host_us;
    struct residency residency = {.trackable = true, .resident = true};
    tap_ok(loses > 0 && !policy_decide(OFFLOAD_AUTO, model, &call, &residency).device,
           "a thin update alone stays on the host, %.0f us faster there", loses);
    residency.kept_bytes = 16000000;
    tap_ok(!policy_decide(OFFLOAD_AUTO, model, &call, &residency).device, "also if it writes to what is worth nothing");
    residency.worth_us = loses * 0.9;
    tap_ok(!policy_decide(OFFLOAD_AUTO, model, &call, &residency).device, "or to what is worth less than that");
    residency.worth_us = loses * 1.1;
    struct policy_decision decision = policy_decide(OFFLOAD_AUTO, model, &call, &residency);
    tap_ok(decision.device && fabs(decision.gain_us - 0.1 * loses) < 1e-6 && fabs(decision.earned_us + loses) < 1e-6,
           "it goes to a matrix whose residency is worth more");
    residency.worth_us = 1e9;
    residency.kept_bytes = 8;
    tap_ok(!policy_decide(OFFLOAD_AUTO, model, &call, &residency).device,
           "what is kept is worth an upload of it at most");
}

/* Calls that take long on the host and would save little each pay by what they save, and calls that would take
 * no time on a device by all of the price at the latest. */
static void test_slow_savings(const struct machine_model *model, const struct blas_call *call)
{
    struct machine_model other = *model;
    struct wake_account account = {0};
    int calls = 1;
    const struct predicted_times times = crossover_predict(model, call, 0, true);
    other.call_us += 0.9 * (times.host_us - times.resident_us);
    const double saved = 0.1 * (times.host_us - times.resident_us);
    while (policy_wake(OFFLOAD_AUTO, &other, call, 0, &account) != PURCHASE_NOW)
        calls++;
    tap_ok(calls == (int)ceil(model->wake_us / 2 / saved), "and no sooner than they have saved half of it");
    other = *model;
    account = (struct wake_account){.saved_us = model->wake_us - 1};
    tap_ok(policy_wake(OFFLOAD_AUTO, &other, call, 0, &account) == PURCHASE_NOW && account.host_us == 0,
           "nor later than all of it");
}

static void test_wake(const struct machine_model *model)
{
    struct blas_call call = symv_call(8192);
    struct wake_account account = {0};
    int calls = 0;
    tap_ok(policy_wake(OFFLOAD_ALWAYS, model, &call, 0, &account) == PURCHASE_NOW, "always wakes at once");
    tap_ok(!policy_wake(OFFLOAD_NEVER, model, &call, 0, &account), "never does not wake");
    const struct predicted_times times = crossover_predict(model, &call, 0, true);
    const double saved = times.host_us - times.resident_us;
    while (policy_wake(OFFLOAD_AUTO, model, &call, 0, &account) == PURCHASE_NOT_YET)
        calls++;
    tap_ok(calls > 0 && calls + 1 == (int)ceil(model->wake_us / 5 / saved),
           "auto prepares waking when %d large calls have saved a fifth of its price", calls + 1);
    const int prepared = calls + 1;
    while (policy_wake(OFFLOAD_AUTO, model, &call, 0, &account) == PURCHASE_SOON)
        calls++;
    calls += 2; /* the two that ended the loops */
    tap_ok(calls * saved >= model->wake_us / 2 && calls * saved < model->wake_us &&
               calls == prepared + (int)ceil(model->wake_us * 0.6 / times.host_us) + 1,
           "and wakes when %d have saved half of it and taken most of it meanwhile", calls);
    account = (struct wake_account){0};
    policy_wake(OFFLOAD_AUTO, model, &call, saved / 4, &account);
    tap_ok(fabs(account.saved_us - 0.75 * saved) < 1e-6, "what is lost again is not saved");
    policy_wake(OFFLOAD_AUTO, model, &call, 2 * saved, &account);
    tap_ok(fabs(account.saved_us - 0.75 * saved) < 1e-6, "nor does it take from what was");
    test_slow_savings(model, &call);
    account = (struct wake_account){0};
    tap_ok(policy_wake(OFFLOAD_AUTO, model, &(struct blas_call){.family = FAMILY_SYMV, .type = TYPE_D, .n = 1 << 17,
                                              .a = {call.a.pointer, 1 << 17, 1 << 17, 1 << 17, PART_LOWER}},
                       0, &account) == PURCHASE_NOW, "a call that saves so much wakes at once");
    account = (struct wake_account){0};
    call = symv_call(100);
    calls = 0;
    while (calls < 10000 && !policy_wake(OFFLOAD_AUTO, model, &call, 0, &account))
        calls++;
    tap_ok(calls == 10000 && account.saved_us == 0, "small calls never wake the device");
}

/* How many such calls it takes until then. */
static int calls_until(enum purchase wanted, const struct machine_model *model, const struct blas_call *call,
                       const struct policy_decision *decision, struct level3_accounts *accounts)
{
    int calls = 1;
    while (calls < 10000 && policy_level3(OFFLOAD_AUTO, model, call, decision, accounts) < wanted)
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
    tap_ok(calls_until(PURCHASE_NOW, model, &other, &decision, &accounts) == (int)ceil(model->level3_first_us / 1000),
           "another routine pays for its own first use");
    decision.gain_us = 2 * both;
    tap_ok(calls_until(PURCHASE_NOW, model, &call, &decision, &none) == 1, "a call that gains so much opens it at once");
    tap_ok(!policy_prepares_level3(model, both / 4 - 1, both / 4, model->wake_us) &&
               !policy_prepares_level3(model, both / 4, both, model->wake_us / 4 - 1) &&
               policy_prepares_level3(model, both / 4, 0, model->wake_us / 4) &&
               policy_prepares_level3(model, both / 8, both * 7 / 8, model->wake_us / 4),
           "it is prepared before the device is in use where level 3 has its part and a quarter of waking is paid");
    tap_ok(policy_level3(OFFLOAD_ALWAYS, model, &call, &(struct policy_decision){.device = true},
                         &(struct level3_accounts){0}) == PURCHASE_NOW, "always opens it at once");
    tap_ok(policy_level3(OFFLOAD_NEVER, model, &call, &decision, &(struct level3_accounts){0}) == PURCHASE_NOT_YET,
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
        struct policy_decision decision = policy_decide(OFFLOAD_AUTO, model, &call, &residency);
        struct level3_accounts accounts = {0};
        const bool opens =
            decision.device && policy_level3(OFFLOAD_AUTO, model, &call, &decision, &accounts) == PURCHASE_NOW;
        tap_ok(opens == (n == 8192) && accounts.all_us <= decision.gain_us,
               "the first update of order %d %s cuBLAS", (int)n, opens ? "opens" : "does not open");
        residency.kept_bytes = 0;
        tap_ok(policy_decide(OFFLOAD_AUTO, model, &call, &residency).recurs_us == 0,
               "what is not on the device comes to nothing");
    }
}

static void test_floors(const struct machine_model *model)
{
    tap_ok(policy_floor(OFFLOAD_ALWAYS, model, FAMILY_AXPY, TYPE_S) == 0, "always has no floor");
    tap_ok(policy_floor(OFFLOAD_NEVER, model, FAMILY_SYMV, TYPE_D) == UINT64_MAX, "never has no way over the floor");
    tap_ok(policy_floor(OFFLOAD_AUTO, model, FAMILY_AXPY, TYPE_D) == UINT64_MAX, "axpy never pays over a link");
    uint64_t floor = policy_floor(OFFLOAD_AUTO, model, FAMILY_SYMV, TYPE_D);
    struct blas_call call = symv_call((int64_t)floor - 1);
    struct residency residency = {.trackable = true, .resident = true};
    tap_ok(floor > 1 && !policy_decide(OFFLOAD_AUTO, model, &call, &residency).device,
           "below the floor (%llu) even a resident call stays", (unsigned long long)floor);
}

/* m, n, k with a crossover_size of at most `size`: one of four shapes, cubic, tall, wide, deep. */
static void shape_call(struct blas_call *call, int64_t size, int shape)
{
    int64_t root = (int64_t)sqrt((double)size), cube = (int64_t)cbrt((double)size);
    switch (call->family) {
    case FAMILY_GEMM:
    case FAMILY_SYRK:
    case FAMILY_HERK:
    case FAMILY_SYR2K:
    case FAMILY_HER2K:
        call->m = shape == 0 ? cube : shape == 1 ? size : 1;
        call->n = shape == 0 ? cube : shape == 2 ? (call->family == FAMILY_GEMM ? size : root) : 1;
        call->k = shape == 0 ? cube : shape == 3 ? size : 1;
        break;
    case FAMILY_GEMV:
    case FAMILY_SYMM:
    case FAMILY_HEMM:
    case FAMILY_TRMM:
    case FAMILY_TRSM:
        call->m = shape == 0 ? root : shape == 1 ? size : 1;
        call->n = shape == 0 ? root : shape == 1 ? 1 : size;
        call->side = shape == 3 ? SIDE_RIGHT : SIDE_LEFT;
        break;
    default: call->n = size; break;
    }
}

static struct blas_call call_below(enum blas_family family, enum blas_type type, uint64_t floor, int shape)
{
    static double storage;
    struct blas_call call = {.family = family, .type = type, .a = {.pointer = &storage, .ld = INT64_C(1) << 40}};
    shape_call(&call, (int64_t)floor - 1, shape);
    if (family < FAMILY_GEMM) {
        call.x = (struct blas_vector){.pointer = &storage, .increment = 1};
        call.y = (struct blas_vector){.pointer = family == FAMILY_TRMV ? NULL : &storage, .increment = 1};
    } else {
        call.c = call.a;
        if (family != FAMILY_SYRK && family != FAMILY_HERK && !blas_is_in_place(&call))
            call.b = call.a;
    }
    tap_ok(pack_legal(&call), "family %d, shape %d: a legal call", family, shape);
    call.a.ld = call.a.rows, call.b.ld = call.b.rows, call.c.ld = call.c.rows;
    return call;
}

/* Every family and type: whatever is below its floor is slower on the device, even resident. */
static void test_every_floor(const struct machine_model *model)
{
    for (int family = FAMILY_GEMV; family < FAMILY_COUNT; family++)
        for (int type = 0; type < TYPE_COUNT; type++)
            for (int shape = 0; shape < 4; shape++) {
                uint64_t floor = policy_floor(OFFLOAD_AUTO, model, (enum blas_family)family, (enum blas_type)type);
                struct blas_call call = call_below((enum blas_family)family, (enum blas_type)type, floor, shape);
                struct predicted_times times = crossover_predict(model, &call, 0, true);
                tap_ok(floor > 1 && floor < UINT64_MAX && crossover_size(&call) < floor &&
                           times.host_us < times.resident_us,
                       "family %d, type %d, shape %d: floor %llu is below the crossover", family, type, shape,
                       (unsigned long long)floor);
            }
    tap_ok(policy_floor(OFFLOAD_AUTO, model, FAMILY_HEMV, TYPE_Z) < policy_floor(OFFLOAD_AUTO, model, FAMILY_SYMV, TYPE_D),
           "a complex matrix is large sooner than a real one");
}

/* What the processors are besides many moves the host's times and floors, and nothing else. */
static void test_processors(const struct machine_model *plain)
{
    struct machine_model model = *plain;
    struct blas_call small = symv_call(2000), large = symv_call(8192);
    small.family = FAMILY_TRMV; /* which memory alone holds back */
    crossover_use_processors(&model, 64, 300 << 20);
    tap_ok(crossover_predict(&model, &small, 0, true).host_us < 0.9 * crossover_predict(plain, &small, 0, true).host_us,
           "a matrix in the host's cache is read faster");
    tap_ok(crossover_predict(&model, &large, 0, true).host_us == crossover_predict(plain, &large, 0, true).host_us,
           "a larger one is not");
    tap_ok(crossover_predict(&model, &small, 1 << 20, true).resident_us ==
               crossover_predict(plain, &small, 1 << 20, true).resident_us,
           "nor does the device care");
    tap_ok(policy_floor(OFFLOAD_AUTO, &model, FAMILY_SYMV, TYPE_D) > policy_floor(OFFLOAD_AUTO, plain, FAMILY_SYMV, TYPE_D) &&
               policy_floor(OFFLOAD_AUTO, &model, FAMILY_GEMM, TYPE_D) > policy_floor(OFFLOAD_AUTO, plain, FAMILY_GEMM, TYPE_D),
           "floors rise with the host's speed");
    test_every_floor(&model);
    crossover_use_processors(&model, 16, 4 << 20);
    test_every_floor(&model);
}

/* Beside a kernel that only reads its matrix, and before one that writes it. */
static void test_scan(const struct machine_model *model)
{
    const double bytes = 8.0 * 8192 * 8192, scan_us = bytes * model->scan_us_per_byte;
    struct blas_call reads = symv_call(8192), writes = reads;
    struct machine_model without = *model, twice = *model;
    without.scan_us_per_byte = 0;
    twice.scan_us_per_byte *= 2;
    const double alone_us = crossover_predict(&without, &reads, 0, true).resident_us;
    const double us = crossover_predict(model, &reads, 0, true).resident_us;
    tap_ok(us > alone_us && us < alone_us + 0.9 * scan_us &&
               fabs(crossover_predict(&twice, &reads, 0, true).resident_us - us - scan_us) < 1e-6,
           "of a scan only what is longer than the kernel counts");
    writes.c = writes.a;
    writes.a.pointer = NULL;
    tap_ok(fabs(crossover_predict(model, &writes, 0, true).resident_us - scan_us -
                crossover_predict(&without, &writes, 0, true).resident_us) < 1e-6,
           "all of it where the matrix is written");
}

static void test_complex_times(const struct machine_model *model)
{
    struct blas_call call = symv_call(8192);
    struct machine_model computing = *model; /* a host with memory as fast as may be */
    computing.host_bandwidth = 1e18;
    computing.host_start_us = 0;
    call.family = FAMILY_TRMV;
    double real = crossover_predict(&computing, &call, 0, true).host_us;
    call.type = TYPE_Z;
    double complex = crossover_predict(&computing, &call, 0, true).host_us;
    tap_ok(complex > 3.99 * real && complex < 4.01 * real, "ztrmv computes four times as long as dtrmv");
    call = symv_call(INT64_C(1) << 30);
    tap_ok(crossover_matrix_bytes(&call) == (UINT64_C(1) << 62) + (UINT64_C(1) << 32),
           "the bytes of a triangle of order 2^30 do not overflow");
}

int main(void)
{
    struct machine_model model = crossover_builtin_model(NULL, 16);
    test_modes(&model);
    test_residency(&model);
    test_ski_rental(&model);
    test_setbacks(&model);
    test_level3(&model);
    test_kept_residency(&model);
    test_wake(&model);
    test_opening_level3(&model);
    test_recurring_updates(&model);
    test_floors(&model);
    test_every_floor(&model);
    struct machine_model small = crossover_builtin_model(NULL, 1), large = crossover_builtin_model(NULL, 512);
    test_every_floor(&small);
    test_every_floor(&large);
    test_scan(&model);
    test_processors(&model);
    test_complex_times(&model);
    return tap_done();
}
