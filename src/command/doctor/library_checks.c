/* The libraries that mublas works with, and the recipe. */
#include "command/doctor/checks.h"
#include "command/lapack_call.h"
#include "common/settings.h"
#include "gpu/vendor/cublas_library.h"
#include "gpu/vendor/solver_library.h"
#include "host/host_search.h"

#include <stdlib.h>
#include <string.h>

static const char install_host[] =
    "install a BLAS (Debian: libopenblas0-pthread), or name one by MUBLAS_HOST_BLAS";

/* The reference BLAS is right but slow. */
static bool is_reference(const char *path)
{
    return strstr(path, "/blas/libblas.so.3") != NULL;
}

void check_host(struct patient *patient)
{
    struct findings *findings = &patient->findings;
    struct host_library lapack, host;
    /* A LAPACK brings a BLAS with it into this process. */
    const bool has_host = host_search("dgemm_", &host), has_lapack = lapack_call_host(&lapack);
    const char *set = settings()->host_blas;
    if (!has_host)
        finding_wrong(findings, "host BLAS", install_host, "none is found for programs that bring none");
    else if (*set && !strstr(host.origin, "MUBLAS_HOST_BLAS"))
        finding_wrong(findings, "host BLAS", "correct or unset MUBLAS_HOST_BLAS",
                      "MUBLAS_HOST_BLAS=%s is not used; in its place is %s", set, host.path);
    else
        finding_good(findings, "host BLAS", "%s (%s)%s; %s%s", host.path, host.origin,
                     is_reference(host.path) ? ", the slow reference: OpenBLAS is faster" : "",
                     has_lapack ? "LAPACK: " : "no LAPACK", has_lapack ? lapack.path : "");
}

static const char *why_no_library(const struct patient *patient)
{
    return patient->has_device ? "the device is not awake" : "there is no device";
}

void check_cublas(struct patient *patient)
{
    static const char subject[] = "cuBLAS";
    const char *found = cublas_library_find();
    struct device_scope scope;
    if (!found) {
        finding_wrong(&patient->findings, subject,
                      *settings()->cublas ? "correct or unset MUBLAS_CUBLAS"
                                          : "install libcublas of CUDA 11, 12 or 13 in a folder of the "
                                            "loader, or name it by MUBLAS_CUBLAS",
                      "%s%s: level 3 (gemm, trsm) stays on the host",
                      *settings()->cublas ? "there is no " : "none is found", settings()->cublas);
        return;
    }
    if (!patient->device || device_enter(patient->device, &scope) != STATUS_OK) {
        finding_skipped(&patient->findings, subject, why_no_library(patient));
        return;
    }
    patient->has_cublas = cublas_library_open(device_place(patient->device));
    device_leave(patient->device, &scope);
    if (patient->has_cublas)
        finding_good(&patient->findings, subject, "%s", found);
    else
        finding_wrong(&patient->findings, subject,
                      "use one that is not newer than the driver (mublas doctor with "
                      "MUBLAS_VERBOSE=2 says what is wrong with each)",
                      "%s and others like it cannot be used: level 3 "
                      "(gemm, trsm) stays on the host",
                      found);
}

void check_cusolver(struct patient *patient)
{
    static const char subject[] = "cuSOLVER";
    const char *found = solver_library_find();
    const struct solver_library *library = NULL;
    if (!found)
        finding_wrong(
            &patient->findings, subject,
            *settings()->cusolver
                ? "correct or unset MUBLAS_CUSOLVER"
                : "install libcusolver of CUDA 12 or 13 with its libcublas, or name it by MUBLAS_CUSOLVER",
            "%s%s: LAPACK stays on the host", *settings()->cusolver ? "there is no " : "none is found",
            settings()->cusolver);
    else if (!patient->device)
        finding_skipped(&patient->findings, subject, why_no_library(patient));
    else if (solver_library_open(patient->device, &library) == STATUS_OK)
        finding_good(&patient->findings, subject, "%d.%d.%d, %s, with %s", library->version_number / 1000,
                     library->version_number % 1000 / 100, library->version_number % 100, library->file,
                     library->blas_file);
    else
        finding_wrong(&patient->findings, subject,
                      "use one that is not newer than the driver, with its own cuBLAS "
                      "(mublas doctor with MUBLAS_VERBOSE=2 says what is wrong with each)",
                      "%s and others like it cannot be used: LAPACK stays on the host", found);
}
