/* device.h - the CUDA devices of this process: the choice among the visible ones, each with context,
 * properties, kernels, plain memory, and copies from one to another.
 *
 * Nothing here happens before device_wake(): no CUDA at load time (invariant 5). The device lives in the
 * primary context, which the program may share; each use is bracketed by device_enter / device_leave, which
 * restore the program's current context and notice a context that was reset (invariant 9). Functions are
 * thread-safe unless said otherwise. */
#ifndef MUBLAS_DEVICE_H
#define MUBLAS_DEVICE_H

#include "common/launcher.h"
#include "common/log.h"
#include "common/settings.h"
#include "gpu/driver.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The kernels of kernels.def and route_kernels.def, loaded into one CUDA context.
 *
 * The functions of a set give the driver's own result and log nothing: their caller says what it was for. A
 * set lives as long as its context. Loading it is not thread-safe. */
enum kernel {
#define KERNEL(name, arguments) KERNEL_##name,
#include "gpu/kernels/kernels.def"
#include "gpu/kernels/route_kernels.def"
#undef KERNEL
    KERNEL_COUNT
};

struct kernel_set {
    CUmodule module;
    int multiprocessors; /* of the device */
    pthread_mutex_t lock;
    struct kernel_entry {
        CUfunction function; /* NULL: not looked up yet */
        size_t shared_bytes; /* dynamic shared memory that it may use */
        bool has_large_clusters; /* its clusters may have more than 8 blocks */
    } entries[KERNEL_COUNT];
};

/* False where the build had no nvcc: then only an emulated driver can load the set. */
bool kernel_set_is_built(void);

/* 16 hexadecimal digits: a hash of the sources of the kernels in kernels.def. Measurements of one set
 * say nothing of another. Made by the build. */
extern const char kernel_set_hash[17];

/* Load the kernels into the current context. */
CUresult kernel_set_load(struct kernel_set *set);

/* The function of a kernel, allowed that much dynamic shared memory. In its context. */
CUresult kernel_set_function(struct kernel_set *set, enum kernel kernel, size_t shared_bytes,
                             CUfunction *function);

/* The same, whose clusters may have as many blocks as the device takes. */
CUresult kernel_set_cluster_function(struct kernel_set *set, enum kernel kernel, size_t shared_bytes,
                                     CUfunction *function);

/* The name of a kernel, as in kernels.def. */
const char *kernel_name(enum kernel kernel);

/* Which of the visible devices this process uses, and with how many others. */
struct device_choice {
    int ordinal; /* of the first */
    int count;   /* of those that this process uses, at least 1 */
    int ordinals[DEVICES_MAX];
    bool has_candidates; /* those behind the first were not named: enum candidate_refusal */
    int devices; /* visible ones, at least 1 */
    int missing; /* an ordinal that was asked for beside others and is not there; negative: none */
    int sharers; /* processes of this job that use the same device, this one included; 1 where unknown */
    char reason[160]; /* "OMPI_COMM_WORLD_LOCAL_RANK=3, 2 visible, shared by 2 of 4 ranks" */
};

/* `setting` is MUBLAS_DEVICE. Auto: one, the local rank modulo the number of devices. All: from that one on.
 * Devices of a list that are not there are left out; if none is, the first stays, too large as it is.
 * `bound_of`: the environment shows this process one device only, chosen of so many (device_sharing.h); 0: it
 * does not. Nobody knows who shares a device that the environment or a list chose: the ranks are taken to be
 * dealt fairly. Pure. */
struct device_choice device_choice_make(const struct device_list *setting, const struct local_rank *rank,
                                        int devices, int bound_of);

/* Without a setting and a launcher the others are candidates: they are used where that pays. Pure. */
void device_choice_add_candidates(struct device_choice *choice, const struct device_list *setting,
                                  bool is_launched);

/* A candidate whose memory is free to this part counts as used by nobody else: the driver and our context
 * there take part of the rest. */
enum { CANDIDATE_FREE_PERCENT = 90 };

/* Before a device is woken: it is to be that one, whatever ranks and settings say. */
void device_choose_alone(int ordinal);

/* Why the device at this place among the ordinals is one of them. */
const char *device_choice_reason(const struct device_choice *choice, int place);

/* Bytes of device memory that this process may take: of an amount in percent (0 to 100) its share of
 * the whole device, at most that part of what is free or already its own. Pure. */
size_t device_choice_share(const struct device_choice *choice, unsigned percent, size_t available_bytes,
                           size_t total_bytes);

struct device;

struct device_properties {
    char name[96];
    int ordinal;
    int driver_version; /* 13000 for CUDA 13.0 */
    int compute_major, compute_minor;
    int multiprocessors;
    size_t memory_bytes;
    size_t l2_bytes;
    size_t shared_bytes_per_block; /* with opt-in */
    double clock_hz;
    double memory_bandwidth;       /* bytes per second, from clock and bus width */
    bool has_virtual_memory;       /* cuMemCreate and friends */
    bool has_cooperative_launch;
    bool has_clusters; /* of blocks that reach each other's shared memory */
    bool uses_host_page_tables; /* for the program's memory, pinned or not (Grace) */
    bool has_mps;      /* contexts there are NVIDIA's MPS server's clients */
};

/* Is it the name, or what begins with it, of the device of tests/emulated_driver? Its times say nothing of a
 * GPU's. */
static inline bool device_name_is_emulated(const char *name)
{
    return strncmp(name, "Emulated device", sizeof "Emulated device" - 1) == 0;
}

