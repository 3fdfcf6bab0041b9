/* User objects: what graphs hold on to, with destructors on a thread of the driver's own. */
#include "emulated_driver/internal.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct CUuserObject_st {
    void *data;
    void (*destroy)(void *data);
    unsigned references;
    CUuserObject next; /* of those without references */
};

/* Apart from the driver's lock, which the program may hold while it waits for a destructor. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    CUuserObject first, *last;
    bool started, busy;
} unreferenced = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER,
                  .last = &unreferenced.first};
static _Thread_local bool in_destructor;

bool user_object_destructing(void)
{
    return in_destructor;
}

static CUuserObject take_first(void)
{
    CUuserObject object = unreferenced.first;
    unreferenced.first = object->next;
    if (!unreferenced.first)
        unreferenced.last = &unreferenced.first;
    return object;
}

static void *destroy_for_ever(void *unused)
{
    pthread_mutex_lock(&unreferenced.lock);
    for (;;) {
        while (!unreferenced.first)
            pthread_cond_wait(&unreferenced.changed, &unreferenced.lock);
        CUuserObject object = take_first();
        unreferenced.busy = true;
        pthread_mutex_unlock(&unreferenced.lock);
        in_destructor = true;
        object->destroy(object->data);
        in_destructor = false;
        free(object);
        pthread_mutex_lock(&unreferenced.lock);
        unreferenced.busy = false;
        pthread_cond_broadcast(&unreferenced.changed);
    }
    return unused;
}

/* The thread is to take none of the program's signals. */
static void start_thread(void)
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, destroy_for_ever, NULL) != 0)
        emulated_abort("there is no thread for the destructors of user objects");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_detach(thread);
    unreferenced.started = true;
}

void user_object_retain(CUuserObject object, unsigned references)
{
    object->references += references;
}

void user_object_drop(CUuserObject object, unsigned references)
{
    if (references > object->references)
        emulated_abort("a user object loses %u references of %u", references, object->references);
    object->references -= references;
    if (object->references > 0)
        return;
    pthread_mutex_lock(&unreferenced.lock);
    if (!unreferenced.started)
        start_thread();
    *unreferenced.last = object;
    unreferenced.last = &object->next;
    pthread_cond_broadcast(&unreferenced.changed);
    pthread_mutex_unlock(&unreferenced.lock);
}

EXPORT void emulated_await_destructors(void)
{
    pthread_mutex_lock(&unreferenced.lock);
    while (unreferenced.first || unreferenced.busy)
        pthread_cond_wait(&unreferenced.changed, &unreferenced.lock);
    pthread_mutex_unlock(&unreferenced.lock);
}

EXPORT CUresult cuUserObjectCreate(CUuserObject *object, void *data, void (*destroy)(void *data),
                                   unsigned references, unsigned flags)
{
    API_BEGIN(cuUserObjectCreate);
    if (!object || !destroy || references == 0 || flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
        API_FAIL(CUDA_ERROR_INVALID_VALUE);
    *object = calloc(1, sizeof **object);
    if (!*object)
        emulated_abort("out of host memory");
    **object = (struct CUuserObject_st){.data = data, .destroy = destroy, .references = references};
    API_END;
}

EXPORT CUresult cuUserObjectRelease(CUuserObject object, unsigned references)
{
    API_BEGIN(cuUserObjectRelease);
    if (!object || references == 0)
        API_FAIL(CUDA_ERROR_INVALID_VALUE);
    user_object_drop(object, references);
    API_END;
}
