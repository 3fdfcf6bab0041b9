#include "host/calling_objects.h"
#include "host/loaded_object.h"

#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

/* Filled by who holds `busy`; emptied by whoever unloads, at any time: by `end` alone. Until
 * `blocked` libraries were unloaded in this process, what was there may not be gone yet. */
static struct kept_object {
    atomic_uint version; /* odd while it is being filled */
    _Atomic uintptr_t start, end;
    _Atomic uint64_t blocked;
    atomic_int numbers[INTERFACE_COUNT];
    pid_t process; /* that kept it */
    void (*forget)(uintptr_t start, uintptr_t end);
} kept[256];
enum { KEPT_MAX = sizeof kept / sizeof *kept };
static atomic_flag busy = ATOMIC_FLAG_INIT;

static bool try_lock(void)
{
    return !atomic_flag_test_and_set_explicit(&busy, memory_order_acquire);
}

static void unlock(void)
{
    atomic_flag_clear_explicit(&busy, memory_order_release);
}

struct calling_object calling_objects_find(uintptr_t caller, enum interface interface)
{
    for (int i = 0; i < KEPT_MAX; i++) {
        unsigned version = kept[i].version;
        struct calling_object found = {kept[i].start, kept[i].end, kept[i].numbers[interface]};
        if (caller >= found.start && caller < found.end && version % 2 == 0 && kept[i].version == version)
            return found;
    }
    return (struct calling_object){0, 0, -1};
}

/* The exit handler: an object goes. It may still call BLAS, even from destructors that come
 * after all handlers (those of a priority): it is not to be kept again before it is gone. The
 * lock behind the count is one that unloading takes too; exit does not, and in a fork child
 * another thread of its parent may have it. */
static void leave(void *argument)
{
    struct kept_object *object = argument;
    if (!object->end)
        return;
    uint64_t unloads = object->process == getpid() ? loaded_object_unloads() : UINT64_MAX - 1;
    object->blocked = unloads + 1;
    uintptr_t end = atomic_exchange(&object->end, 0);
    if (end)
        object->forget(object->start, end);
}

/* The place of the object, where another thread was first, or a free one; NULL: none, or
 * the object is just being unloaded. */
static struct kept_object *find_place(const struct loaded_object *description)
{
    struct kept_object *place = NULL;
    for (int i = 0; i < KEPT_MAX; i++) {
        bool is_free = !kept[i].end, is_blocked = is_free && kept[i].blocked > description->unloads;
        if (kept[i].end == description->end && kept[i].start == description->start)
            return &kept[i];
        if (is_blocked && kept[i].start == description->start)
            return NULL;
        if (!place && is_free && !is_blocked)
            place = &kept[i];
    }
    return place;
}

static bool fill(struct kept_object *object, const struct loaded_object *description,
                 void (*forget)(uintptr_t start, uintptr_t end))
{
    object->version++;
    object->start = description->start;
    object->forget = forget;
    object->process = getpid();
    for (int i = 0; i < INTERFACE_COUNT; i++)
        object->numbers[i] = -1;
    bool good = loaded_object_watch(description, leave, object);
    if (good)
        object->end = description->end;
    object->version++;
    return good;
}

static bool keep(const struct loaded_object *description, enum interface interface, int number,
                 void (*forget)(uintptr_t start, uintptr_t end))
{
    struct kept_object *object = find_place(description);
    if (!object || (!object->end && !fill(object, description, forget)))
        return false;
    object->numbers[interface] = number;
    return true;
}

struct calling_object calling_objects_keep(uintptr_t caller, enum interface interface, int number,
                                           void (*forget)(uintptr_t start, uintptr_t end))
{
    struct loaded_object description;
    struct calling_object object = {0, 0, number};
    if (!loaded_object_find(caller, &description))
        return object;
    object.start = description.start;
    if (try_lock()) {
        if (keep(&description, interface, number, forget))
            object.end = description.end;
        unlock();
    }
    return object;
}

void calling_objects_forget_host(int number)
{
    for (int i = 0; i < KEPT_MAX; i++)
        for (int interface = 0; interface < INTERFACE_COUNT; interface++) {
            int present = number;
            atomic_compare_exchange_strong(&kept[i].numbers[interface], &present, -1);
        }
}
