#include "mirror/tracking/registration.h"

#include "mirror/mirror.h"

/* Held from a look at a mirror's state to the request that rests on it. */
static pthread_mutex_t registering = PTHREAD_MUTEX_INITIALIZER;

static struct write_tracker *tracker_of(const struct mirror *mirror)
{
    return mirror->resources->tracker;
}

bool registration_is_given_up(const struct mirror *mirror)
{
    return atomic_load(&mirror->registration) == REGISTRATION_GIVEN_UP;
}

enum status registration_add(struct mirror *mirror, uintptr_t begin, uintptr_t end)
{
    enum status status = STATUS_NOT_TRACKABLE;
    pthread_mutex_lock(&registering);
    if (!registration_is_given_up(mirror))
        status = write_tracker_register(tracker_of(mirror), begin, end);
    if (status == STATUS_OK)
        atomic_store(&mirror->registration, REGISTRATION_OURS);
    pthread_mutex_unlock(&registering);
    return status;
}

void registration_pause(struct mirror *mirror, uintptr_t begin, uintptr_t end)
{
    pthread_mutex_lock(&registering);
    if (!registration_is_given_up(mirror))
        write_tracker_unregister(tracker_of(mirror), begin, end);
    pthread_mutex_unlock(&registering);
}

void registration_end(struct mirror *mirror)
{
    registration_pause(mirror, mirror->begin, mirror->end);
    atomic_store(&mirror->registration, REGISTRATION_NONE);
}

void registration_take_over(struct mirror *mirror)
{
    atomic_store(&mirror->registration, REGISTRATION_OURS);
}

void registration_inherit(struct mirror *mirror, const struct mirror *old)
{
    if (registration_is_given_up(old))
        atomic_store(&mirror->registration, REGISTRATION_GIVEN_UP);
}

bool registration_give_up(struct mirror *mirror)
{
    pthread_mutex_lock(&registering);
    const bool ours = atomic_load(&mirror->registration) == REGISTRATION_OURS;
    if (ours) {
        atomic_store(&mirror->registration, REGISTRATION_GIVEN_UP);
        write_tracker_unregister(tracker_of(mirror), mirror->begin, mirror->end);
    }
    pthread_mutex_unlock(&registering);
    return ours;
}
