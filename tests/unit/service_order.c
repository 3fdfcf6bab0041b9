/* Threads of a service's client hand a vector on from stream to stream: each adds its own numbers to it,
 * behind the event that the thread before has recorded, and the last one alone waits. A wait that the service
 * took before its record, or not at all, gives other sums. Meanwhile each makes copies in a stream of its
 * own. Prints "right", or what is wrong. Arguments: threads (at most 16), rounds. */
#include "gpu/launch.h"
#include "service/client/link.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 200, BYTES = COUNT * sizeof(double), THREADS_MOST = 16 };

static struct driver table;
static int threads, rounds;
static CUdeviceptr sum;
static atomic_int turn; /* threads that have added, of all rounds */
static atomic_bool is_wrong;

static struct adder {
    pthread_t thread;
    int number;
    CUstream stream, aside;
    CUevent event;
    CUdeviceptr numbers;
    double *host, *found; /* pinned */
} adders[THREADS_MOST];

static void must(CUresult result, const char *what)
{
    if (result == CUDA_SUCCESS)
        return;
    printf("%s fails (%d)\n", what, (int)result);
    exit(1);
}
#define MUST(call) must(call, #call)

static void complain(const char *what, int round, double found, double wanted)
{
    if (!atomic_exchange(&is_wrong, true))
        printf("%s of round %d is %g, and should be %g\n", what, round, found, wanted);
}

static double number_of(int adder, int round, int place)
{
    return (adder + 1) * 1000 + round * 10 + place % 10;
}

/* Nobody waits for these but the thread itself. */
static void copy_aside(const struct adder *adder, int round)
{
    adder->found[0] = -1;
    MUST(table.copy_to_device_async(adder->numbers + BYTES, adder->host, BYTES, adder->aside));
    MUST(table.copy_to_host_async(adder->found, adder->numbers + BYTES, BYTES, adder->aside));
    MUST(table.stream_synchronise(adder->aside));
    if (adder->found[COUNT - 1] != adder->host[COUNT - 1])
        complain("a copy", round, adder->found[COUNT - 1], adder->host[COUNT - 1]);
}

static void add(const struct adder *adder)
{
    const struct blas_call call = {.family = FAMILY_AXPY, .type = TYPE_D, .n = COUNT,
                                   .alpha = blas_scalar_of(TYPE_D, 1),
                                   .x = {device_pointer(adder->numbers), COUNT, 1},
                                   .y = {device_pointer(sum), COUNT, 1}};
    struct launch_plan plan;
    CUfunction function;
    void *parameters[] = {&plan.arguments};
    if (launch_plan_make(&call, &plan) != STATUS_OK)
        exit(2);
    MUST(table.module_function(&function, NULL, kernel_name(plan.kernel)));
    MUST(table.launch_kernel(function, (unsigned)plan.items, 1, 1, plan.threads, 1, 1,
                             (unsigned)plan.shared_bytes, adder->stream, parameters, NULL));
}

/* Every other time by the event. */
static void look(const struct adder *adder, int round)
{
    MUST(table.copy_to_host_async(adder->found, sum, BYTES, adder->stream));
    MUST(table.event_record(adder->event, adder->stream));
    MUST(round % 2 ? table.event_synchronise(adder->event) : table.stream_synchronise(adder->stream));
    for (int place = 0; place < COUNT; place++) {
        double wanted = 0;
        for (int i = 0; i < threads; i++)
            wanted += number_of(i, round, place);
        if (adder->found[place] != wanted)
            complain("a sum", round, adder->found[place], wanted);
    }
}

static void take_turn(const struct adder *adder, int round)
{
    const int mine = round * threads + adder->number;
    while (atomic_load(&turn) != mine)
        copy_aside(adder, round);
    if (adder->number == 0)
        MUST(table.memory_set_async(sum, 0, BYTES, adder->stream));
    else
        MUST(table.stream_wait_event(adder->stream, adders[adder->number - 1].event, 0));
    add(adder);
    if (adder->number < threads - 1)
        MUST(table.event_record(adder->event, adder->stream));
    else
        look(adder, round);
    atomic_store(&turn, mine + 1);
}

static void *run(void *argument)
{
    const struct adder *const adder = argument;
    for (int round = 0; round < rounds && !atomic_load(&is_wrong); round++) {
        for (int place = 0; place < COUNT; place++)
            adder->host[place] = number_of(adder->number, round, place);
        MUST(table.copy_to_device_async(adder->numbers, adder->host, BYTES, adder->stream));
        take_turn(adder, round);
        /* The last one has seen the sum, and so all that was before: the numbers may change. */
        while (atomic_load(&turn) < (round + 1) * threads && !atomic_load(&is_wrong))
            copy_aside(adder, round);
    }
    return NULL;
}

static void make(struct adder *adder, int number)
{
    void *host;
    adder->number = number;
    MUST(table.stream_create(&adder->stream, CU_STREAM_NON_BLOCKING));
    MUST(table.stream_create(&adder->aside, CU_STREAM_NON_BLOCKING));
    MUST(table.event_create(&adder->event, CU_EVENT_DISABLE_TIMING));
    MUST(table.memory_allocate(&adder->numbers, 2 * BYTES));
    MUST(table.pinned_allocate(&host, 2 * BYTES, 0));
    adder->host = host;
    adder->found = adder->host + COUNT;
}

int main(int count, char **arguments)
{
    const char *why = NULL;
    threads = count > 1 ? atoi(arguments[1]) : 2;
    rounds = count > 2 ? atoi(arguments[2]) : 1;
    if (threads < 2 || threads > THREADS_MOST || !link_open(&why)) {
        printf("no service: %s\n", why ? why : "none is there");
        return 1;
    }
    service_fill_table(&table);
    MUST(table.memory_allocate(&sum, BYTES));
    for (int i = 0; i < threads; i++)
        make(&adders[i], i);
    for (int i = 0; i < threads; i++)
        if (pthread_create(&adders[i].thread, NULL, run, &adders[i]) != 0)
            return 2;
    for (int i = 0; i < threads; i++)
        pthread_join(adders[i].thread, NULL);
    if (!atomic_load(&is_wrong))
        puts("right");
    return atomic_load(&is_wrong);
}
