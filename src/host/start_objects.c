#include "host/start_objects.h"
#include "common/loader.h"

#include <stddef.h>
#include <string.h>

/* What is defined behind so many is found at the first call. */
enum { OBJECTS_MAX = 512 };
static struct object_symbols objects[OBJECTS_MAX];
enum { UNKNOWN, OF_START, LATER };
static unsigned char kinds[OBJECTS_MAX];
static int object_count, preloaded_end, own;

static int note(struct dl_phdr_info *info, size_t size, void *inside)
{
    uintptr_t start, end;
    (void)size;
    if (object_count == OBJECTS_MAX)
        return 1;
    object_symbols_read(info, &objects[object_count]);
    if (object_symbols_segment(&objects[object_count], (uintptr_t)inside, &start, &end))
        own = object_count;
    object_count++;
    return 0;
}

static int next_needed(int from)
{
    while (from < object_count && !object_symbols_needs(&objects[0], &objects[from]))
        from++;
    return from;
}

/* The program comes first, then what was preloaded, then what these ask for, level by level. What the
 * program asks for may be preloaded as well, before us; something that it asks for comes behind us, or we
 * came by dlopen. */
static int find_preloaded_end(void)
{
    const int behind = own < object_count ? next_needed(own + 1) : object_count;
    const int end = behind < object_count ? behind : next_needed(1);
    return end < object_count ? end : 1;
}

void start_objects_note(const void *inside)
{
    object_count = 0;
    own = OBJECTS_MAX;
    memset(kinds, 0, sizeof kinds);
    loader_objects(note, (void *)(uintptr_t)inside);
    preloaded_end = find_preloaded_end();
    if (object_count == 0 || *objects[0].path)
        own = OBJECTS_MAX; /* in a namespace of dlmopen: the program has no name */
}

static bool is_of_start(int number)
{
    bool is_asked_for = number < preloaded_end;
    for (int i = 0; i < number && !is_asked_for && kinds[number] == UNKNOWN; i++)
        is_asked_for = object_symbols_needs(&objects[i], &objects[number]) && is_of_start(i);
    if (kinds[number] == UNKNOWN)
        kinds[number] = is_asked_for ? OF_START : LATER;
    return kinds[number] == OF_START;
}

bool start_objects_have_own(void)
{
    return own < object_count && is_of_start(own);
}

const struct object_symbols *start_objects_find(const char *name, const void **address)
{
    if (!start_objects_have_own())
        return NULL;
    for (int i = own + 1; i < object_count; i++)
        if (object_symbols_find(&objects[i], name, address))
            return is_of_start(i) ? &objects[i] : NULL;
    return NULL;
}
