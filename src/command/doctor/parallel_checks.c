/* The checks of what parallel programs find: ScaLAPACK, NVIDIA's service that lets ranks share a device, and
 * how many do. */
#include "command/doctor/checks.h"
#include "command/verify/parallel_library.h"
#include "common/loader.h"
#include "common/plural.h"
#include "gpu/mps_daemon.h"

#include <stdio.h>

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

void check_mps(struct patient *patient)
{
    const char *const folder = mps_daemon_folder();
    char program[PATH_MAX];
    if (mps_daemon_answers(folder))
        finding_good(&patient->findings, "MPS", "it runs, with its pipes in %s", folder);
    else if (mps_daemon_program(program))
        finding_good(&patient->findings, "MPS", "it is installed (%s) and does not run", program);
    else
        finding_good(&patient->findings, "MPS", "it does not run, and there is no nvidia-cuda-mps-control");
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
