/* Threads that never end, as the real driver's: seen on an H100, by their names there. */
#include "emulated_driver/internal.h"

#include <pthread.h>
#include <unistd.h>

static void *last(void *name)
{
    pthread_setname_np(pthread_self(), name);
    for (;;)
        pause();
    return NULL;
}

void lasting_begin(void)
{
    static char names[][16] = {"cuda00001400006", "cuda-EvtHandlr"};
    pthread_t thread;
    for (size_t i = 0; options()->lasting_threads && i < sizeof names / sizeof *names; i++)
        if (pthread_create(&thread, NULL, last, names[i]) != 0 || pthread_detach(thread) != 0)
            emulated_abort("no lasting thread");
}
