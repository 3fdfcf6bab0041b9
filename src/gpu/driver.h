/* driver.h - the CUDA driver API, reached by dlopen, and the gate that keeps threads away from it once the
 * process ends.
 *
 * mublas links no CUDA. driver.def lists the functions; the types below restate the stable binary interface
 * of the driver (CUDA Driver API reference, 11.8 to 13), so that the library also builds where no CUDA
 * toolkit is installed. */
#ifndef MUBLAS_DRIVER_H
#define MUBLAS_DRIVER_H

#include "common/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef unsigned long long CUmemGenericAllocationHandle;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUuserObject_st *CUuserObject;

/* Error codes that mublas tells apart. */
enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_DEINITIALIZED = 4,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_INVALID_IMAGE = 200,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
    CUDA_ERROR_ECC_UNCORRECTABLE = 214,
    CUDA_ERROR_PEER_ACCESS_UNSUPPORTED = 217,
    CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
    CUDA_ERROR_CONTAINED = 226,
    CUDA_ERROR_INVALID_HANDLE = 400,
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
    CUDA_ERROR_LAUNCH_TIMEOUT = 702,
    CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
    CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
    CUDA_ERROR_ASSERT = 710,
    CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
    CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED = 713,
    CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
    CUDA_ERROR_LAUNCH_FAILED = 719,
    CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
    CUDA_ERROR_NOT_SUPPORTED = 801,
    CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
    CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901,
    CUDA_ERROR_INVALID_CLUSTER_SIZE = 912,
    CUDA_ERROR_UNKNOWN = 999
};

/* CUdevice_attribute */
enum {
    CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
    CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
    CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
    CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
    CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES = 100,
    CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106,
    CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH = 120,
    CU_DEVICE_ATTRIBUTE_MPS_ENABLED = 133
};

enum { CU_STREAM_NON_BLOCKING = 1 };
/* Handles that stand for the default streams, besides NULL. */
#define CU_STREAM_LEGACY ((CUstream)1)
#define CU_STREAM_PER_THREAD ((CUstream)2)
enum { CU_STREAM_CAPTURE_STATUS_NONE = 0, CU_STREAM_CAPTURE_STATUS_ACTIVE = 1 };
enum { CU_EVENT_BLOCKING_SYNC = 1, CU_EVENT_DISABLE_TIMING = 2 };
enum { CU_STREAM_CAPTURE_MODE_RELAXED = 2 };
enum { CU_USER_OBJECT_NO_DESTRUCTOR_SYNC = 1, CU_GRAPH_USER_OBJECT_MOVE = 1 };
enum {
    CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
    CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14
};
enum { CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4 };
enum { CU_MEMHOSTREGISTER_PORTABLE = 1 };
enum { CU_MEMHOSTALLOC_PORTABLE = 1 };
enum { CU_MEM_ALLOC_GRANULARITY_MINIMUM = 0 };
enum {
    CU_MEM_ALLOCATION_TYPE_PINNED = 1,
    CU_MEM_LOCATION_TYPE_DEVICE = 1,
    CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3
};
enum { CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2 };
enum { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2 };

typedef struct {
    int type; /* CUmemLocationType */
    int id;
} CUmemLocation;

typedef struct {
    int type;
    int requestedHandleTypes;
    CUmemLocation location;
    void *win32HandleMetaData;
    struct {
        unsigned char compressionType;
        unsigned char gpuDirectRDMACapable;
        unsigned short usage;
        unsigned char reserved[4];
    } allocFlags;
} CUmemAllocationProp;

typedef struct {
    CUmemLocation location;
    int flags;
} CUmemAccessDesc;

typedef struct {
    size_t srcXInBytes, srcY;
    int srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    void *srcArray;
    size_t srcPitch;
    size_t dstXInBytes, dstY;
    int dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    void *dstArray;
    size_t dstPitch;
    size_t WidthInBytes, Height;
} CUDA_MEMCPY2D;

typedef struct {
    int id; /* CUlaunchAttributeID */
    char pad[4];
    union {
        uint64_t words[8];
        struct {
            unsigned x, y, z;
        } clusterDim;
    } value;
} CUlaunchAttribute;

typedef struct {
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    CUstream hStream;
    CUlaunchAttribute *attrs;
    unsigned numAttrs;
} CUlaunchConfig;

/* The driver's functions under mublas' own names: driver()->launch_kernel(...). */
struct driver {
#define DRIVER_FUNCTION(member, symbol, parameters, way) CUresult(*member) parameters;
#include "gpu/driver.def"
#undef DRIVER_FUNCTION
};

