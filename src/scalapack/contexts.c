#include "scalapack/engine.h"
#include "common/log.h"
#include "common/program_state.h"
#include "common/settings.h"
#include "host/host_blas.h"
#include "host/host_search.h"
#include "scalapack/grid.h"
#include "scalapack/team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* BLACS_blacs_gridinit_, ...: what mublas sees of contexts. */
enum blacs_symbol {
    BLACS_blacs_gridinit_,
    BLACS_Cblacs_gridinit,
    BLACS_blacs_gridmap_,
    BLACS_Cblacs_gridmap,
    BLACS_blacs_gridexit_,
    BLACS_Cblacs_gridexit,
    BLACS_blacs_exit_,
    BLACS_Cblacs_exit,
    BLACS_COUNT
};

/* The routine of the search order, or of the last caller. */
struct known {
    host_function *function;
    uintptr_t start, end;
    const void *caller; /* whose own it is; NULL: everybody's */
};

static struct known known_routines[PARALLEL_COUNT], known_blacs[BLACS_COUNT]; /* guarded by known_lock */
static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;

static bool search(const char *name, const void *caller, struct host_library *library, bool *is_callers)
{
    *is_callers = false;
    if (host_library_next_in_order(name, library))
        return true;
    *is_callers = callers_search(name, caller, library);
    return *is_callers || host_search_program(name, library);
}

static struct known look_up(const char *name, const void *caller)
{
    struct host_library library;
    bool is_callers;
    if (!search(name, caller, &library, &is_callers)) {
        log_message(LOG_ERROR, "no library has %s, which the program calls", name);
        abort();
    }
    const struct known found = {host_library_function(&library, name), library.start, library.end,
                                is_callers ? caller : NULL};
    host_library_release(&library);
    return found;
}

static host_function *find_function(struct known *known, const char *name, const void *caller, bool *is_inner)
{
    pthread_mutex_lock(&known_lock);
    struct known found = *known;
    pthread_mutex_unlock(&known_lock);
    if (!found.function || (found.caller && found.caller != caller)) {
        struct program_state program;
        program_state_set_aside(&program);
        found = look_up(name, caller);
        program_state_return(&program);
        pthread_mutex_lock(&known_lock);
        *known = found;
        pthread_mutex_unlock(&known_lock);
    }
    if (is_inner)
        *is_inner = (uintptr_t)caller >= found.start && (uintptr_t)caller < found.end;
    return found.function;
}

host_function *host_routine_of(enum parallel_symbol symbol, const void *caller, bool *is_inner)
{
    static const char *const names[PARALLEL_COUNT] = {
#define PARALLEL_SYMBOL(name, ...) #name "_",
#include "scalapack/routines.def"
    };
    return find_function(&known_routines[symbol], names[symbol], caller, is_inner);
}

static host_function *host_blacs_of(enum blacs_symbol symbol, const void *caller, bool *is_inner)
{
    static const char *const names[BLACS_COUNT] = {
        "blacs_gridinit_", "Cblacs_gridinit", "blacs_gridmap_", "Cblacs_gridmap",
        "blacs_gridexit_", "Cblacs_gridexit", "blacs_exit_",    "Cblacs_exit"};
    return find_function(&known_blacs[symbol], names[symbol], caller, is_inner);
}

static struct parallel_context *first; /* guarded by lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int count;

/* The place of the pointer to it, or to NULL. `lock` is held. */
static struct parallel_context **place_of(int handle)
{
    struct parallel_context **at = &first;
    while (*at && (*at)->handle != handle)
        at = &(*at)->next;
    return at;
}

static void take_out(struct parallel_context **at)
{
    struct parallel_context *const context = *at;
    *at = context->next;
    free(context);
    atomic_fetch_sub(&count, 1);
}

static bool is_served(const struct grid_place *place)
{
    if (!settings()->parallel || settings()->offload == OFFLOAD_NEVER)
        return false;
    const int processes = place->rows * place->columns;
    return processes == 1 || (membership_is_whole() && processes <= membership_ranks());
}

/* Before the BLACS end it. */
static void contexts_drop(int handle)
{
    pthread_mutex_lock(&lock);
    struct parallel_context **const at = place_of(handle);
    if (*at)
        take_out(at);
    pthread_mutex_unlock(&lock);
}

/* After the BLACS made a grid with this handle. Grids of several processes are kept where the job is whole
 * (team.h). */
static void contexts_note(int handle)
{
    struct parallel_context *const context = calloc(1, sizeof *context);
    contexts_drop(handle);
    if (!context)
        return;
    context->handle = handle;
    context->place = blacs_place(handle);
    if (context->place.row < 0 || !is_served(&context->place)) {
        free(context);
        return;
    }
    pthread_mutex_lock(&lock);
    context->next = first;
    first = context;
    pthread_mutex_unlock(&lock);
    atomic_fetch_add(&count, 1);
}

static void contexts_drop_all(void)
{
    pthread_mutex_lock(&lock);
    while (first)
        take_out(&first);
    pthread_mutex_unlock(&lock);
}

struct parallel_context *contexts_find(int handle)
{
    pthread_mutex_lock(&lock);
    struct parallel_context *const context = *place_of(handle);
    pthread_mutex_unlock(&lock);
    return context;
}

bool contexts_are_there(void)
{
    return atomic_load_explicit(&count, memory_order_relaxed) > 0;
}

/* For stubs.S, in the place of the BLACS' routines that make and end contexts: the host's do it, and mublas
 * takes note. */
