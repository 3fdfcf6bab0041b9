/* vendor_library.h - NVIDIA's libraries beside the driver (cuBLAS, cuSOLVER), found, opened and looked up at
 * run time; and level 3 calls by cuBLAS (cublas_library.c).
 *
 * The first candidate counts that can be opened, has every symbol that is needed, in itself or in a library
 * that it brings with it, and whose `create` and `trial` succeed: a toolkit newer than the driver opens well,
 * and cannot be used. A candidate that was refused stays loaded, since it may have registered handlers or
 * started threads; one that is the same file as an earlier one is not tried again. Callers see to it that one
 * thread at a time uses a description. */
#ifndef MUBLAS_VENDOR_LIBRARY_H
#define MUBLAS_VENDOR_LIBRARY_H

#include "common/blas_call.h"
#include "gpu/driver.h"
#include "gpu/lane.h"
#include "gpu/vendor/cublas_handles.h"

#include <stdbool.h>

typedef void vendor_function(void);

struct vendor_symbol {
    const char *name;
    void *address;    /* of a function pointer: set while a candidate is tried; NULL after a refusal */
    bool is_optional; /* where it is missing the pointer is NULL */
};

struct vendor_library {
    const char *name;               /* "cuBLAS" */
    const char *consequence;        /* of having none: "level 3 stays on the host" */
    const char *setting;            /* that names another one: "MUBLAS_CUBLAS" */
    const char *const *candidates;  /* names or paths for dlopen, the preferred one first; ends with NULL */
    const struct vendor_symbol *symbols; /* ends with a NULL name */
    int (*create)(void); /* makes what is used, by the symbols' addresses: 0, or the library's status */
    /* Then: NULL, or what is wrong with it, in static storage. Either may be NULL. */
    const char *(*trial)(void);
};

/* Another who has the libraries, where another fills the driver's table (driver_offer): the service. To be offered
 * while the process is set up; asked once driver_is_provided(). Then nothing is loaded here, and files that are found
 * say no more than that the other may find them, too. */
struct vendor_provider {
    bool (*open)(const char *library);    /* "cuBLAS" or "cuSOLVER" */
    void *(*symbol)(const char *name);    /* of solver.def; NULL: it has none */
    CUresult (*level3)(CUstream stream, const struct blas_call *call); /* by cuBLAS; operands on the device */
    /* cuSOLVER's, which it has tried before it opened it; and whether the eigensolvers pass their trial. */
    int (*solver_version)(void);
    bool (*has_eigensolvers)(void);
};
void vendor_library_offer(const struct vendor_provider *provider);
/* NULL: the libraries are this process's own. */
const struct vendor_provider *vendor_library_provider(void);

/* The first candidate, or `named` instead of all (the setting's value; "": not set), for which the loader
 * finds a file, by its own rules; NULL: there is none, which is logged. Loads nothing and runs nothing of it;
 * takes the loader's lock for some microseconds. A file that is found may still turn out not to be usable. */
const char *vendor_library_find(const struct vendor_library *library, const char *named);

/* Load the file that find has given, so that open finds it loaded: a device is not needed for that. Whether it can
 * be loaded is open's to say. */
void vendor_library_load(const char *file);

/* Open one, in the device's context. False: none can be used, which is logged with what is wrong with each,
 * or the process ends. */
bool vendor_library_open(const struct vendor_library *library, const char *named);

/* CuBLAS, opened at run time, and level 3 calls by its routines.
 *
 * The types restate the binary interface (cuBLAS documentation, v2 API; the same in 11 to 13). Integers are
 * 32 bits wide. Scalars are passed by host address; those of herk, and her2k's beta, are real. */

enum { CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_ALLOC_FAILED = 3, CUBLAS_STATUS_EXECUTION_FAILED = 13 };
enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 };
enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1 };
enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 };
enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 };

/* A routine of level 3: the handle, then the arguments of the BLAS routine (common/routines.def). */
typedef int cublas_level3(cublasHandle_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                          uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);

/* The file that cublas_library_open will try first, as dlopen takes it; NULL: there is none, and level 3
 * stays on the host, which is logged. Once, later calls give the same answer. Opens nothing
 * (vendor_library.h): for before a device is awake. Thread-safe, and so are those below. */
const char *cublas_library_find(void);

/* Open cuBLAS and make a handle, in the context of the device at `place` (device.h); once for each, later
 * calls give the same answer. False where that cannot be: logged. */
bool cublas_library_open(int place);

/* A routine of level 3, as the type above. */
typedef vendor_function cublas_function;

/* True for a level 3 call (gemm, symm, hemm, syrk, herk, syr2k, her2k, trmm, trsm) whose sizes
 * and leading dimensions fit 32 bits, where cuBLAS has the routine: it is opened on first
 * use, and what is missing is logged once. */
bool level3_supported(struct device *device, const struct blas_call *call);

/* Load its file, for opening to find it loaded (vendor_library_load). Needs no device. */
void level3_load(void);

/* True once it is known that no cuBLAS can be had: no level 3 call is supported. */
bool level3_is_missing(void);

/* Open cuBLAS now, unless that was done or tried. */
void level3_open(struct device *device);

/* True once cuBLAS was opened, or was found to be missing: asking level3_supported costs nothing. */
bool level3_is_open(void);

/* The alignment that cuBLAS needs of the device addresses of a level 3 call's matrices: an element.
 * 0 for other calls. */
size_t level3_alignment(const struct blas_call *call);

/* Queue a supported call on the lane's stream; pointers are device addresses.
 * STATUS_UNSUPPORTED, and nothing done, for another. */
enum status level3_run(struct lane *lane, const struct blas_call *call);

/* The same on another stream of the device, inside device_enter. After a failure what is queued there is not
 * to be relied upon. */
enum status level3_queue(struct device *device, CUstream stream, const struct blas_call *call);

#endif
