#include "gpu/device_sharing.h"
#include "common/local_rank.h"
#include "common/settings.h"
#include "gpu/mps_daemon.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* What MPS leaves of the others' share in a call's time. */
static const double MPS_PART = 0.25;

double device_sharing_factor(int sharers, bool has_mps)
{
    const double factor = has_mps ? MPS_PART * sharers : sharers;
    return factor > 1 ? factor : 1;
}

double device_sharing_of(const struct device *device)
{
    return device_sharing_factor(device_chosen(device)->sharers, device_properties(device)->has_mps);
}

static bool is_device_file(const char *name)
{
    static const char begin[] = "nvidia", digits[] = "0123456789";
    const char *const number = name + sizeof begin - 1;
    return strncmp(name, begin, sizeof begin - 1) == 0 && *number && number[strspn(number, digits)] == '\0';
}

int device_sharing_count_files(const char *folder)
{
    DIR *const files = opendir(folder);
    int count = 0;
    for (struct dirent *file; files && (file = readdir(files));)
        count += is_device_file(file->d_name);
    if (files)
        closedir(files);
    return count;
}

/* A container and a batch system show fewer than the machine has. 0: unknown. */
static int devices_of_job(void)
{
    const char *const given = secure_getenv("SLURM_GPUS_ON_NODE");
    const long count = given ? strtol(given, NULL, 10) : 0;
    return count > 0 && count < INT_MAX ? (int)count : device_sharing_count_files("/dev");
}

/* 0: all, or none. */
static int devices_named(const char *visible)
{
    int count = visible && *visible;
    for (const char *next = visible; next && *next; next++)
        count += *next == ',';
    return count;
}

/* A slice of a device is one of several on the same. */
static bool is_slice(const char *visible)
{
    return strncmp(visible, "MIG", 3) == 0;
}

int device_sharing_bound_of(void)
{
    const char *const visible = secure_getenv("CUDA_VISIBLE_DEVICES");
    if (devices_named(visible) != 1)
        return 0;
    const int devices = is_slice(visible) ? 0 : devices_of_job();
    return devices > 0 ? devices : INT_MAX;
}

int device_sharing_place(int rank)
{
    const int named = devices_named(secure_getenv("CUDA_VISIBLE_DEVICES"));
    const int devices = named > 0 ? named : devices_of_job();
    return devices > 0 ? rank % devices : 0;
}

int device_sharing_sharers_foreseen(void)
{
    const struct local_rank *const rank = local_rank();
    if (rank->rank < 0 || rank->ranks <= 1)
        return 1;
    const int named = devices_named(secure_getenv("CUDA_VISIBLE_DEVICES"));
    const int devices = named > 0 ? named : devices_of_job();
    return device_choice_make(&settings()->device, rank, devices > 0 ? devices : 1, device_sharing_bound_of())
        .sharers;
}

double device_sharing_foreseen(void)
{
    const int sharers = device_sharing_sharers_foreseen();
    return device_sharing_factor(sharers, sharers > 1 && mps_daemon_answers(mps_daemon_folder()));
}
