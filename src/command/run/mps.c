#include "command/run/mps.h"
#include "command/run/mps_process.h"
#include "command/run/mps_watch.h"
#include "common/launcher_process.h"
#include "common/local_rank.h"
#include "common/settings.h"
#include "gpu/device_sharing.h"
#include "gpu/mps_daemon.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Without messages: the program says what is wrong with settings. */
static bool is_wanted(void)
{
    bool are_faulty;
    const struct settings *const wanted = settings_copied(&are_faulty);
    return wanted->mps && wanted->offload != OFFLOAD_NEVER && device_sharing_sharers_foreseen() > 1 &&
           !mps_daemon_answers(mps_daemon_folder());
}

/* So that the ranks do not try one after the other. */
static bool has_failed(const struct mps_folder *folder, bool now)
{
    char path[PATH_MAX];
    struct stat mark;
    snprintf(path, sizeof path, "%.*s/failed", PATH_MAX - 8, folder->path);
    if (now)
        close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    return stat(path, &mark) == 0;
}

/* In the open folder. */
static bool start(struct mps_folder *folder, const char *program)
{
    const struct mps_rank self = {getpid(), process_started(getpid())};
    const bool is_first = folder->watcher >= 0;
    if (!mps_folder_add(folder, &self))
        return false;
    if (is_first && !mps_watch_begin(folder, local_rank()->ranks)) {
        mps_folder_remove(folder);
        return false;
    }
    if (has_failed(folder, false))
        return false;
    if (mps_process_start(program, folder))
        return mps_process_name(folder);
    has_failed(folder, true);
    fprintf(stderr, "mublas run: %s does not start MPS; ranks take turns on the device\n", program);
    return false;
}

void mps_begin(void)
{
    char program[PATH_MAX];
    struct launcher_process found;
    struct mps_folder folder;
    const char *fault;
    if (!is_wanted() || !mps_daemon_program(program) ||
        !launcher_process_find(local_rank()->variable, &found))
        return;
    const struct mps_rank launcher = {found.process, found.started};
    if (!mps_folder_open(&folder, &launcher, &fault)) {
        if (fault)
            fprintf(stderr, "mublas run: MPS is not started: %s\n", fault);
        return;
    }
    if (folder.watcher >= 0)
        mps_folder_sweep(mps_process_end);
    start(&folder, program);
    mps_folder_close(&folder);
}
