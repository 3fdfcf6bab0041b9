/* purchase.h - what takes long to get, and then stays, opened once calls make that worth while (ledger.h):
 * the device (waking.c), cuBLAS and cuSOLVER (openings.c); the work that gets it beside the program
 * (purchase.c); and the end of a process whose last thread is the driver's (last_thread.c). Any thread may
 * call these at once. */
#ifndef MUBLAS_PURCHASE_H
#define MUBLAS_PURCHASE_H

#include "gpu/device.h"
#include "gpu/vendor/solver_library.h"
#include "interpose/call/program_call.h"
#include "interpose/policy.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Work that takes long, such as waking a device, done beside the program.
 *
 * Each job gets a thread of ours: all signals blocked, a small stack, gone when the job is done, of
 * ordinary priority: at the lowest one it held up the program, for as long as it waited for a
 * processor with the lock of the address space in its hands (dsyevd 4096 on an H100 with 16 busy
 * processors: 2.9 s on the host, 3.2 with a waking thread of nice 19, 3.0 of nice 0). A
 * fork waits for it, so that no child inherits locks of libraries that were half way; so does
 * exit, before what the job opens is taken down (background_watch_thread); neither for ever, since the thread
 * that forks or ends the process may itself hold what the job needs, and a job that hangs is waited for
 * once: 10 seconds by forks, 5 by ends of threads and 5 by exit, all together. An end without exit handlers
 * (_exit, exec, a signal) takes the job with it. Any thread may call these. */
enum background_state {
    BACKGROUND_NOT_BEGUN,
    BACKGROUND_RUNNING,
    BACKGROUND_DONE
};

/* Static storage, zero but for `work`, which may look at exit_gate_is_closed between its steps, and
 * must not wait for the caller of background_begin. Its argument is the job. */
struct background_job {
    void (*work)(struct background_job *job);
    atomic_int state;
    atomic_bool had_loader, waited_in_vain;
    _Atomic uint64_t waited_nanoseconds; /* background_await's, until it was done */
};

/* Begin the job, unless it was begun before. The job stays BACKGROUND_NOT_BEGUN if no thread can be had,
 * or the process is forking or ending. */
void background_begin(struct background_job *job);

/* The calling thread may be the one that ends the process: let its exit wait for jobs. Handlers that
 * libraries register in the middle of being opened run before ours at exit, but after the destructors of
 * the thread that calls exit. A thread other than the main one waits when it ends by itself, too, which
 * cannot be told apart. Cheap after the first time. */
void background_watch_thread(void);

/* How far it is; if it runs, after waiting for it, at most so many seconds: another thread may
 * hold what it needs (a library's constructor, the dynamic linker's lock). After
 * BACKGROUND_DONE all that the job wrote is seen. */
enum background_state background_wait(struct background_job *job, unsigned seconds);

/* The same for who needs it, with patience for a slow machine, but not for a thread that opens a library:
 * that may be the caller, in the library's constructor. Only for a look once that was in vain. */
enum background_state background_await(struct background_job *job);

/* Do it now: begun beside the program, and awaited; else by the caller. False: it is still under way. */
bool background_do(struct background_job *job);

/* A purchase has its price, which calls pay by what they would gain (enum purchase_time in ledger.h). It
 * sleeps until they have paid a part; then it is prepared beside the program while they stay on the host (not
 * the first device, which is prepared while a call waits); once they have paid all, the next waits for it if
 * need be. So which call is the first
 * to use it depends on the calls alone. If there can be no thread of ours, that call gets it itself.
 * Any thread may call these at once. */
struct purchase {
    struct background_job job;
    bool (*get)(struct device *device); /* false: it failed */
    struct device *_Atomic device;      /* where; NULL for the device itself */
    _Atomic uint64_t nanoseconds;       /* that `get` took */
    atomic_bool is_awaited;
};

/* Static storage. */
#define PURCHASE(getting) {.job = {.work = purchase_work}, .get = (getting)}
void purchase_work(struct background_job *job);

/* Prepare it. */
void purchase_begin(struct purchase *purchase, struct device *device);

/* Get it, or wait until it is prepared. False: it is not to be had now, since another thread may hold what
 * it needs. */
bool purchase_finish(struct purchase *purchase, struct device *device);

/* The same for one call at a time, while others get false and go on on the host, unless they are to go to
 * the device always. */
bool purchase_finish_alone(struct purchase *purchase, struct device *device);

/* For the report. nanoseconds 0: not got, or no report is wanted. A call's wait counts only where it
 * was prepared beside the program. */
