/* The checks of the machine and of this process on it: driver, device, kernels and links, host BLAS, cuBLAS
 * and cuSOLVER, settings, tracking and container. */
#include "command/commands.h"
#include "command/doctor/doctor.h"
#include "command/routine_call.h"
#include "common/settings.h"
#include "gpu/driver.h"
#include "gpu/vendor/solver_library.h"
#include "gpu/vendor/vendor_library.h"
#include "host/host_search.h"
#include "mirror/host_memory/mapping.h"
#include "mirror/tracking/write_tracker.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static const char no_driver[] =
    "install NVIDIA's driver, so that nvidia-smi works; in a container start it with the "
    "GPU (docker run --gpus all, apptainer exec --nv)";
static const char bad_driver[] =
    "see what nvidia-smi says: the kernel module must be loaded and as new as the "
    "library, and this user must be able to open /dev/nvidia*";

/* The first function that the library lacks; NULL: none. */
static const char *missing_function(void *library)
{
#define DRIVER_FUNCTION(member, symbol, parameters, way) \
    if (!dlsym(library, #symbol)) \
        return #symbol;
#define OPTIONAL_DRIVER_FUNCTION(member, symbol, parameters, way)
#include "gpu/driver.def"
#undef DRIVER_FUNCTION
    return NULL;
}

void check_driver(struct patient *patient)
{
    void *library = dlopen(driver_file(), RTLD_NOW | RTLD_LOCAL);
    const char *missing = library ? missing_function(library) : NULL;
    if (!library) {
        finding_wrong(&patient->findings, "driver",
                      *settings()->cuda_driver ? "unset or correct MUBLAS_CUDA_DRIVER" : no_driver, "%s",
                      dlerror());
    } else if (missing || driver_open() != STATUS_OK) {
        finding_wrong(&patient->findings, "driver", "install a newer driver: 11.8 is the oldest that will do",
                      "%s is too old: it has no %s", driver_file(),
                      missing ? missing : "function that is needed");
    } else {
        int version = 0;
        const CUresult result = driver()->init(0);
        driver()->driver_version(&version);
        patient->has_driver = result == CUDA_SUCCESS || result == CUDA_ERROR_NO_DEVICE;
        if (patient->has_driver)
            finding_good(&patient->findings, "driver", "%s, for CUDA %d.%d", driver_file(), version / 1000,
                         version % 1000 / 10);
        else
            finding_wrong(&patient->findings, "driver", bad_driver, "%s cannot be started: %s (%d)",
                          driver_file(), driver_error_name(result), result);
    }
}

/* That MUBLAS_DEVICE names and that is not there; -1: none. */
static int missing_device(int count)
{
    const struct device_list *const wanted = &settings()->device;
    for (int i = 0; i < wanted->count; i++)
        if (wanted->ordinals[i] >= count)
            return wanted->ordinals[i];
    return -1;
}

static int visible_devices(void)
{
    int count = 0;
    if (driver()->init(0) != CUDA_SUCCESS || driver()->device_count(&count) != CUDA_SUCCESS)
        return 0;
    return count;
}

void check_device(struct patient *patient)
{
    struct findings *findings = &patient->findings;
    const int count = patient->devices = patient->has_driver ? visible_devices() : 0;
    if (!patient->has_driver)
        finding_skipped(findings, "device", "there is no driver");
    else if (count == 0)
        finding_wrong(findings, "device",
                      "unset or correct CUDA_VISIBLE_DEVICES; see what nvidia-smi -L lists; a batch "
                      "job must ask its scheduler for a GPU",
                      "the driver shows no device");
    else if (missing_device(count) >= 0)
        finding_wrong(findings, "device", "choose a smaller number, or unset MUBLAS_DEVICE",
                      "MUBLAS_DEVICE names device %d, but there %s %d, counted from 0", missing_device(count),
                      count == 1 ? "is" : "are", count);
    else if (device_choose(&patient->choice) != STATUS_OK ||
             device_query(patient->choice.ordinal, &patient->properties) != STATUS_OK)
        finding_wrong(findings, "device", bad_driver, "device %d does not answer", patient->choice.ordinal);
    else {
        const struct device_properties *properties = &patient->properties;
        patient->has_device = true;
        finding_good(findings, "device", "%d: %s, compute capability %d.%d, %.1f GiB; chosen by %s",
                     properties->ordinal, properties->name, properties->compute_major,
                     properties->compute_minor, (double)properties->memory_bytes / (1 << 30),
                     patient->choice.reason);
    }
}

static const char *kernels_advice(enum status status)
{
    if (!kernel_set_is_built())
        return "build mublas where nvcc is on PATH, or with ./configure --with-cuda=DIR";
    if (status == STATUS_OUT_OF_MEMORY)
        return "see by nvidia-smi who uses the device's memory";
    return "build mublas for this device (./configure --with-cuda-arch=LIST) and with a toolkit that is not "
           "newer "
           "than the driver; see by nvidia-smi whether the device is well and free (compute mode)";
}

/* The lack of a build is told without a device, too: another machine is no cure for that. */
void check_kernels(struct patient *patient)
{
    const enum status status = patient->has_device ? device_wake(&patient->device) : STATUS_NO_DEVICE;
    if (!patient->has_device && kernel_set_is_built()) {
        finding_skipped(&patient->findings, "kernels", "there is no device");
        return;
    }
    if (status == STATUS_OK) {
        finding_good(&patient->findings, "kernels", "loaded (set %s)", kernel_set_hash);
        return;
    }
    patient->device = NULL;
    if (kernel_set_is_built())
        finding_wrong(&patient->findings, "kernels", kernels_advice(status),
                      "the device cannot be woken: %s (MUBLAS_VERBOSE=2 says more)", status_text(status));
    else
        finding_wrong(&patient->findings, "kernels", kernels_advice(status),
                      "no kernels in this build, which was made without nvcc: every call stays on the host");
}

void check_links(struct patient *patient)
{
    struct link_rates rates;
    char text[320];
    if (!patient->device || patient->choice.count < 2)
        return;
    if (!link_rates_measure(&rates)) {
        finding_skipped(&patient->findings, "links", "others use the other devices, or they do not work");
        return;
    }
    link_rates_describe(&rates, text, sizeof text);
    finding_good(&patient->findings, "links", "%s up from pinned memory", text);
}

static const char install_host[] =
    "install a BLAS (Debian: libopenblas0-pthread), or name one by MUBLAS_HOST_BLAS";

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
                     host_library_is_reference(&host) ? ", the slow reference: OpenBLAS is faster" : "",
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
    else if (solver_library_open(patient->device, &library) != STATUS_OK)
        finding_wrong(&patient->findings, subject,
                      "use one that is not newer than the driver, with its own cuBLAS "
                      "(mublas doctor with MUBLAS_VERBOSE=2 says what is wrong with each)",
                      "%s and others like it cannot be used: LAPACK stays on the host", found);
    else if (solver_library_try_eigensolvers(library) == STATUS_UNSUPPORTED)
        finding_wrong(&patient->findings, subject, "use another one, with its own cuBLAS",
                      "%s computes wrong eigenvectors: problems that go to its eigensolvers stay on the host",
                      library->file);
    else
        finding_good(&patient->findings, subject, "%d.%d.%d, %s, with %s", library->version_number / 1000,
                     library->version_number % 1000 / 100, library->version_number % 100, library->file,
                     library->blas_file);
}

static const char subject[] = "residency";

static void tell_setting(void *patient, const char *name, const char *text)
{
    char advice[192];
    snprintf(advice, sizeof advice, "correct or unset %s", name);
    finding_wrong(&((struct patient *)patient)->findings, "settings", advice, "%s", text);
    unsetenv(name);
}

void check_settings(struct patient *patient)
{
    settings_each_fault(tell_setting, patient);
}

static bool tracker_works(void)
{
    struct write_tracker *tracker = NULL;
    const bool works = write_tracker_create(&tracker) == STATUS_OK;
    write_tracker_destroy(tracker);
    return works;
}

/* The version alone decides: where it is new enough, something else forbids what is needed. */
static bool kernel_is_old(const struct utsname *system)
{
    int major = 0, minor = 0;
    return sscanf(system->release, "%d.%d", &major, &minor) == 2 && (major < 6 || (major == 6 && minor < 7));
}

/* The phrase for what runs this process in a container; NULL: nothing was seen. */
static const char *container_kind(void)
{
    const char *named = getenv("container"); /* systemd-nspawn, podman, LXC */
    if (named && *named)
        return named;
    if (getenv("APPTAINER_CONTAINER"))
        return "apptainer";
    if (getenv("SINGULARITY_CONTAINER"))
        return "singularity";
    if (getenv("KUBERNETES_SERVICE_HOST"))
        return "kubernetes";
    if (access("/.dockerenv", F_OK) == 0)
        return "docker";
    return access("/run/.containerenv", F_OK) == 0 ? "podman" : NULL;
}

static const char *tracking_advice(const struct utsname *system)
{
    if (kernel_is_old(system))
        return "use Linux 6.7 or newer; until then results are right, but matrices go to the device at every "
               "call";
    if (container_kind())
        return "let the container's seccomp profile allow userfaultfd (docker run --security-opt "
               "seccomp=FILE); until "
               "then results are right, but matrices go to the device at every call";
    return "let this process use userfaultfd (a seccomp filter of a service or sandbox, or "
           "CONFIG_USERFAULTFD of the "
           "kernel); until then results are right, but matrices go to the device at every call";
}

void check_tracking(struct patient *patient)
{
    struct findings *findings = &patient->findings;
    struct utsname system;
    uname(&system);
    if (!settings()->tracking)
        finding_wrong(findings, subject, "unset MUBLAS_TRACKING",
                      "MUBLAS_TRACKING=0: matrices go to the device at "
                      "every call");
    else if (!tracker_works())
        finding_wrong(findings, subject, tracking_advice(&system), "Linux %s: %s", system.release,
                      write_tracker_description());
    else if (mapping_has_blind_spots(0) && !settings()->trust_tracking)
        finding_wrong(findings, subject,
                      "start without the library or device that this process was given, or, if it "
                      "writes no matrix of BLAS, set MUBLAS_TRUST_TRACKING=1",
                      "memory of this process can be written unseen (RDMA, XPMEM, KNEM or foreign pins)");
    else
        finding_good(findings, subject, "Linux %s, %s", system.release, write_tracker_description());
}

void check_container(struct patient *patient)
{
    const char *kind = container_kind();
    if (!kind)
        finding_good(&patient->findings, "container", "none seen");
    else if (patient->devices > 0)
        finding_good(&patient->findings, "container", "%s, with the GPU", kind);
    else if (patient->has_driver && getenv("CUDA_VISIBLE_DEVICES"))
        finding_skipped(&patient->findings, "container", "CUDA_VISIBLE_DEVICES hides what there is");
    else
        finding_wrong(&patient->findings, "container",
                      "start it with the GPU: docker or podman run --gpus all (NVIDIA's "
                      "container toolkit), apptainer exec --nv, nvidia.com/gpu: 1 in a pod",
                      "%s, without a GPU", kind);
}
