#include "contender.h"

#include "cublas_peer.h"
#include "gpu/launch.h"

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
static enum status prepare(enum contender who, const struct operands *operands,
                           const struct bench_case *wanted, const struct rotation *rotation)
{
    if (who != CONTENDER_MUBLAS && cublas_peer_set_atomics(who == CONTENDER_CUBLAS_ATOMICS) != STATUS_OK)
        return STATUS_DEVICE_ERROR;
    return rotation ? operands_refresh(operands, wanted, rotation) : STATUS_OK;
}

enum status contender_time(enum contender who, const struct operands *operands,
                           const struct bench_case *wanted, const struct replay_settings *settings,
                           const struct rotation *rotation, struct timing *timing)
{
    struct calls calls = {who, operands, wanted, rotation};
    enum status status = prepare(who, operands, wanted, wanted->family == FAMILY_AXPY ? NULL : rotation);
    if (status != STATUS_OK)
        return status;
    return replay_time(operands->memory.lane, settings, rotation->calls, queue, &calls, timing);
}

/* The rotation's first pair of operands alone. */
static struct rotation first_of(const struct rotation *rotation)
{
    return (struct rotation){.calls = 1,
                             .matrices = 1,
                             .vectors = 1,
                             .matrix_stride = rotation->matrix_stride,
                             .vector_stride = rotation->vector_stride};
}

struct blas_call contender_first_call(const struct operands *operands, const struct bench_case *wanted,
                                      const struct rotation *rotation)
{
    const struct rotation first = first_of(rotation);
    return operands_call(operands, wanted, &first, 0);
}

enum status contender_refresh(const struct operands *operands, const struct bench_case *wanted,
                              const struct rotation *rotation)
{
    const struct rotation first = first_of(rotation);
    return operands_refresh(operands, wanted, &first);
}

enum status contender_run_once(enum contender who, const struct operands *operands,
                               const struct bench_case *wanted, const struct rotation *rotation, void *result,
                               size_t bytes)
{
    const struct rotation first = first_of(rotation);
    struct calls calls = {who, operands, wanted, &first};
    struct lane *lane = operands->memory.lane;
    const struct blas_call call = operands_call(operands, wanted, &first, 0);
    const bool in_place = wanted->family == FAMILY_TRMV && who != CONTENDER_MUBLAS;
    enum status status = prepare(who, operands, wanted, &first);
    if (status == STATUS_OK)
        status = queue(&calls, 0);
    if (status == STATUS_OK)
        status = device_check(
            lane->device,
            driver()->copy_to_host_async(result, (uintptr_t)(in_place ? call.x.pointer : call.y.pointer),
                                         bytes, lane->stream),
            "copying a result");
    return status == STATUS_OK ? lane_synchronise(lane, "running a call to be compared") : status;
}
