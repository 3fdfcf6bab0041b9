/* vendor_library.h - NVIDIA's libraries beside the driver (cuBLAS, cuSOLVER), found, opened and
 * looked up at run time.
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
    /* Of cuSOLVER, which it has tried before it opened it; and whether the eigensolvers pass their trial. */
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

#endif
