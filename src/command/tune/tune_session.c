#include "command/tune/tune_session.h"

#include "command/commands.h"
#include "tuner/learn/timing/graph_replay.h"

#include <stdio.h>
#include <string.h>

enum { VECTOR_BYTES = 256 << 20 };

static int refuse(int exit_status, const char *what, enum status status)
{
    fprintf(stderr, "mublas tune: %s: %s (mublas doctor says what to do)\n", what, status_text(status));
    return exit_status;
}

static enum status limit(struct tune_session *session, size_t *memory, size_t *vectors)
{
    size_t free_bytes = 0, total_bytes = 0;
    const enum status status = device_check(session->device, driver()->memory_info(&free_bytes, &total_bytes),
                                            "asking for free device memory");
    *vectors = VECTOR_BYTES;
    if (*memory > free_bytes / 10 * 7)
        *memory = free_bytes / 10 * 7;
    if (*vectors > *memory / 4)
        *vectors = *memory / 4;
    *memory += 1 << 20; /* a matrix of just so many bytes has its alignment, too */
    return status;
}

static enum status open_memory(struct tune_session *session, size_t memory)
{
    size_t vectors;
    enum status status = lane_acquire(session->device, &session->lane);
    if (status != STATUS_OK)
        return status;
    status = limit(session, &memory, &vectors);
    if (status == STATUS_OK)
        status = device_check(session->device, occupancy_read_limits(&session->limits),
                              "asking for the device's limits");
    if (status == STATUS_OK)
        status = tuning_pool_open(&session->pool, session->lane, memory, vectors);
    if (status != STATUS_OK)
        lane_release(session->lane);
    return status;
}

int tune_session_open(struct tune_session *session, size_t memory, const volatile bool *stop)
{
    memset(session, 0, sizeof *session);
    enum status status = device_wake(&session->device);
    if (status != STATUS_OK)
        return refuse(EXIT_NO_DEVICE, "no device to tune", status);
    const struct device_properties *properties = device_properties(session->device);
    session->signature = recipe_signature_of(properties);
    status = device_enter(session->device, &session->scope);
    if (status != STATUS_OK)
        return refuse(EXIT_NO_DEVICE, "no device to tune", status);
    const bool has_graphs = graph_replay_open();
    status = has_graphs ? open_memory(session, memory) : STATUS_UNSUPPORTED;
    if (status != STATUS_OK) {
        device_leave(session->device, &session->scope);
        return refuse(1, has_graphs ? "no memory to tune with" : "this driver has no graphs", status);
    }
    session->timer = (struct shape_timer){.pool = &session->pool,
                                          .lane = session->lane,
                                          .stop = stop,
                                          .bandwidth = properties->memory_bandwidth,
                                          .random_state = 20261122};
    return 0;
}

void tune_session_close(struct tune_session *session)
{
    tuning_pool_close(&session->pool);
    lane_release(session->lane);
    device_leave(session->device, &session->scope);
    device_close(session->device); /* a second context makes every launch of the first one slower */
}
