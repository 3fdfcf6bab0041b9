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

enum { PAGE = 4096, GRANULE = 2 << 20, POISON = 0xff, DEVICES_MAX = 16 };

/* The exports: exactly the functions of driver.def (calls.c refers to each). */
#define DRIVER_FUNCTION(member, symbol, parameters, way) EXPORT CUresult symbol parameters;
#include "gpu/driver.def"
#undef DRIVER_FUNCTION

/* calls.c: names, counters and faults. */
enum function_index {
#define DRIVER_FUNCTION(member, symbol, parameters, way) CALL_##symbol,
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

/* Count the event and return the result to inject, CUDA_SUCCESS for none. `device`: whose event it is, -1:
 * none's. */
CUresult call_event(enum function_index function, CUdevice device);
/* Begin and end of every driver call: takes the lock, counts, injects. The lock is
 * held after both outcomes. The call is one of the current context's device, or of that which it names. */
CUresult call_begin(enum function_index function);
CUresult call_begin_on(enum function_index function, CUdevice device);
/* The result of every call of a device that was lost. */
CUresult fault_sticky(CUdevice device);
void call_end(void);
void call_lock(void); /* the lock alone; call_end releases it */
void fault_clear_sticky(CUdevice device);
/* From exit on every call gives CUDA_ERROR_DEINITIALIZED. */
void call_deinitialise_at_exit(void);

#define API_BEGIN(symbol)                            \
    CUresult result = call_begin(CALL_##symbol);     \
    if (result != CUDA_SUCCESS)                      \
        goto end
#define API_BEGIN_ON(symbol, device)                          \
    CUresult result = call_begin_on(CALL_##symbol, (device)); \
    if (result != CUDA_SUCCESS)                               \
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
    long block_threads, devices, patience;
    long absent, stuck; /* number of a cooperative launch; 0: none */
    long late;          /* milliseconds */
    double delay;       /* seconds */
    bool shuffle_blocks, guard, poison, strict, dma, child_aborts, deinitialise, lasting_threads, arithmetic;
    bool peer;
    const char *faults, *count_file;
};
const struct options *options(void);
/* Reads a variable that has one value for each device, separated by commas, the last for all that follow. */
long option_listed(const char *variable, int place, long fallback);
double option_listed_real(const char *variable, int place, double fallback);
void option_listed_word(const char *variable, int place, const char *fallback, char *word, size_t room);

/* kinds.c: the devices that the program sees, which may be unequal. */
struct device_kind {
    char name[64];
    size_t memory;
    size_t occupied; /* of that, by other processes */
    long multiprocessors, clock, memory_clock, cooperative, compute_mode; /* clocks in kHz */
    long cluster, shared; /* blocks of one, at most; bytes of a block, at most */
    long host_page_tables; /* by which it copies pageable memory */
    long mps; /* its contexts are clients of a server */
    long slow; /* milliseconds */
    double link, compute;                     /* bytes and operations per second; HUGE_VAL: take no time */
};
void kinds_read(void);
int kinds_count(void);
const struct device_kind *device_kind(CUdevice device);

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
/* For what runs in the context `by`; NULL: for any. */
bool memory_is_accessible(CUcontext by, CUdeviceptr address, size_t bytes);
void memory_reset(CUdevice device);
void memory_census(struct emulated_census *census);
void census_take(struct emulated_census *census);
/* At every call, with the lock, and where a copy to the host begins: control.c. */
void control_look(enum function_index function);
void control_look_at_copy_home(void);
/* Let in what runs in a context (users nest), and out again. Other devices' memory faults meanwhile, and after. */
CUcontext memory_guard_open(CUcontext context);
void memory_guard_close(CUcontext before);
/* Contexts may reach other memory than before. */
void memory_guard_renew(void);
/* foreign.c: say which device touched whose memory when that ends in a fault. */
void foreign_watch(void);
/* The device whose context is let in, and whose memory an address is; -1: none. */
CUdevice memory_viewer(void);
CUdevice memory_owner(CUdeviceptr address);
/* Red zones intact? Aborts when not. */
void memory_check_red_zones(void);

/* physical.c: the pages of device memory and their budget. */
struct physical {
    uint64_t offset; /* in the memory file */
    size_t bytes;
    unsigned references; /* handle and mappings */
    CUdevice device;
};
CUresult physical_open(void);
CUresult physical_take(CUdevice device, size_t bytes, size_t alignment, struct physical **physical);
void physical_drop(struct physical *physical);
int physical_file(void);
unsigned char *physical_alias(uint64_t offset);
size_t physical_used(CUdevice device);

/* pinned.c: pinned host memory. */
enum host_kind { HOST_PAGEABLE, HOST_ALLOCATED, HOST_REGISTERED, HOST_MIXED };
enum direction { TO_DEVICE, TO_HOST };
struct piece {
    unsigned char *host, *device; /* device: an alias */
    size_t bytes;
};
/* Its kind for a copy in the context `by`: only portable pins are pins to other contexts than their own. */
enum host_kind pinned_classify(CUcontext by, const void *pointer, size_t bytes);
/* Move pieces, all in the same host memory: by DMA where that is registered, unless it is pageable to the copy. */
void pinned_transfer(enum direction direction, bool is_pageable, const struct piece *pieces, size_t count);
void pinned_reset(CUdevice device);
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
    bool is_wait;                   /* for another stream: it is run again where that is NOT_READY */
    CUdeviceptr begin[2], end[2];   /* device memory that a copy touches */
    const unsigned char *host_begin, *host_end; /* host memory that it touches */
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
/* Run what is queued on one stream, the same up to an operation, or all streams of a device. */
CUresult stream_drain(CUstream stream);
CUresult stream_drain_to(CUstream stream, uint64_t position);
/* The same as stream_drain_to for who does not wait: CUDA_ERROR_NOT_READY while a kernel goes on, where the
 * others abort. */
CUresult stream_advance_to(CUstream stream, uint64_t position);
/* For a stream of `device` that waits: another device's failure is told to who waits for that one. NOT_READY as above. */
CUresult stream_advance_for(CUdevice device, CUstream stream, uint64_t position);
/* Has `other` come to the position, or is a wait for that queued in the stream? */
bool stream_is_behind(CUstream stream, CUstream other, uint64_t position);
CUresult stream_drain_device(CUdevice device);
/* The context of a stream, NULL for none; the device of the operation that runs, -1 for none. */
CUcontext stream_context(CUstream stream);
CUdevice stream_running_device(void);
/* True when a queued copy touches device memory, or host memory, in the range. */
bool stream_uses(CUdeviceptr address, size_t bytes);
bool stream_uses_host(const unsigned char *begin, const unsigned char *end);
void stream_reset(CUdevice device);
void stream_census(struct emulated_census *census);

/* event.c */
bool event_awaits(const struct operation *operation, CUstream stream, uint64_t position);
void event_reset(CUdevice device);
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
CUcontext context_current(void); /* of the calling thread; NULL: none */
CUdevice context_device(void); /* of the calling thread's current context; -1: none */
CUdevice context_device_of(CUcontext context);
bool context_is_known(CUcontext context);
/* May what runs in the context use memory that was allocated on the device? */
bool context_reaches(CUcontext context, CUdevice device);
CUresult context_allow_peer(CUcontext peer); /* let the current context reach the peer's device */
bool context_may_reach(CUdevice device, CUdevice other); /* if it is asked for */
CUcontext context_create(CUdevice device); /* of the program's own; there is no limit to what it may use */
CUresult context_push(CUcontext context);
CUresult context_destroy(CUcontext context);
void context_reset_primary(CUdevice device);
int context_capture_mode(void); /* of the calling thread */
CUresult context_check(void); /* CUDA_SUCCESS when the calling thread has a current context */
bool context_is_forked(void);

/* module.c */
size_t module_count(void);
void module_reset(CUdevice device);

/* grid.c: run a kernel; all blocks at once if they are to wait for each other. CUDA_ERROR_NOT_READY: it has
 * begun, and goes on as long as grid_is_running (EMULATED_ABSENT, EMULATED_STUCK, of cooperative ones). */
enum launch_kind { LAUNCH_PLAIN, LAUNCH_COOPERATIVE, LAUNCH_CLUSTER };
struct kernel {
    const char *name;
    void (*run)(const void *arguments);
    size_t argument_bytes;
};
CUresult grid_run(const struct kernel *kernel, const void *arguments, unsigned blocks, unsigned threads,
                  size_t shared_bytes, enum launch_kind kind);
bool grid_is_running(void);

#endif
