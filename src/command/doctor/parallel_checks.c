/* What parallel programs find: ScaLAPACK, NVIDIA's service that lets ranks share a device, and how many do. */
#include "command/doctor/checks.h"
#include "command/verify/parallel_library.h"
#include "common/loader.h"
#include "common/plural.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void check_scalapack(struct patient *patient)
{
    char found[512] = "";
    const char *error, *name;
    size_t used = 0;
    for (int i = 0; (name = parallel_library_known(i)); i++)
        if (loader_finds(name, &error) && used < sizeof found)
            used += (size_t)snprintf(found + used, sizeof found - used, "%s%s", used ? ", " : "", name);
    finding_good(&patient->findings, "ScaLAPACK", "%s",
                 *found ? found : "none in the loader's folders; a parallel program brings its own");
}

/* The control daemon leaves its number with its pipes. */
static bool mps_runs(const char *folder)
{
    char path[PATH_MAX];
    long process = 0;
    snprintf(path, sizeof path, "%s/nvidia-cuda-mps-control.pid", folder);
    FILE *const file = fopen(path, "re");
    const bool is_told = file && fscanf(file, "%ld", &process) == 1 && process > 0;
    if (file)
        fclose(file);
    return is_told && (kill((pid_t)process, 0) == 0 || errno == EPERM);
}

static bool is_on_path(const char *program)
{
    const char *folders = getenv("PATH");
    char path[PATH_MAX];
    for (; folders && *folders; folders += strcspn(folders, ":"), folders += *folders == ':') {
        snprintf(path, sizeof path, "%.*s/%s", (int)strcspn(folders, ":"), folders, program);
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}

void check_mps(struct patient *patient)
{
    static const char daemon[] = "nvidia-cuda-mps-control";
    const char *const set = getenv("CUDA_MPS_PIPE_DIRECTORY"), *const folder = set && *set ? set : "/tmp/nvidia-mps";
    if (mps_runs(folder))
        finding_good(&patient->findings, "MPS", "it runs, with its pipes in %s", folder);
    else if (is_on_path(daemon))
        finding_good(&patient->findings, "MPS", "it is installed (%s) and does not run", daemon);
    else
        finding_good(&patient->findings, "MPS", "it does not run, and there is no %s on PATH", daemon);
}

void check_ranks(struct patient *patient)
{
    const struct local_rank *const rank = local_rank();
    const int devices = patient->choice.devices;
    if (rank->rank < 0)
        return;
    if (!patient->has_device)
        finding_skipped(&patient->findings, "ranks", "there is no device that they could share");
    else
        finding_good(&patient->findings, "ranks", "this is rank %d of %d here (%s); %d device%s; %d rank%s share%s this one",
                     rank->rank, rank->ranks, rank->variable, devices, plural((unsigned)devices),
                     patient->choice.sharers, plural((unsigned)patient->choice.sharers),
                     patient->choice.sharers == 1 ? "s" : "");
}
