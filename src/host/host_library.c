#include "common/loader.h"
#include "host/host_search.h"
#include "host/symbols.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

/* Names that are defined behind so many objects are found at the first call. */
enum { OBJECTS_MAX = 512 };
static struct object_symbols objects[OBJECTS_MAX];
enum { UNKNOWN, OF_START, LATER };
static unsigned char kinds[OBJECTS_MAX];
static int object_count, preloaded_end, own;

static int note_object(struct dl_phdr_info *info, size_t size, void *inside)
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

/* The program comes first, then what was preloaded, then what these ask for, level by level. An object that
 * the program asks for may be preloaded as well, before us; something that it asks for comes behind us, or we
 * came by dlopen. */
static int find_preloaded_end(void)
{
    const int behind = own < object_count ? next_needed(own + 1) : object_count;
    const int end = behind < object_count ? behind : next_needed(1);
    return end < object_count ? end : 1;
}

/* Note the objects that are loaded. Before all else, while no other thread asks; again to look anew.
 * `inside`: an address of this library, which nothing is found for where it came by dlopen. */
static void start_objects_note(const void *inside)
{
    object_count = 0;
    own = OBJECTS_MAX;
    memset(kinds, 0, sizeof kinds);
    loader_objects(note_object, (void *)(uintptr_t)inside);
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

/* This symbol marks a library that mublas makes, in any version. The
 * first in the search order answers for the name; the alias is always this library's. */
extern const char mublas_interposes_blas, own_marker;
__attribute__((visibility("default"))) const char mublas_interposes_blas = 1;
extern __typeof(mublas_interposes_blas) own_marker
    __attribute__((alias(HOST_LIBRARY_MARKER), visibility("hidden")));

static const char next_in_order[] = "next in the program's search order";

bool host_library_stands_behind(void)
{
    return &mublas_interposes_blas != &own_marker;
}

static int look_for_other(struct dl_phdr_info *info, size_t size, void *unused)
{
    struct object_symbols object;
    const void *marker;
    (void)size, (void)unused;
    object_symbols_read(info, &object);
    return object_symbols_find(&object, HOST_LIBRARY_MARKER, &marker) && marker != &own_marker;
}

bool host_library_has_company(void)
{
    return loader_objects(look_for_other, NULL) != 0;
}

struct object_search {
    uintptr_t address;
    struct object_symbols *object;
};

static int read_object_at(struct dl_phdr_info *info, size_t size, void *argument)
{
    const struct object_search *search = argument;
    uintptr_t start, end;
    (void)size;
    object_symbols_read(info, search->object);
    return object_symbols_segment(search->object, search->address, &start, &end);
}

/* libblastrampoline passes calls on to libmublas.so, which would get them back for ever. A program may bring
 * it as its BLAS, with mublas preloaded in front of it: then it is a host like others. */
static bool leads_back(const struct object_symbols *object)
{
    const void *forward;
    return host_search_by_path && object_symbols_find(object, "lbt_forward", &forward);
}

static bool is_marked(const struct object_symbols *object)
{
    const void *marker;
    return object_symbols_find(object, HOST_LIBRARY_MARKER, &marker) ||
           object_symbols_find(object, HOST_LIBRARY_PASSING_MARKER, &marker) || leads_back(object);
}

/* True when `address` lies in this library, in another build of mublas or in what leads back; `passed_to`:
 * HOST_LIBRARY_PASSING_MARKER of that, or NULL. */
static bool is_mublas(const void *address, const void **passed_to)
{
    struct object_symbols object;
    struct object_search search = {(uintptr_t)address, &object};
    const bool is_ours = loader_objects(read_object_at, &search) && is_marked(&object);
    if (!is_ours || !object_symbols_find(&object, HOST_LIBRARY_PASSING_MARKER, passed_to))
        *passed_to = NULL;
    return is_ours;
}

/* From the LAPACK that mublas' liblapack.so.3 depends on, and which stays loaded with it. */
static const void *find_behind(const char *name, const char *symbol)
{
    void *const handle = loader_open(name, RTLD_LAZY | RTLD_NOLOAD);
    const void *const address = handle ? loader_symbol(handle, symbol) : NULL;
    const void *none;
    if (handle)
        loader_close(handle);
    return address && !is_mublas(address, &none) ? address : NULL;
}

static host_function *unless_mublas(const struct host_library *library, const char *symbol,
                                    const void *address)
{
    const void *passed_to = NULL;
    const bool is_known = (uintptr_t)address >= library->start && (uintptr_t)address < library->end;
    if (address && !is_known && is_mublas(address, &passed_to))
        address = passed_to ? find_behind(passed_to, symbol) : NULL;
    return (host_function *)(uintptr_t)address;
}

host_function *host_library_function(const struct host_library *library, const char *symbol)
{
    return unless_mublas(library, symbol, loader_symbol(library->handle, symbol));
}

host_function *host_library_start_function(const struct host_library *library, const char *symbol)
{
    const void *address;
    return start_objects_find(symbol, &address) ? unless_mublas(library, symbol, address) : NULL;
}

void host_library_note_start(void)
{
    start_objects_note(&own_marker);
}

bool host_library_at_start(const char *symbol, struct host_library *library)
{
    const void *address;
    const struct object_symbols *object = start_objects_find(symbol, &address);
    if (!object || !address || is_marked(object))
        return false;
    *library = (struct host_library){.path = object->path, .origin = next_in_order};
    return object_symbols_segment(object, (uintptr_t)address, &library->start, &library->end);
}

/* Remembers the code segment, which has the rest too. */
static void describe(struct host_library *library, const void *inside)
{
    Dl_info where;
    struct loaded_segment segment;
    if (loaded_segment_find((uintptr_t)inside, &segment)) {
        library->start = segment.begin;
        library->end = segment.end;
    }
    if (loader_address(inside, &where) && where.dli_fname)
        library->path = where.dli_fname;
}

bool host_library_in(void *handle, const char *symbol, const char *origin, struct host_library *library)
{
    *library = (struct host_library){.handle = handle, .path = "unknown", .origin = origin};
    host_function *function = host_library_function(library, symbol);
    if (function)
        describe(library, (void *)function);
    return function != NULL;
}

bool host_library_next_in_order(const char *symbol, struct host_library *library)
{
    return host_library_in(RTLD_NEXT, symbol, next_in_order, library);
}

void host_library_release(struct host_library *library)
{
    if (library->is_callers)
        loader_close(library->handle);
    library->is_callers = false;
    library->handle = NULL;
}

/* Versions and settings of OpenBLAS, MKL, BLIS, ATLAS, FlexiBLAS, libblastrampoline, Arm's and NVIDIA's libraries;
 * routines that OpenBLAS, BLIS and MKL have added and Netlib has not, also in the libblas.so.3 that Debian makes of the
 * first two; and LAPACK, which vendors put in the same object. */
static const char optimised_names[][25] = {
    "openblas_get_config", "mkl_get_version", "MKL_Get_Version", "bli_info_get_version_str", "ATL_buildinfo",
    "atl_f77wrap_dgemm_", "flexiblas_get_version", "flexiblas_current_backend", "lbt_forward", "armplversion",
    "armplversion_", "nvpl_blas_get_version", "zgemm3m_", "dgemm_batch_", "dgetrf_"};

static bool defines(const struct object_symbols *object, const char *name)
{
    const void *address;
    return object_symbols_find(object, name, &address);
}

bool host_library_is_reference(const struct host_library *library)
{
    static const char *const helpers[] = {"dgemm_", "lsame_", "xerbla_", "dcabs1_"};
    struct object_symbols object;
    struct object_search search = {library->start, &object};
    bool is_reference = loader_objects(read_object_at, &search) != 0;
    for (size_t i = 0; i < sizeof helpers / sizeof *helpers && is_reference; i++)
        is_reference = defines(&object, helpers[i]);
    for (size_t i = 0; i < sizeof optimised_names / sizeof *optimised_names && is_reference; i++)
        is_reference = !defines(&object, optimised_names[i]);
    return is_reference;
}

/* The first so many hosts have their ranges here; all calls of others are counted. */
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

/* The word that holds the address, or else the one to note it in. */
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
