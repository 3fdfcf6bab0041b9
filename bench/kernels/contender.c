#include "contender.h"

#include "cublas_peer.h"
#include "gpu/launch.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct calls {
    enum contender who;
    const struct operands *operands;
    const struct bench_case *wanted;
    const struct rotation *rotation;
};

static enum status queue(void *context, int number)
{
    const struct calls *calls = context;
    const struct blas_call call = operands_call(calls->operands, calls->wanted, calls->rotation, number);
    if (calls->who == CONTENDER_MUBLAS)
        return launch(calls->operands->memory.lane, &call);
    return cublas_peer_queue(&call);
}

/* With a rotation, fill its vectors anew. */
static enum status prepare(enum contender who, const struct operands *operands, const struct bench_case *wanted,
                           const struct rotation *rotation)
{
    if (who != CONTENDER_MUBLAS && cublas_peer_set_atomics(who == CONTENDER_CUBLAS_ATOMICS) != STATUS_OK)
        return STATUS_DEVICE_ERROR;
    return rotation ? operands_refresh(operands, wanted, rotation) : STATUS_OK;
}

enum status contender_time(enum contender who, const struct operands *operands, const struct bench_case *wanted,
                           const struct replay_settings *settings, const struct rotation *rotation,
                           struct timing *timing)
{
    struct calls calls = {who, operands, wanted, rotation};
    enum status status = prepare(who, operands, wanted, wanted->family == FAMILY_AXPY ? NULL : rotation);
    if (status != STATUS_OK)
        return status;
    return replay_time(operands->memory.lane, settings, rotation->calls, queue, &calls, timing);
}

/* The result vector of the first call, in host memory to be freed. */
static enum status run_once(enum contender who, const struct operands *operands, const struct bench_case *wanted,
                            const struct rotation *rotation, void *result, size_t bytes)
{
    const struct rotation first = {.calls = 1, .matrices = 1, .vectors = 1,
                                   .matrix_stride = rotation->matrix_stride, .vector_stride = rotation->vector_stride};
    struct calls calls = {who, operands, wanted, &first};
    struct lane *lane = operands->memory.lane;
    const struct blas_call call = operands_call(operands, wanted, &first, 0);
    const bool in_place = wanted->family == FAMILY_TRMV && who != CONTENDER_MUBLAS;
    enum status status = prepare(who, operands, wanted, &first);
    if (status == STATUS_OK)
        status = queue(&calls, 0);
    if (status == STATUS_OK)
        status = device_check(lane->device,
                              driver()->copy_to_host_async(result,
                                                           (uintptr_t)(in_place ? call.x.pointer : call.y.pointer),
                                                           bytes, lane->stream),
                              "copying a result");
    return status == STATUS_OK ? lane_synchronise(lane, "running a call to be compared") : status;
}

static double tolerance(const struct bench_case *wanted)
{
    const bool single = wanted->type == TYPE_S || wanted->type == TYPE_C;
    const double terms = wanted->family == FAMILY_AXPY ? 1 : (double)case_x_length(wanted);
    const double eps = single ? (double)FLT_EPSILON : DBL_EPSILON, most = operands_magnitude(wanted->type);
    return 8 * eps * (terms * most * most + most);
}

static bool compare(const struct bench_case *wanted, const void *one, const void *other, int64_t reals)
{
    const bool single = wanted->type == TYPE_S || wanted->type == TYPE_C;
    const double most = tolerance(wanted);
    char flags[4];
    for (int64_t i = 0; i < reals; i++) {
        const double a = single ? (double)((const float *)one)[i] : ((const double *)one)[i];
        const double b = single ? (double)((const float *)other)[i] : ((const double *)other)[i];
        if (fabs(a - b) <= most)
            continue;
        case_flags(wanted, flags);
        fprintf(stderr,
                "measure: %c%s %s m=%lld n=%lld %s: contenders disagree: real number %lld of the result is %.17g and "
                "%.17g, %.3g times what may be\n",
                case_type_letter(wanted->type), case_routine(wanted), flags, (long long)wanted->m,
                (long long)wanted->n, case_layout(wanted->layout), (long long)i, a, b, fabs(a - b) / most);
        return false;
    }
    return true;
}

enum status contender_agree(enum contender one, enum contender other, const struct operands *operands,
                            const struct bench_case *wanted, const struct rotation *rotation, bool *agree)
{
    const size_t bytes = (size_t)case_y_length(wanted) * blas_element_bytes(wanted->type);
    const bool single = wanted->type == TYPE_S || wanted->type == TYPE_C;
    void *left = malloc(bytes), *right = malloc(bytes);
    enum status status = left && right ? STATUS_OK : STATUS_OUT_OF_MEMORY;
    *agree = false;
    if (status == STATUS_OK)
        status = run_once(one, operands, wanted, rotation, left, bytes);
    if (status == STATUS_OK)
        status = run_once(other, operands, wanted, rotation, right, bytes);
    if (status == STATUS_OK)
        *agree = compare(wanted, left, right, (int64_t)(bytes / (single ? sizeof(float) : sizeof(double))));
    free(left);
    free(right);
    return status;
}
