/* measure.c - the kernel bench: mublas' kernels, cuBLAS in both modes and a read roof in one
 * process, over routines, types, flags, sizes and layouts. measure -h lists the options;
 * report.py makes plots and the summary of its -o file.
 *
 * Device time is the median of replays of a CUDA graph of at least 20 calls over rotating
 * operands, divided by the calls; roof(n) is the best of some plain read kernels over as
 * many bytes, timed the same way. */
#include "bench/timing.h"
#include "agreement.h"
#include "cublas_peer.h"
#include "options.h"
#include "output.h"
#include "roof.h"

#include "gpu/launch.h"

#include <stdio.h>
#include <stdlib.h>

struct session {
    struct options options;
    struct replay_settings settings;
    struct operands operands;
    size_t l2_bytes;
    bool roof, peers;
    int disagreements, measured;
};

enum { TRMV_ATOMICS_MOST = 4096 };
static const double ROOF_BYTES = 4294967296.0;

static void __attribute__((noreturn)) stop(const char *what, enum status status)
{
    fprintf(stderr, "measure: %s: %s\n", what, status_text(status));
    exit(1);
}

static void demand(enum status status, const char *what)
{
    if (status != STATUS_OK)
        stop(what, status);
}

static void allocate(struct session *session, struct lane *lane, const struct case_list *list)
{
    size_t pool = 0, vectors = 256;
    for (size_t i = 0; i < list->count; i++)
        operands_want(&list->cases[i], session->options.pool_bytes, session->l2_bytes, &pool, &vectors);
    if (session->roof && session->options.pool_bytes > (size_t)ROOF_BYTES)
        pool = session->options.pool_bytes;
    demand(tuning_pool_open(&session->operands.memory, lane, pool, vectors),
           "allocating operands (-m takes less)");
}

/* The roof of 4 GiB, at the begin and at the end: has the device kept its pace? */
static void note_large_roof(struct session *session, const char *when)
{
    double seconds = 0;
    if (!session->roof || session->operands.memory.matrix_bytes < (size_t)ROOF_BYTES)
        return;
    demand(roof_measure(&session->operands, &session->settings, ROOF_READ, ROOF_BYTES, false, &seconds),
           "measuring the roof");
    output_note(session->options.csv, "roof_4gib_%s: %.1f GB/s", when, 1e-9 * ROOF_BYTES / seconds);
}

/* A peer that agrees is timed. One that does not is not: it may have done anything. */
static enum status measure_peer(struct session *session, enum contender who, struct result *result,
                                const struct rotation *rotation)
{
    enum agreement agreement;
    enum status status = agreement_check(who, &session->operands, result->wanted, rotation, &agreement);
    if (status != STATUS_OK)
        return status;
    if (agreement > result->agreement)
        result->agreement = agreement;
    if (agreement != AGREEMENT_AGREES)
        return STATUS_OK;
    return contender_time(who, &session->operands, result->wanted, &session->settings, rotation,
                          &result->timings[who]);
}

static void measure_peers(struct session *session, struct result *result, const struct rotation *rotation)
{
    const struct blas_call first = operands_call(&session->operands, result->wanted, rotation, 0);
    if (!session->peers || !cublas_peer_supports(&first))
        return;
    for (int who = CONTENDER_CUBLAS; who < CONTENDER_COUNT; who++) {
        /* cuBLAS has atomics for symv and hemv only, and its trmv is slow: half the time of a whole run. */
        if (who == CONTENDER_CUBLAS_ATOMICS && first.family == FAMILY_TRMV && first.n > TRMV_ATOMICS_MOST)
            continue;
        enum status status = measure_peer(session, (enum contender)who, result, rotation);
        if (status != STATUS_UNSUPPORTED)
            demand(status, "measuring cuBLAS");
    }
}