/* Which devices this process is to use, by MUBLAS_DEVICE or its local rank. Opens and initialises
 * the driver, makes no context. STATUS_NO_DEVICE when there is none; that it is fewer than the setting
 * asks for is not looked at. */
enum status device_choose(struct device_choice *choice);

/* Open the driver, initialise it, and choose devices, which takes a third of the time of device_wake. That
 * does it where nobody has. */
enum status device_start_driver(void);

/* Wake the first device of device_choose: open the driver, retain the primary
 * context, load the kernels. The first call does the work (about 0.4 s); later
 * ones return the same answer, also a failure. On success *device is set. */
enum status device_wake(struct device **device);

/* A device that stands for the program's own context, which is current on this thread, with kernels loaded
 * into it: for the native API. It never counts as shared, since the program knows what else it does there,
 * and lasts as long as the process; device_check may disable it, nothing else does. Logs nothing. */
CUresult device_of_context(struct device **device);

/* Why device_wake found none, for the report; NULL: it has found one, or what it logged tells more. Static
 * storage. */
const char *device_fault(void);

/* The same as device_wake of the one at `place` among the ordinals of device_choose, below DEVICES_MAX.
 * STATUS_NO_DEVICE where it has fewer. A candidate that others use gives STATUS_UNSUPPORTED where that was
 * seen without a context there, STATUS_BUSY where it took one, which is gone again. */
enum status device_wake_at(int place, struct device **device);
int device_place(const struct device *device); /* -1: of device_of_context */

/* Why the candidate at `place` was left alone when it was to be woken; static storage. NULL: it was not. */
const char *device_refusal_at(int place);

/* Give the device up for the rest of the process; `reason` is logged once. */
void device_disable(struct device *device, const char *reason);

/* The same for a tool that goes on without the device: release the primary context too, with all that is in
 * it, so that it takes no part in what other processes do there. Outside device_enter; nobody uses the device
 * or a lane of it meanwhile or afterwards. */
void device_close(struct device *device);
bool device_is_usable(const struct device *device);

const struct device_properties *device_properties(const struct device *device);

/* How the devices of this process were chosen. */
const struct device_choice *device_chosen(const struct device *device);

/* True when the program uses CUDA itself: the device had a context before it was woken,
 * or a thread that calls BLAS has one. */
bool device_is_shared(const struct device *device);

/* True when this host memory is pinned, by whomever. Inside device_enter. */
bool device_has_pinned(const void *memory);

/* Why the candidate with this ordinal would be left alone now, as far as can be told without a context there;
 * static storage. NULL: it would not be. After device_choose. */
const char *device_candidate_fault(int ordinal);

/* Properties of an ordinal without creating a context, for `mublas info` and
 * for the policy's crossovers. */
enum status device_query(int ordinal, struct device_properties *properties);

/* Bracket every sequence of driver calls on one thread. After device_enter
 * succeeded device_leave must follow; may be nested. STATUS_DEVICE_LOST when the primary
 * context was destroyed or reset by the program: the device is disabled.
 * STATUS_NO_DEVICE when the process ends (driver.h). */
struct device_scope {
    CUcontext before; /* the program's own on this thread */
    int capture_mode;
};
enum status device_enter(struct device *device, struct device_scope *scope);
void device_leave(struct device *device, struct device_scope *scope);

/* driver_check that also disables the device on a fatal error. Use this for
 * every driver call made on behalf of a device. */
enum status device_check(struct device *device, CUresult result, const char *what);

/* Queue a kernel whose blocks do not wait for each other, with this one argument. Inside device_enter. */
enum status device_launch(struct device *device, CUstream stream, enum kernel kernel, unsigned blocks,
                          unsigned threads, size_t shared_bytes, void *arguments);

/* The kernels, loaded into the device's context. */
struct kernel_set *device_kernels(struct device *device);

/* Plain device memory. Inside device_enter. A size of 0 is an error. */
enum status device_allocate(struct device *device, size_t bytes, CUdeviceptr *address);
void device_free(struct device *device, CUdeviceptr address);

/* Copies between devices need no access of the one to the other's memory. With it they would be faster, but
 * it is the program's to ask for: CUDA refuses it a second time. */

/* Memory from device_allocate. Queued on a stream of `from`. Inside device_enter of `from`, as is the
 * other. */
enum status device_peer_copy(struct device *from, CUdeviceptr source, struct device *to,
                             CUdeviceptr destination, size_t bytes, CUstream stream);

/* device_check for what was queued on a stream of `device` and has to do with another: a failure of the other
 * is not taken for one of the device. */
enum status device_peer_check(struct device *device, CUstream stream, struct device *other, CUresult result,
                              const char *what);

/* A candidate is a device beside the first that nobody named. mublas uses it only while nobody else does.
 * Whatever can be told without a context there is looked at first. Its memory is looked at in a context of
 * ours, so only once calls have paid for one. */

/* The reason to leave a candidate alone. */
enum candidate_refusal {
    CANDIDATE_FREE,
    CANDIDATE_EXCLUSIVE,  /* its compute mode keeps it for one process, or for none */
    CANDIDATE_OF_PROGRAM, /* the program has a context there */
    CANDIDATE_OCCUPIED    /* others have filled memory there */
};

/* Only device.c and device_wake.c, which implement it, use the fields. */
struct device {
    int place; /* -1: device_of_context */
    const struct device_choice *choice;
    struct device_properties properties;
    CUdevice handle;
    CUcontext context;
    unsigned long long context_id;
    struct kernel_set kernels;
    atomic_bool is_shared;
    atomic_bool usable;
    _Atomic enum candidate_refusal refusal;
    bool is_programs; /* device_of_context */
};

#endif