struct purchase_times {
    uint64_t nanoseconds, waited_nanoseconds;
    bool beside;
};
struct purchase_times purchase_times(struct purchase *purchase);

/* End the process as its last thread would, were the CUDA driver's threads not there.
 *
 * A process whose main thread leaves by pthread_exit ends with its last thread: that calls exit(0) in the C
 * library. The driver has threads that last for ever, in a program without CUDA by mublas alone. So once main
 * has ended a thread of ours looks ten times a second whether the program has any left, and then does what
 * its last one would have done, with main's signal mask. The host BLAS's threads (OpenBLAS keeps some) count
 * as the program's: they keep it without mublas, too.
 *
 * Threads inherit the I/O priority of the one that makes them. The driver's are told from all others by
 * one that hardly differs from the usual one, but is not what programs set: a thread has it while it makes
 * the driver do what may start threads. Nothing is done if the kernel refuses that, or such a thread has had
 * the same of its own. Nor is a program ended that uses CUDA itself; but signals find a thread
 * that takes them then, since the driver's have those blocked that the thread which made them had, as all
 * threads of background jobs have. Not noticed: the end of a main thread that neither loaded the library nor
 * made such a call. */

/* Threads that the calling thread makes between these are the driver's. Pass on what the first gave, and
 * whether the driver is in use now. Any thread may call them, not one pair within another. */
int last_thread_driver_begins(void);
void last_thread_driver_has_begun(int priority_before, bool is_awake);

/* The device takes a third of a second. A call waits for it once calls would have gained its price and a
 * quarter more (wake_is_paid). The first that finds the price paid waits or wakes while the others go on on
 * the host, or wait too in always mode. A device that was woken stays for the life of the process. */

/* Is there a device? Wakes the first when this call, considered, makes that worth while. False: host, for
 * *reason. Sets the early credit of a call of BLAS. Which device takes it is another matter
 * (other_devices.c). */
bool waking_get_device(struct program_call *call, enum host_reason *reason);

/* Was none usable when calls had paid for one? A load. */
bool waking_has_failed(void);

/* Under an estimate there is a device from the call on that would have woken it, and none is touched. Would
 * calls have woken it by now? */
bool waking_is_foretold(void);

/* The first device and its state in one line, for the report: what was used, or why
 * nothing was. Static storage; never wakes a device. */
const char *waking_description(void);

/* The same for a program: what became of the device. */
enum waking_end { WAKING_USED, WAKING_ASLEEP, WAKING_UNUSED, WAKING_NONE, WAKING_LOST };
enum waking_end waking_end(void);

/* For the report. */
struct purchase_times waking_times(void);

/* Opening cuBLAS takes as long as thousands of small calls, and so does each routine's first use, in which
 * cuBLAS loads its kernels. Can it be had at all? */
enum level3_outlook {
    LEVEL3_UNKNOWN, /* another thread holds what is needed to look */
    LEVEL3_MAY_COME, /* there is a file, or it is open */
    LEVEL3_MISSING  /* no call of level 3 ever goes to the device, and none is a reason to wake one */
};

/* Under an estimate both libraries may come, and level3_opening_pays opens nothing.
 *
 * Look for cuBLAS without opening it, beside the program, once: some microseconds, for which the caller
 * waits. */
enum level3_outlook level3_opening_look(void);

/* False for a level 3 call, which the device would do now, that is not worth opening cuBLAS or
 * loading the routine for, so far. */
bool level3_opening_pays(struct device *device, const struct program_call *call);

/* Can the device do it? Opens cuBLAS for level 3 that is worth it, or waits until it is open, as one call
 * does for all. */
enum host_reason level3_opening_find(struct device *device, const struct program_call *call);

/* For the report. */
struct purchase_times level3_opening_times(void);

/* Is there a file of cuSOLVER? Looked for once, beside the program, for which the caller waits some
 * microseconds; true as long as that is not known. */
bool solver_opening_may_come(void);

/* Around what takes long to make a device ready, in auto mode: load the files of the libraries that calls
 * have paid a part of, which needs no device, beside that. From the end on what opens them finds them
 * loaded in the same order, whatever the clock. */
void openings_begin_loading(void);
void openings_end_loading(void);

/* The library, opened if what calls have gained covers it, in always mode at once; one call waits for all.
 * HOST_NO_REASON: *found is it. */
enum host_reason solver_opening_find(struct device *device, const struct solver_library **found);

/* For the report. */
struct purchase_times solver_opening_times(void);

#endif
