#include "host/nested.h"
#include "common/loader.h"
#include "host/symbols.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

/* Of the first so many hosts; of others all calls are counted. */
enum { RANGES_MAX = 16 };
static struct {
    _Atomic uintptr_t start, end; /* end is written last */
} ranges[RANGES_MAX];
static atomic_int range_count;

static bool is_in_host(uintptr_t address)
{
    for (int i = 0; i < RANGES_MAX && ranges[i].end; i++)
        if (address < ranges[i].end && address >= ranges[i].start)
            return true;
    return false;
}

struct nested_hull nested_hull;

static void widen_hull(uintptr_t start, uintptr_t end)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    const uintptr_t old_end = nested_hull.begin + nested_hull.bytes;
    const uintptr_t begin = nested_hull.bytes > 0 && nested_hull.begin < start ? nested_hull.begin : start;
    __atomic_store_n(&nested_hull.begin, begin, __ATOMIC_RELAXED);
    __atomic_store_n(&nested_hull.bytes, (old_end > end ? old_end : end) - begin, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
}

void nested_note_host(uintptr_t start, uintptr_t end)
{
    widen_hull(start, end);
    int number = is_in_host(start) ? RANGES_MAX : atomic_fetch_add(&range_count, 1);
    if (number >= RANGES_MAX)
        return;
    ranges[number].start = start;
    ranges[number].end = end;
}

/* Also the reference's helpers, which hand a Fortran function's value over by pointer. */
static bool is_cblas_name(const char *name)
{
    size_t length = strlen(name);
    return strstr(name, "cblas_") || (length > 4 && strcmp(name + length - 4, "sub_") == 0);
}

/* The reference's caxpy_ and dzasum_ call scabs1_ and dcabs1_ for every element. */
static bool is_routine_name(const char *name)
{
    for (int i = 0; i < SYMBOL_COUNT; i++)
        if (!interface_is_lapack(symbol_interface((enum symbol)i)) &&
            strcmp(name, symbol_name((enum symbol)i)) == 0)
            return true;
    return false;
}

static bool look_up(const void *caller)
{
    Dl_info where;
    return loader_address(caller, &where) && where.dli_sname &&
           (is_cblas_name(where.dli_sname) || is_routine_name(where.dli_sname));
}

/* Return addresses shifted left, and the answer; 0: free. An eigensolver calls from some thousand places. */
enum { WORD_BITS = 13, WORDS = 1 << WORD_BITS, PROBES = 8 };
static _Atomic uintptr_t known[WORDS];

/* Where the address is, or else is to be noted. */
static _Atomic uintptr_t *place_of(uintptr_t address)
{
    const uintptr_t first = (address * (uintptr_t)0x9e3779b97f4a7c15u) >> (8 * sizeof address - WORD_BITS);
    for (uintptr_t probe = 0; probe < PROBES; probe++) {
        _Atomic uintptr_t *word = &known[(first + probe) % WORDS];
        const uintptr_t found = atomic_load_explicit(word, memory_order_relaxed);
        if (found == 0 || (found ^ address << 1) <= 1)
            return word;
    }
    return &known[first];
}

bool nested_in_host(const void *caller)
{
    const uintptr_t address = (uintptr_t)caller;
    if (!is_in_host(address))
        return false;
    _Atomic uintptr_t *word = place_of(address);
    uintptr_t found = atomic_load_explicit(word, memory_order_relaxed);
    if ((found ^ address << 1) > 1) {
        found = address << 1 | look_up(caller);
        atomic_store_explicit(word, found, memory_order_relaxed);
    }
    return found & 1;
}
