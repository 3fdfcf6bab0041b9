#include "parallel.h"

#include <pthread.h>
#include <unistd.h>

enum { THREADS_MOST = 64 };
static const double worth_threads = 4e6;

struct part {
    void (*body)(void *context, size_t begin, size_t end);
    void *context;
    size_t begin, end;
};

static void *run_part(void *argument)
{
    struct part *part = argument;
    part->body(part->context, part->begin, part->end);
    return NULL;
}

void parallel_for(size_t count, double operations, void (*body)(void *context, size_t begin, size_t end),
                  void *context)
{
    pthread_t threads[THREADS_MOST];
    struct part parts[THREADS_MOST];
    long cores = operations < worth_threads ? 1 : sysconf(_SC_NPROCESSORS_ONLN);
    size_t total = cores < 1 ? 1 : cores > THREADS_MOST ? THREADS_MOST : (size_t)cores, started = 0;
    for (size_t i = 0; i < total; i++)
        parts[i] = (struct part){body, context, count * i / total, count * (i + 1) / total};
    while (started + 1 < total && pthread_create(&threads[started], NULL, run_part, &parts[started]) == 0)
        started++;
    for (size_t i = started; i < total; i++)
        run_part(&parts[i]);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}
