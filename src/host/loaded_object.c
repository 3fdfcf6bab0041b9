#include "common/loader.h"
#include "host/host_blas.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

/* A function of the C library. Runs `handler` when the library whose handle this is goes, or at exit. */
int __cxa_atexit(void (*handler)(void *), void *argument, void *library_handle);

/* The program or a library, found by an address.
 *
 * No loader tells of an unloading, but each library then runs the exit handlers of its own, those that are
 * registered with the address of its __dso_handle: a word of its data that points at itself, put there by
 * the compiler. So a handler is registered with all such words. With a word that is something else it runs
 * when the process exits. */
enum { LOADED_OBJECT_HANDLES_MAX = 16 };

struct loaded_object {
    uintptr_t start, end; /* of the segment that the address lies in */
    uint64_t unloads;     /* of libraries in this process so far */
    bool is_program;      /* never unloaded */
    int handle_count;     /* what may be a __dso_handle; LOADED_OBJECT_HANDLES_MAX + 1: too many */
    void *handles[LOADED_OBJECT_HANDLES_MAX];
};

struct search {
    uintptr_t inside;
    struct loaded_object *object;
};

/* Reads what belongs to the library, whatever guards a sanitizer has put in between. */
__attribute__((no_sanitize("address", "thread"))) static void
find_handles(struct loaded_object *object, uintptr_t start, uintptr_t end)
{
    uintptr_t *first = (uintptr_t *)((start + sizeof start - 1) / sizeof start * sizeof start);
    for (uintptr_t *word = first; (uintptr_t)(word + 1) <= end; word++) {
        if (*word != (uintptr_t)word)
            continue;
        if (object->handle_count++ == LOADED_OBJECT_HANDLES_MAX)
            return;
        object->handles[object->handle_count - 1] = word;
    }
}

/* Exit handlers run at unloading by a library's termination code only. */
static bool has_termination(const ElfW(Dyn) *entry)
{
    for (; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_FINI || entry->d_tag == DT_FINI_ARRAY)
            return true;
    return false;
}

static int describe(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct search *search = argument;
    struct loaded_object *object = search->object;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        uintptr_t end = start + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && search->inside >= start && search->inside < end) {
            object->start = start;
            object->end = end;
        }
    }
    if (!object->end)
        return 0;
    object->unloads = info->dlpi_subs;
    object->is_program = !info->dlpi_name || !*info->dlpi_name;
    bool terminates = false;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            terminates = has_termination((const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
    for (int i = 0; i < info->dlpi_phnum && terminates && !object->is_program; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_W) &&
            object->handle_count <= LOADED_OBJECT_HANDLES_MAX)
            find_handles(object, start, start + info->dlpi_phdr[i].p_filesz);
    }
    return 1;
}

/* False: the address lies in none, such as code made at run time. */
static bool loaded_object_find(uintptr_t inside, struct loaded_object *object)
{
    struct search search = {inside, object};
    *object = (struct loaded_object){0};
    return loader_objects(describe, &search) != 0;
}

static int read_unloads(struct dl_phdr_info *info, size_t size, void *argument)
{
    (void)size;
    *(uint64_t *)argument = info->dlpi_subs;
    return 1;
}

/* How many libraries were unloaded in this process. */
static uint64_t loaded_object_unloads(void)
{
    uint64_t unloads = 0;
    dl_iterate_phdr(read_unloads, &unloads);
    return unloads;
}

/* Call `handler` when the object is unloaded, with the loader's lock held, and at exit; maybe
 * several times and at other times. False: no word will come, since no __dso_handle was found
 * or there is no memory; some words may come nevertheless. */
static bool loaded_object_watch(const struct loaded_object *object, void (*handler)(void *), void *argument)
{
    if (object->is_program)
        return true;
    bool good = object->handle_count >= 1 && object->handle_count <= LOADED_OBJECT_HANDLES_MAX;
    for (int i = 0; i < object->handle_count && good; i++)
        good = __cxa_atexit(handler, argument, object->handles[i]) == 0;
    return good;
}

extern void *__dso_handle __attribute__((visibility("hidden"))); /* of mublas, which is never unloaded */

static struct watched {
    _Atomic uintptr_t start, end; /* start is 0 where free */
    retained_forget *_Atomic forget;
    atomic_bool exits; /* the process, which unloads nothing */
} watched[32];
enum { WATCHED_MAX = sizeof watched / sizeof *watched };

static void goes(void *argument)
{
    struct watched *library = argument;
    uintptr_t start = library->start;
    if (!start || library->exits)
        return;
    library->forget(start, library->end);
    library->start = 0;
}

/* The handler that is registered last runs first: this one before `goes`. */
static void note_exit(void *argument)
{
    ((struct watched *)argument)->exits = true;
}

static bool is_watched(const struct loaded_object *object, retained_forget *forget)
{
    for (int i = 0; i < WATCHED_MAX; i++)
        if (watched[i].start == object->start && watched[i].forget == forget)
            return true;
    return false;
}

static bool watch(uintptr_t inside, retained_forget *forget)
{
    struct loaded_object object;
    if (!loaded_object_find(inside, &object))
        return false;
    for (int i = 0; i < WATCHED_MAX && !is_watched(&object, forget); i++) {
        uintptr_t nowhere = 0;
        if (!atomic_compare_exchange_strong(&watched[i].start, &nowhere, object.start))
            continue;
        watched[i].end = object.end;
        watched[i].forget = forget;
        watched[i].exits = false;
        if (loaded_object_watch(&object, goes, &watched[i]) &&
            __cxa_atexit(note_exit, &watched[i], &__dso_handle) == 0)
            return true;
        watched[i].start = 0;
        return false;
    }
    return is_watched(&object, forget);
}

/* The loader stops a process that wants a library for ever which is just being unloaded. */
static void keep_loaded(const char *path, uintptr_t inside, retained_forget *forget)
{
    void *reference = loader_open(path, RTLD_LAZY | RTLD_NOLOAD);
    if (reference && !watch(inside, forget))
        loader_open(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

void retained_keep(const struct host_library *library, retained_forget *forget)
{
    keep_loaded(library->path, library->start, forget);
}

void retained_keep_origin(const struct host_library *library, host_function *function,
                          retained_forget *forget)
{
    uintptr_t address = (uintptr_t)function;
    Dl_info where;
    bool known = address >= library->start && address < library->end;
    if (library->is_callers && !known && loader_address((void *)function, &where) && where.dli_fname)
        keep_loaded(where.dli_fname, address, forget);
}

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

static bool fill_object(struct kept_object *object, const struct loaded_object *description,
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

static bool keep_number(const struct loaded_object *description, enum interface interface, int number,
                        void (*forget)(uintptr_t start, uintptr_t end))
{
    struct kept_object *object = find_place(description);
    if (!object || (!object->end && !fill_object(object, description, forget)))
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
        if (keep_number(&description, interface, number, forget))
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
