#include "scalapack/job_name.h"
#include "common/launcher_process.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t add(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *const at = bytes;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t add_text(uint64_t hash, const char *text)
{
    return text ? add(hash, text, strlen(text) + 1) : add(hash, "", 1);
}

/* Launchers and batch systems have these. */
static uint64_t add_job(uint64_t hash)
{
    static const char *const variables[] = {"OMPI_MCA_ess_base_jobid", "OMPI_MCA_orte_ess_jobid",
                                            "PMIX_NAMESPACE",          "PMI_JOBID",
                                            "SLURM_JOB_ID",            "SLURM_STEP_ID",
                                            "PBS_JOBID",               "LSB_JOBID",
                                            "FLUX_JOB_ID"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        hash = add_text(hash, secure_getenv(variables[i]));
    return hash;
}

static bool may_differ(const char *name)
{
    static const char *const names[] = {"MUBLAS_REPORT", "MUBLAS_DEVICE", "MUBLAS_VERBOSE", "MUBLAS_PROGRESS",
                                        "MUBLAS_UNREACHABLE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static uint64_t add_settings(uint64_t hash)
{
#define SETTING(name, ...)                                                                                 \
    if (!may_differ(#name))                                                                                \
        hash = add_text(hash, secure_getenv(#name));
#include "common/settings.def"
#undef SETTING
    return hash;
}

/* Two builds of one version may differ in what they share. */
static uint64_t add_library(uint64_t hash)
{
    Dl_info object;
    struct stat file;
    hash = add_text(hash, PACKAGE_VERSION);
    if (dladdr((const void *)(uintptr_t)job_name_make, &object) && object.dli_fname &&
        stat(object.dli_fname, &file) == 0) {
        const uint64_t facts[] = {file.st_ino, (uint64_t)file.st_size, (uint64_t)file.st_mtim.tv_sec};
        hash = add(hash, facts, sizeof facts);
    }
    return hash;
}

bool job_name_make(const struct local_rank *local, char name[JOB_NAME_BYTES])
{
    struct launcher_process launcher;
    if (!launcher_process_find(local->variable, &launcher))
        return false;
    const uint64_t facts[] = {(uint64_t)launcher.process, launcher.started, (uint64_t)local->ranks};
    uint64_t hash = add(UINT64_C(0xcbf29ce484222325), facts, sizeof facts);
    hash = add_text(hash, local->variable);
    hash = add_settings(add_library(add_job(hash)));
    snprintf(name, JOB_NAME_BYTES, "%u/%016llx", (unsigned)geteuid(), (unsigned long long)hash);
    return true;
}
