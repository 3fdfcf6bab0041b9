/* internal.h - shared between the files of the emulated driver.
 *
 * One lock guards all state; it is held for the whole of every driver call,
 * execution of queued work included. Functions below expect it held. */
#ifndef MUBLAS_EMULATED_INTERNAL_H
#define MUBLAS_EMULATED_INTERNAL_H

#include "emulated_driver/emulated.h"
#include "emulated_driver/program.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

enum { PAGE = 4096, GRANULE = 2 << 20, POISON = 0xff };

/* The exports: exactly the functions of driver.def (calls.c refers to each). */
#define DRIVER_FUNCTION(member, symbol, parameters) EXPORT CUresult symbol parameters;
#include "gpu/driver.def"
#undef DRIVER_FUNCTION

/* calls.c: names, counters and faults. */
enum function_index {
#define DRIVER_FUNCTION(member, symbol, parameters) CALL_##symbol,
#include "gpu/driver.def"
#undef DRIVER_FUNCTION
#define CUBLAS_FUNCTION(symbol) CALL_##symbol,
#include "emulated_driver/cublas.def"
#undef CUBLAS_FUNCTION
#define CUSOLVER_FUNCTION(symbol) CALL_##symbol,
#include "emulated_driver/cusolver.def"
#undef CUSOLVER_FUNCTION
#define PROGRAM_FUNCTION(symbol) CALL_##symbol,
#include "emulated_driver/program.def"
#undef PROGRAM_FUNCTION
    CALL_KERNEL,    /* a kernel's execution */
    CALL_COPY_BACK, /* the execution of a copy to the host */
    CALL_COUNT
};

/* Count the event and return the result to inject, CUDA_SUCCESS for none. */
CUresult call_event(enum function_index function);
/* Begin and end of every driver call: takes the lock, counts, injects. The lock is
 * held after both outcomes. */
CUresult call_begin(enum function_index function);
void call_end(void);
void call_lock(void); /* the lock alone; call_end releases it */
void fault_clear_sticky(void);
/* From exit on every call gives CUDA_ERROR_DEINITIALIZED. */
void call_deinitialise_at_exit(void);