void parallel_blacs_gridinit_(int *context, const char *order, const int *rows, const int *columns,
                              size_t length);
void parallel_Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void parallel_blacs_gridmap_(int *context, const int *map, const int *ld, const int *rows,
                             const int *columns);
void parallel_Cblacs_gridmap(int *context, const int *map, int ld, int rows, int columns);
void parallel_blacs_gridexit_(const int *context);
void parallel_Cblacs_gridexit(int context);
void parallel_blacs_exit_(const int *goes_on);
void parallel_Cblacs_exit(int goes_on);

typedef void gridinit(int *, const char *, const int *, const int *, size_t);
typedef void c_gridinit(int *, const char *, int, int);
typedef void gridmap(int *, const int *, const int *, const int *, const int *);
typedef void c_gridmap(int *, const int *, int, int, int);
typedef void with_address(const int *);
typedef void with_value(int);

/* Making a grid synchronises its members: what each has done before is there after it. */
static void before_grid(bool is_inner)
{
    struct program_state program;
    program_state_set_aside(&program);
    if (!is_inner) {
        membership_register();
        counts_grid_made();
    }
    program_state_return(&program);
}

static void after_grid(bool is_inner, host_function *host, const int *context)
{
    struct program_state program;
    program_state_set_aside(&program);
    if (!is_inner && blacs_find((const void *)(uintptr_t)host))
        contexts_note(*context);
    program_state_return(&program);
}

void parallel_blacs_gridinit_(int *context, const char *order, const int *rows, const int *columns,
                              size_t length)
{
    bool is_inner;
    host_function *const host =
        host_blacs_of(BLACS_blacs_gridinit_, __builtin_return_address(0), &is_inner);
    before_grid(is_inner);
    ((gridinit *)host)(context, order, rows, columns, length);
    after_grid(is_inner, host, context);
}

void parallel_Cblacs_gridinit(int *context, const char *order, int rows, int columns)
{
    bool is_inner;
    host_function *const host =
        host_blacs_of(BLACS_Cblacs_gridinit, __builtin_return_address(0), &is_inner);
    before_grid(is_inner);
    ((c_gridinit *)host)(context, order, rows, columns);
    after_grid(is_inner, host, context);
}

void parallel_blacs_gridmap_(int *context, const int *map, const int *ld, const int *rows,
                             const int *columns)
{
    bool is_inner;
    host_function *const host = host_blacs_of(BLACS_blacs_gridmap_, __builtin_return_address(0), &is_inner);
    before_grid(is_inner);
    ((gridmap *)host)(context, map, ld, rows, columns);
    after_grid(is_inner, host, context);
}

void parallel_Cblacs_gridmap(int *context, const int *map, int ld, int rows, int columns)
{
    bool is_inner;
    host_function *const host = host_blacs_of(BLACS_Cblacs_gridmap, __builtin_return_address(0), &is_inner);
    before_grid(is_inner);
    ((c_gridmap *)host)(context, map, ld, rows, columns);
    after_grid(is_inner, host, context);
}

void parallel_blacs_gridexit_(const int *context)
{
    contexts_drop(*context);
    ((with_address *)host_blacs_of(BLACS_blacs_gridexit_, __builtin_return_address(0), NULL))(context);
}

void parallel_Cblacs_gridexit(int context)
{
    contexts_drop(context);
    ((with_value *)host_blacs_of(BLACS_Cblacs_gridexit, __builtin_return_address(0), NULL))(context);
}

void parallel_blacs_exit_(const int *goes_on)
{
    contexts_drop_all();
    ((with_address *)host_blacs_of(BLACS_blacs_exit_, __builtin_return_address(0), NULL))(goes_on);
}

void parallel_Cblacs_exit(int goes_on)
{
    contexts_drop_all();
    ((with_value *)host_blacs_of(BLACS_Cblacs_exit, __builtin_return_address(0), NULL))(goes_on);
}

/* Integers of a descriptor (ScaLAPACK Users' Guide, section 4.3.3), from 0. */
enum { DTYPE, CTXT, M_, N_, MB, NB };
enum { BLOCK_CYCLIC = 1, DESCRIPTOR = 3 };

/* Upper halves of small integers of 64 bits are 0; a block of 32 bits is at least 1. */
static bool is_wide(const int32_t *descriptor)
{
    return descriptor[CTXT] == 0 && descriptor[N_] == 0 && descriptor[NB] == 0;
}

static enum parallel_unserved without_descriptor(const int32_t *descriptor)
{
    if (!descriptor || descriptor[DTYPE] != BLOCK_CYCLIC)
        return UNSERVED_ARGUMENTS;
    return is_wide(descriptor) ? UNSERVED_WIDE : UNSERVED_ARGUMENTS;
}

enum parallel_unserved contexts_unserved(enum parallel_symbol symbol, const struct lapack_frame *frame)
{
    const struct parallel_routine *const routine = parallel_routine_of(symbol);
    struct parallel_call call;
    if (!parallel_call_begin(&call, routine, frame))
        return without_descriptor(frame_address(frame, routine->signature.matrices[0].position + DESCRIPTOR));
    if (parallel_call_is_query(&call))
        return UNSERVED_QUERY;
    const struct parallel_context *const context = contexts_find(call.context);
    if (!context)
        return membership_fault() ? UNSERVED_JOB : UNSERVED_CONTEXT;
    if (context->is_refused)
        return UNSERVED_GIVEN_UP;
    return parallel_call_reaches(&call, 1) ? UNSERVED_SMALL : UNSERVED_ARGUMENTS;
}
