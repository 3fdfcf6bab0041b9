/* emulated.h - what the emulated libcuda.so.1 exports beyond the driver API, for tests.
 *
 * Look the functions up with dlsym in the handle of libcuda.so.1. Environment
 * variables and the rules of the emulation are in README.md. Thread-safe. */
#ifndef MUBLAS_EMULATED_H
#define MUBLAS_EMULATED_H

#include "gpu/driver.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* True when copies to and from cuMemHostRegister'ed memory bypass the page tables
 * as DMA does (io_uring works here); false: they are plain copies, skip such tests. */
bool emulated_has_dma(void);

/* Calls of a function so far, the failed ones included: "cuLaunchKernel",
 * "cublasDsyr2k_v2", or the events "KERNEL" and "COPY_BACK". Unknown name: aborts. */
unsigned long emulated_call_count(const char *function);

/* Replace the script of faults (form of EMULATED_FAULTS); calls count from now.
 * NULL or "": none. Also ends a sticky error. Aborts on a bad script. */
void emulated_set_faults(const char *script);

/* Does what cudaDeviceReset does to the primary context, and the program then using CUDA again, on the first
 * device: memory, streams, events, modules and registrations are gone, device addresses will be dealt again
 * from the start, the context has another id. */
void emulated_reset_primary(void);

/* Objects alive: allocations and physical handles, mappings, address
 * reservations, pinned ranges, streams, events, modules. */
struct emulated_census {
    size_t allocations, physical, mappings, reservations, pinned, streams, events, modules;
    size_t used_bytes; /* device memory */
};
void emulated_census(struct emulated_census *census);

/* EMULATED_CONTROL names a file of this size: before the call that makes `remaining` 0 the signal goes to the
 * process (0: the one whose device this is). Calls are counted, but for those that change what is current or
 * ask whether something has come; with `counts_copies_home` copies to the host, before each begins. A census
 * that is wanted is taken at the next call of any kind. */
struct emulated_control {
    _Atomic int64_t remaining;
    int64_t signal, process;
    _Atomic uint64_t calls;
    atomic_int counts_copies_home;
    atomic_int census_is_wanted, census_is_taken;
    struct emulated_census census;
    _Atomic int64_t delay;        /* microseconds that each of these calls takes besides */
    _Atomic uint64_t cooperative; /* launches, with those that fail */
};

/* Read or write device memory at once, ignoring streams: for a test's own eyes.
 * False when the range is not wholly accessible. */
bool emulated_peek(void *destination, CUdeviceptr source, size_t bytes);
bool emulated_poke(CUdeviceptr destination, const void *source, size_t bytes);

/* Called for every kernel that is launched or captured, with the struct that it is given;
 * NULL: nobody. It must not call the driver. */
typedef void launch_watcher(CUstream stream, const char *kernel, const void *arguments);
void emulated_watch_launches(launch_watcher *watcher);

/* The caller is half way until the file that the variable names is there; the file with .begun behind its
 * name tells that it is, by a byte for each caller. A fork or the process's end meanwhile aborts: nothing
 * must meet it so. */
void emulated_hold(const char *variable);
/* Wait for the destructors of user objects without references. */
void emulated_await_destructors(void);

/* For the emulated cuBLAS and cuSOLVER: the current context's device, -1 for none; abort unless it is that of
 * the handle; count operations that the device which runs them needs time for, false where it is not to do
 * them. */
int emulated_current_device(void);
void emulated_check_device(const char *function, int device);
bool emulated_work(double operations);
/* For the emulated cuSOLVER: is the whole range device memory of the current context's device? */
bool emulated_is_accessible(CUdeviceptr address, size_t bytes);
/* For the emulated cuSOLVER: fill an output of a call that is about to be queued with the value's bytes,
 * unless a copy that is queued touches it, or anything is queued in the stream and others than copies
 * may read it. */
void emulated_poison_output(CUstream stream, CUdeviceptr address, size_t bytes, uint64_t value,
                            bool only_copied);

/* For the emulated cuBLAS and cuSOLVER, of the last element of a result with so many rows, or its real part:
 * make it wrong by a million units if EMULATED_WRONG has FUNCTION:OPERAND and there are 16 rows: small trials
 * of a library pass. */
void emulated_spoil(const char *function, const char *operand, int64_t rows, void *element, bool is_single);

/* For the emulated cuBLAS and cuSOLVER: count a call by name and get its injected result (0: none). */
int emulated_enter(const char *function);
/* For the same: is the stream's work captured? */
bool emulated_is_captured(CUstream stream);
/* For the same: run function(copy of argument) in stream order, with device
 * memory accessible. */
CUresult emulated_enqueue(CUstream stream, void (*function)(void *argument), const void *argument,
                          size_t bytes);

#endif