#define API_BEGIN(symbol)                            \
    CUresult result = call_begin(CALL_##symbol);     \
    if (result != CUDA_SUCCESS)                      \
        goto end
#define API_FAIL(code)     \
    do {                   \
        result = (code);   \
        goto end;          \
    } while (0)
#define API_END            \
    end:                   \
    call_end();            \
    return result

/* lasting.c: once, where they are asked for. */
void lasting_begin(void);

/* options.c */
struct options {
    uint64_t seed;
    size_t device_memory;
    long block_threads, devices, multiprocessors, patience;
    long absent, stuck; /* number of a cooperative launch; 0: none */
    double delay;       /* seconds */
    bool shuffle_blocks, guard, poison, strict, dma, child_aborts, deinitialise, lasting_threads, arithmetic;
    bool cooperative;
    const char *faults, *count_file;
};
const struct options *options(void);
/* A production bug was found: print one line and abort. */
void emulated_abort(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
/* The same where the program could also be told: abort when strict, else INVALID_VALUE. */
CUresult misuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* splitmix64 */
static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* ranges.c: a set of disjoint ranges dealt out of [base, limit). */
struct range {
    uint64_t begin, end;
};
struct range_set {
    uint64_t base, limit, cursor;
    struct range *items;
    size_t count, capacity;
};
bool range_take(struct range_set *set, uint64_t bytes, uint64_t alignment, uint64_t *begin);
/* The range that starts at `begin` is free again; its end, or 0 if there is none. */
uint64_t range_give(struct range_set *set, uint64_t begin);
const struct range *range_find(const struct range_set *set, uint64_t address);
void range_clear(struct range_set *set);

/* memory.c: device memory. Driver-side copies go through `alias` addresses, a second
 * mapping of the same pages that the program does not know. */
CUresult memory_open(void);
/* Visit the pieces of [address, address + bytes) in order as alias memory. False, with
 * nothing visited, when the range is not wholly accessible device memory. */
typedef void memory_visitor(void *context, unsigned char *alias, size_t bytes);
bool memory_visit(CUdeviceptr address, size_t bytes, memory_visitor *visit, void *context);
bool memory_is_device(CUdeviceptr address);
bool memory_is_accessible(CUdeviceptr address, size_t bytes);
void memory_reset(void);
void memory_census(struct emulated_census *census);
/* Let kernels in (count of nested users), and out again. */
void memory_guard_open(void);
void memory_guard_close(void);
/* Red zones intact? Aborts when not. */
void memory_check_red_zones(void);

/* physical.c: the pages of device memory and their budget. */
struct physical {
    uint64_t offset; /* in the memory file */
    size_t bytes;
    unsigned references; /* handle and mappings */
};
CUresult physical_open(void);
CUresult physical_take(size_t bytes, size_t alignment, struct physical **physical);
void physical_drop(struct physical *physical);
int physical_file(void);
unsigned char *physical_alias(uint64_t offset);
size_t physical_used(void);

/* pinned.c: pinned host memory. */
enum host_kind { HOST_PAGEABLE, HOST_ALLOCATED, HOST_REGISTERED, HOST_MIXED };
enum direction { TO_DEVICE, TO_HOST };
struct piece {
    unsigned char *host, *device; /* device: an alias */
    size_t bytes;
};
enum host_kind pinned_classify(const void *pointer, size_t bytes);
/* Move pieces, all in the same host memory: by DMA where that is registered. */
void pinned_transfer(enum direction direction, const struct piece *pieces, size_t count);
void pinned_reset(void);
size_t pinned_count(void);

/* dma.c: copies to and from pinned pages that bypass the page tables. */
bool dma_available(void);
/* Pin whole pages; *slot is what dma_unpin and dma_transfer want. NOT_SUPPORTED when
 * this machine cannot. */
CUresult dma_pin(unsigned char *begin, size_t bytes, int *slot);
void dma_unpin(int slot, size_t bytes);
/* `begin` is where the pinned memory was when it was pinned. */
void dma_transfer(enum direction direction, int slot, const unsigned char *begin, const struct piece *pieces,
                  size_t count);

/* stream.c: queues of work, run at the wait. */
typedef CUresult operation_run(void *payload);
typedef void operation_drop(void *payload);
struct operation {
    operation_run *run;
    operation_drop *drop;           /* frees what the payload owns; may be NULL */
    bool on_device;                 /* dereferences device addresses */
    CUdeviceptr begin[2], end[2];   /* device memory that a copy touches */
    size_t bytes;                   /* of the whole record */
    _Alignas(16) unsigned char payload[];
};
struct queue { /* of operation records */
    unsigned char *records;
    size_t head, tail, capacity;
};
struct operation *queue_append(struct queue *queue, operation_run *run, operation_drop *drop, size_t bytes);
/* The first operation, taken out but valid until the next append; NULL: none left. */
struct operation *queue_take(struct queue *queue);
void queue_discard(struct queue *queue);
/* Append an operation with room for a payload, where a capture is under way to its graph; NULL: no such
 * stream. Valid until the next append. */
struct operation *stream_append(CUstream stream, operation_run *run, operation_drop *drop, size_t bytes);
bool stream_is_valid(CUstream stream);
/* The stream itself, whatever handle stands for it (NULL: there is none), and how many
 * operations were queued and run so far. */
CUstream stream_resolve(CUstream handle, uint64_t *appended, uint64_t *executed);
/* Run what is queued on one stream, the same up to an operation, or all streams. */
CUresult stream_drain(CUstream stream);
CUresult stream_drain_to(CUstream stream, uint64_t position);
/* The same for who does not wait: CUDA_ERROR_NOT_READY while a kernel goes on, where the others abort. */
CUresult stream_advance_to(CUstream stream, uint64_t position);
CUresult stream_drain_all(void);
/* True when a queued copy touches device memory in the range. */
bool stream_uses(CUdeviceptr address, size_t bytes);
void stream_reset(void);
void stream_census(struct emulated_census *census);

/* event.c */
void event_reset(void);
size_t event_count(void);

/* graph.c: what a capture in progress says to this call, and to a wait for this stream. */
CUresult capture_check(enum function_index function);
CUresult capture_forbids(CUstream stream);
CUresult capture_spoil(CUresult result);
struct queue *graph_queue(CUgraph graph);
/* stream.c: where a stream's operations go instead; NULL: nowhere else. */
CUgraph stream_captured(CUstream stream);
void stream_capture(CUstream stream, CUgraph graph);
void stream_end_captures(void);

/* user_object.c: references are counted without telling whose they are. When the last goes, the
 * destructor is called on a thread of its own, some time. */
void user_object_retain(CUuserObject object, unsigned references);
void user_object_drop(CUuserObject object, unsigned references);
bool user_object_destructing(void); /* the calling thread is in a destructor */

/* context.c */
CUresult context_check_device(CUdevice device); /* initialised, and one of those there are */
int context_device_count(void);
CUdevice context_device(void); /* of the calling thread's current context; -1: none */
CUcontext context_create(void); /* of the program's own; there is no limit to what it may use */
CUresult context_push(CUcontext context);
CUresult context_destroy(CUcontext context);
void context_reset_primary(void);
int context_capture_mode(void); /* of the calling thread */
CUresult context_check(void); /* CUDA_SUCCESS when the calling thread has a current context */
bool context_is_forked(void);

/* module.c */
size_t module_count(void);
void module_reset(void);

/* grid.c: run a kernel; all blocks at once if they are to wait for each other. CUDA_ERROR_NOT_READY: it has
 * begun, and goes on as long as grid_is_running (EMULATED_ABSENT, EMULATED_STUCK). */
struct kernel {
    const char *name;
    void (*run)(const void *arguments);
    size_t argument_bytes;
};
CUresult grid_run(const struct kernel *kernel, const void *arguments, unsigned blocks, unsigned threads,
                  size_t shared_bytes, bool at_once);
bool grid_is_running(void);

#endif
