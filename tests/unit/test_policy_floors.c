/* Floors, and the foretold times that they and the policy stand on. */
#include "common/blas_call.h"
#include "interpose/entries/pack.h"
#include "policy_calls.h"
#include "predicted_call.h"
#include "tap.h"
#include "unit_test.h"

#include <math.h>

static void test_floors(const struct machine_model *model)
{
    tap_ok(policy_floor(OFFLOAD_ALWAYS, model, FAMILY_AXPY, TYPE_S) == 0, "always has no floor");
    tap_ok(policy_floor(OFFLOAD_NEVER, model, FAMILY_SYMV, TYPE_D) == UINT64_MAX,
           "never has no way over the floor");
    tap_ok(policy_floor(OFFLOAD_AUTO, model, FAMILY_AXPY, TYPE_D) == UINT64_MAX,
           "axpy never pays over a link");
    uint64_t floor = policy_floor(OFFLOAD_AUTO, model, FAMILY_SYMV, TYPE_D);
    struct blas_call call = symv_call((int64_t)floor - 1);
    struct residency residency = {.trackable = true, .resident = true};
    tap_ok(floor > 1 && !decide(OFFLOAD_AUTO, model, &call, &residency).device,
           "below the floor (%llu) even a resident call stays", (unsigned long long)floor);
}

/* m, n, k with a call_gated_size of at most `size`: one of four shapes, cubic, tall, wide, deep. */
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
    struct blas_call call = {
        .family = family, .type = type, .a = {.pointer = &storage, .ld = INT64_C(1) << 40}};
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
                uint64_t floor = policy_floor(OFFLOAD_AUTO, model, (enum blas_family)family,
                                              (enum blas_type)type);
                struct blas_call call = call_below((enum blas_family)family, (enum blas_type)type, floor,
                                                   shape);
                struct predicted_times times = predicted_call(model, &call, 0, true);
                tap_ok(floor > 1 && floor < UINT64_MAX && call_gated_size(&call) < floor &&
                           times.host_us < times.resident_us,
                       "family %d, type %d, shape %d: floor %llu is below the crossover", family, type, shape,
                       (unsigned long long)floor);
            }
    tap_ok(policy_floor(OFFLOAD_AUTO, model, FAMILY_HEMV, TYPE_Z) <
               policy_floor(OFFLOAD_AUTO, model, FAMILY_SYMV, TYPE_D),
           "a complex matrix is large sooner than a real one");
}

/* The processors' kind, besides their number, moves the host's times and floors, and nothing else. */
static void test_processors(const struct machine_model *plain)
{
    struct machine_model model = *plain;
    struct blas_call small = symv_call(2000), large = symv_call(8192);
    small.family = FAMILY_TRMV; /* which memory alone holds back */
    crossover_use_processors(&model, 64, 300 << 20);
    tap_ok(predicted_call(&model, &small, 0, true).host_us <
               0.9 * predicted_call(plain, &small, 0, true).host_us,
           "a matrix in the host's cache is read faster");
    tap_ok(predicted_call(&model, &large, 0, true).host_us ==
               predicted_call(plain, &large, 0, true).host_us,
           "a larger one is not");
    tap_ok(predicted_call(&model, &small, 1 << 20, true).resident_us ==
               predicted_call(plain, &small, 1 << 20, true).resident_us,
           "nor does the device care");
    tap_ok(policy_floor(OFFLOAD_AUTO, &model, FAMILY_SYMV, TYPE_D) >
                   policy_floor(OFFLOAD_AUTO, plain, FAMILY_SYMV, TYPE_D) &&
               policy_floor(OFFLOAD_AUTO, &model, FAMILY_GEMM, TYPE_D) >
                   policy_floor(OFFLOAD_AUTO, plain, FAMILY_GEMM, TYPE_D),
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
    const double alone_us = predicted_call(&without, &reads, 0, true).resident_us;
    const double us = predicted_call(model, &reads, 0, true).resident_us;
    tap_ok(us > alone_us && us < alone_us + 0.9 * scan_us &&
               fabs(predicted_call(&twice, &reads, 0, true).resident_us - us - scan_us) < 1e-6,
           "of a scan only what is longer than the kernel counts");
    writes.c = writes.a;
    writes.a.pointer = NULL;
    tap_ok(fabs(predicted_call(model, &writes, 0, true).resident_us - scan_us -
                predicted_call(&without, &writes, 0, true).resident_us) < 1e-6,
           "all of it where the matrix is written");
}

static void test_complex_times(const struct machine_model *model)
{
    struct blas_call call = symv_call(8192);
    struct machine_model computing = *model; /* a host with memory as fast as may be */
    computing.host_bandwidth = 1e18;
    computing.host_start_us = 0;
    call.family = FAMILY_TRMV;
    double real = predicted_call(&computing, &call, 0, true).host_us;
    call.type = TYPE_Z;
    double complex = predicted_call(&computing, &call, 0, true).host_us;
    tap_ok(complex > 3.99 * real && complex < 4.01 * real, "ztrmv computes four times as long as dtrmv");
    call = symv_call(INT64_C(1) << 30);
    tap_ok(call_work_of(&call).matrix_bytes == 0x1p62 + 0x1p32,
           "the bytes of a triangle of order 2^30 do not overflow");
}

/* The host has one thread for a packed triangle. */
static void test_packed_times(const struct machine_model *model)
{
    struct blas_call square = symv_call(4096), packed = square;
    packed.family = FAMILY_SPMV;
    packed.a = (struct blas_matrix){square.a.pointer, 4096 * 4097 / 2, 1, 4096 * 4097 / 2, PART_FULL};
    const double square_us = predicted_call(model, &square, 0, true).host_us;
    const double packed_us = predicted_call(model, &packed, 0, true).host_us;
    tap_ok(packed_us > 8 * square_us && packed_us > 3500 && packed_us < 6000,
           "dspmv 4096 takes 4.7 ms on the host, not dsymv's 0.3");
    tap_ok(policy_floor(OFFLOAD_AUTO, model, FAMILY_SPMV, TYPE_D) < policy_floor(OFFLOAD_AUTO, model, FAMILY_SYMV, TYPE_D),
           "so it is large sooner");
}

UNIT_TEST(test_policy_floors)
{
    struct machine_model model = crossover_builtin_model(NULL, 16);
    struct machine_model small = crossover_builtin_model(NULL, 1), large = crossover_builtin_model(NULL, 512);
    test_floors(&model);
    test_every_floor(&model);
    test_every_floor(&small);
    test_every_floor(&large);
    crossover_use_reference_host(&large);
    test_every_floor(&large);
    test_scan(&model);
    test_processors(&model);
    test_complex_times(&model);
    test_packed_times(&model);
    return tap_done();
}