/* The file that driver_open opens, as dlopen takes it. */
const char *driver_file(void);

/* Open libcuda.so.1 (or MUBLAS_CUDA_DRIVER) and look every function up, once.
 * STATUS_NO_DEVICE when it is absent or lacks a function (logged). Does not call cuInit. */
enum status driver_open(void);

/* Is there one to be opened? Opens none; driver_fault says what is missing. For a thread that no other opens
 * it beside. */
bool driver_is_there(void);

/* Another who may fill the table, whole, in the driver's stead: the service. To be offered while the process
 * is set up. `looks` tells in microseconds whether one seems to be there, and leaves nothing behind; `opens`
 * is asked once, and fills the table, or does not. Its `pin` refuses the program's memory; `pins_file` is for
 * memory that is mapped from the begin of a sealed file, and its `unpin` undoes it. While no thread has its
 * context current it may take memory of `physical_create` back; then `has_revoked` says so until
 * `notes_revoked`, and all that is left to do with that memory is to unmap and release it, which may fail. */
struct driver_provider {
    bool (*looks)(void);
    bool (*opens)(struct driver *table);
    CUresult (*pins_file)(int file, void *memory, size_t bytes);
    bool (*has_revoked)(void);
    void (*notes_revoked)(void);
    void (*leaves)(void); /* the process uses the device no more: all that it holds there is others' */
};
void driver_offer(const struct driver_provider *provider);
bool driver_provider_looks(void);
/* Let it fill the table now, once. False: it does not, and driver_open, which asks it first as well, will
 * open the library. */
bool driver_provide(void);
bool driver_is_provided(void); /* it did; a load */
void driver_leave(void); /* the device is used no more; nothing, where the driver is the process's own */
bool driver_has_revoked(void); /* another load */
void driver_note_revoked(void);
/* Pin memory that is mapped from a file's begin (-1: nobody knows it any more). */
CUresult driver_pin_file(int file, void *memory, size_t bytes);

/* Why driver_open failed, or what driver_is_there missed; NULL: nothing. */
const char *driver_fault(void);

/* The table; valid only after driver_open() returned STATUS_OK. */
const struct driver *driver(void);

/* The status that a driver result means for mublas, and its name as CUDA spells it. */
enum status driver_status(CUresult result);
const char *driver_error_name(CUresult result);

/* Turn a driver result into a status, logging a failure with `what` was being
 * done ("copying an operand to the device"). Out of memory logs at info level:
 * it is a normal event. Errors after which the context is unusable give
 * STATUS_DEVICE_LOST. */
enum status driver_check(CUresult result, const char *what);

/* The same address, as kernels' arguments and the vendor's libraries take it. */
static inline void *device_pointer(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

/* Parts of device memory that is dealt out begin at multiples of this, as whole allocations do. */
enum { DEVICE_ALIGNMENT = 256 };
static inline size_t device_aligned(size_t bytes)
{
    return (bytes + DEVICE_ALIGNMENT - 1) / DEVICE_ALIGNMENT * DEVICE_ALIGNMENT;
}

/* The CUDA driver takes itself down in an exit handler of its own; a call that it catches half way may lose
 * results that belong in the program's memory. So before that the calls under way finish and no other
 * begins: before all exit handlers where the main thread ends the process, else in a handler of ours,
 * registered after the driver's and therefore run before it. BLAS calls from then on are the host's. The
 * gate is thread-safe. */

/* Register the handler: after cuInit, and again after loading more of CUDA. */
void exit_gate_install(void);

/* The work of the handler, for those that know earlier that the process ends. */
void exit_gate_close(void);

/* Bracket what must not be cut off; exit_gate_leave only after true. False: the process ends. */
bool exit_gate_enter(void);
void exit_gate_leave(void);
bool exit_gate_is_closed(void);

/* This thread leaves, however deep it is inside: by a jump out of its call, which a handler makes. */
void exit_gate_leave_by_jump(void);

/* The same around a call whose parts enter one by one, for each of several devices: this thread's, until it
 * leaves, may do so although the process has begun to end, and so may those of a thread that the call has
 * started and waits for, once that says that it is one. */
bool exit_gate_enter_with_parts(void);
void exit_gate_leave_with_parts(void);
void exit_gate_be_part(void);

/* This thread expects to stay inside for this long from now: the end of the process waits for it, where
 * it would otherwise lose patience after some seconds. */
void exit_gate_expect(double seconds);

#endif