/* By the shape that is overriding, or chosen. */
static void measure_case_now(struct session *session, const struct bench_case *wanted, const char *shape)
{
    const struct rotation rotation = rotation_of_case(&session->operands, wanted, session->l2_bytes);
    const struct blas_call first = operands_call(&session->operands, wanted, &rotation, 0);
    struct result result = {.wanted = wanted, .calls = rotation.calls, .shape = shape};
    if (!launch_supported(&first))
        return;
    measure_peers(session, &result, &rotation);
    session->disagreements += result.agreement > AGREEMENT_AGREES;
    demand(contender_time(CONTENDER_MUBLAS, &session->operands, wanted, &session->settings, &rotation,
                          &result.timings[CONTENDER_MUBLAS]),
           "timing mublas");
    if (session->roof)
        demand(roof_seconds(&session->operands, &session->settings,
                            wanted->family == FAMILY_AXPY ? ROOF_UPDATE : ROOF_READ, case_bytes(wanted),
                            wanted->warm, &result.roof_seconds),
               "measuring the roof");
    /* What axpy left in the pool are no numbers of another type. */
    if (wanted->family == FAMILY_AXPY)
        demand(operands_refresh(&session->operands, wanted, &rotation), "filling operands");
    output_result(session->options.csv, &result);
    session->measured++;
}

static void measure_case(struct session *session, const struct bench_case *wanted)
{
    const struct shape_list *shapes = &session->options.shapes;
    const struct rotation rotation = rotation_of_case(&session->operands, wanted, session->l2_bytes);
    const struct blas_call first = operands_call(&session->operands, wanted, &rotation, 0);
    if (shapes->count == 0)
        measure_case_now(session, wanted, NULL);
    for (int i = 0; i < shapes->count; i++) {
        const struct given_shape *given = &shapes->shapes[i];
        const char *fault = shape_list_fault(&first, given);
        if (fault) {
            output_skipped(session->options.csv, wanted, given->text, fault);
            continue;
        }
        launch_shape_override(given->shape);
        measure_case_now(session, wanted, given->text);
    }
    launch_shape_override((struct launch_shape){.edge = 0});
}

static void measure_all(struct session *session, const struct case_list *list, double start)
{
    size_t done = 0;
    while (done < list->count && seconds_now() - start < session->options.time_limit)
        measure_case(session, &list->cases[done++]);
    if (done < list->count)
        output_note(session->options.csv,
                    "TIME LIMIT: %zu of %zu cases were not measured (-T gives more seconds)",
                    list->count - done, list->count);
    output_note(session->options.csv, "%zu cases in %.0f s", done, seconds_now() - start);
}

static struct lane *wake(struct session *session)
{
    static struct device_scope scope;
    struct device *device;
    struct lane *lane;
    demand(device_wake(&device), "waking the device");
    demand(device_enter(device, &scope), "entering the device");
    demand(lane_acquire(device, &lane), "making a stream");
    session->l2_bytes = device_properties(device)->l2_bytes;
    if (!session->options.plain && !replay_open())
        exit(1);
    session->roof = session->options.roof && roof_open(device);
    session->peers = session->options.peers && cublas_peer_open(lane);
    return lane;
}

int main(int count, char **arguments)
{
    const double start = seconds_now();
    struct session session = {.options = options_read(count, arguments)};
    session.settings = (struct replay_settings){.plain = session.options.plain,
                                                .most = session.options.replays,
                                                .budget = session.options.budget_seconds};
    struct lane *lane = wake(&session);
    struct case_list list = case_list_make(&session.options, session.l2_bytes);
    if (list.count == 0) {
        fprintf(stderr, "measure: the options leave no case to measure\n");
        return 2;
    }
    allocate(&session, lane, &list);
    output_begin(&session.options, device_properties(lane->device), count, arguments);
    note_large_roof(&session, "begin");
    measure_all(&session, &list, start);
    note_large_roof(&session, "end");
    free(list.cases);
    if (session.disagreements)
        fprintf(stderr, "measure: mublas and cuBLAS disagree in %d cases\n", session.disagreements);
    if (session.options.shapes.count && !session.measured && session.options.time_limit > 0) {
        fprintf(stderr, "measure: -s: the shapes suit none of the cases\n");
        return 2;
    }
    return session.disagreements ? 1 : 0;
}
