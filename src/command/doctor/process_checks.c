/* What the environment asks for; what the kernel and a container let this process do. */
#include "command/doctor/checks.h"
#include "common/settings.h"
#include "mirror/host_memory/mapping.h"
#include "mirror/tracking/write_tracker.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

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

/* By the version alone: where it is new enough, something forbids what is needed. */
static bool kernel_is_old(const struct utsname *system)
{
    int major = 0, minor = 0;
    return sscanf(system->release, "%d.%d", &major, &minor) == 2 && (major < 6 || (major == 6 && minor < 7));
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

const char *container_kind(void)
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
