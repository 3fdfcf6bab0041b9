#include "interpose/calling_objects.h"

#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

/* Of the C library. Runs `handler` when the library whose handle this is goes, or at exit. */
int __cxa_atexit(void (*handler)(void *), void *argument, void *library_handle);

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

/* What is found out about the object that has the address `inside`. */
enum { HANDLES_MAX = 4 };
struct description {
    uintptr_t inside, start, end;
    uint64_t unloads; /* of libraries in this process so far */
    bool is_program;  /* never unloaded */
    int handle_count; /* HANDLES_MAX + 1: too many */
    void *handles[HANDLES_MAX];
};

/* Reads what belongs to the library, whatever guards a sanitizer has put in between. */
__attribute__((no_sanitize("address", "thread"))) static void
find_handles(struct description *description, uintptr_t start, uintptr_t end)
{
    uintptr_t *first = (uintptr_t *)((start + sizeof start - 1) / sizeof start * sizeof start);
    for (uintptr_t *word = first; (uintptr_t)(word + 1) <= end; word++) {
        if (*word != (uintptr_t)word)
            continue;
        if (description->handle_count++ == HANDLES_MAX)
            return;
        description->handles[description->handle_count - 1] = word;
    }
}

static int describe(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct description *description = argument;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        uintptr_t end = start + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && description->inside >= start && description->inside < end) {
            description->start = start;
            description->end = end;
        }
    }
    if (!description->end)
        return 0;
    description->unloads = info->dlpi_subs;
    description->is_program = !info->dlpi_name || !*info->dlpi_name;
    for (int i = 0; i < info->dlpi_phnum && !description->is_program; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_W) &&
            description->handle_count <= HANDLES_MAX)
            find_handles(description, start, start + info->dlpi_phdr[i].p_filesz);
    }
    return 1;
}

static int read_unloads(struct dl_phdr_info *info, size_t size, void *argument)
{
    (void)size;
    *(uint64_t *)argument = info->dlpi_subs;
    return 1;
}

/* The exit handler: an object goes. It may still call BLAS, even from destructors that come
 * after all handlers (those of a priority): it is not to be kept again before it is gone. The
 * lock behind the count is one that unloading takes too; exit does not, and in a fork child
 * another thread of its parent may have it. */
static void leave(void *argument)
{
    struct kept_object *object = argument;
    uint64_t unloads = UINT64_MAX - 1;
    if (!object->end)
        return;
    if (object->process == getpid())
        dl_iterate_phdr(read_unloads, &unloads);
    object->blocked = unloads + 1;
    uintptr_t end = atomic_exchange(&object->end, 0);
    if (end)
        object->forget(object->start, end);
}

static bool watch(struct kept_object *object, const struct description *description)
{
    if (description->is_program)
        return true;
    bool good = description->handle_count >= 1 && description->handle_count <= HANDLES_MAX;
    for (int i = 0; i < description->handle_count && good; i++)
        good = __cxa_atexit(leave, object, description->handles[i]) == 0;
    return good;
}

/* The place of the object, where another thread was first, or a free one; NULL: none, or
 * the object is just being unloaded. */
static struct kept_object *find_place(const struct description *description)
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

static bool fill(struct kept_object *object, const struct description *description,
                 void (*forget)(uintptr_t start, uintptr_t end))
{
    object->version++;
    object->start = description->start;
    object->forget = forget;
    object->process = getpid();
    for (int i = 0; i < INTERFACE_COUNT; i++)
        object->numbers[i] = -1;
    bool good = watch(object, description);
    if (good)
        object->end = description->end;
    object->version++;
    return good;
}

static bool keep(const struct description *description, enum interface interface, int number,
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
    struct description description = {.inside = caller};
    struct calling_object object = {0, 0, number};
    if (!dl_iterate_phdr(describe, &description))
        return object;
    object.start = description.start;
    if (try_lock()) {
        if (keep(&description, interface, number, forget))
            object.end = description.end;
        unlock();
    }
    return object;
}
