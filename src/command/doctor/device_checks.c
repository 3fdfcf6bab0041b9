/* The CUDA driver, the device, and the kernels on it. */
#include "command/doctor/checks.h"
#include "command/link_rates.h"
#include "common/settings.h"
#include "gpu/driver.h"

#include <dlfcn.h>
#include <stddef.h>

static const char no_driver[] =
    "install NVIDIA's driver, so that nvidia-smi works; in a container start it with the "
    "GPU (docker run --gpus all, apptainer exec --nv)";
static const char bad_driver[] =
    "see what nvidia-smi says: the kernel module must be loaded and as new as the "
    "library, and this user must be able to open /dev/nvidia*";

/* The first function that the library lacks; NULL: none. */
static const char *missing_function(void *library)
{
#define DRIVER_FUNCTION(member, symbol, parameters) \
    if (!dlsym(library, #symbol)) \
        return #symbol;
#define OPTIONAL_DRIVER_FUNCTION(member, symbol, parameters)
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

void check_kernels(struct patient *patient)
{
    if (!patient->has_device) {
        finding_skipped(&patient->findings, "kernels", "there is no device");
        return;
    }
    const enum status status = device_wake(&patient->device);
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
                      "this mublas was built without nvcc and has none: every call stays on the host");
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
