#include "common/clock.h"
#include "common/launcher.h"
#include "common/log.h"
#include "common/settings.h"
#include "mirror/host_memory/kernel_interface.h"
#include "scalapack/team.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
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

enum { RANKS_MOST = 2048, WAITING = 4096 };
enum { DECIDING_MS = 200, LATE_MS = 2000, ANSWER_MS = 10000, STEP_US = 500 };

static struct {
    bool is_tried;
    pid_t process; /* that registered; 0: none */
    struct descriptor socket; /* listens under this rank's name */
    int rank, ranks;
    char job[JOB_NAME_BYTES];
    const char *fault;
} member = {.socket = {.number = -1}, .rank = -1};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A name in the abstract namespace begins with NUL and needs no file. */
static socklen_t address_of(const char *what, struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    const int length = snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "mublas/%s/%s",
                                member.job, what);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

/* High, so that programs that expect low numbers find them free. */
static int out_of_the_way(int file)
{
    const int high = file < 0 ? -1 : fcntl(file, F_DUPFD_CLOEXEC, DESCRIPTOR_LOWEST);
    if (high < 0)
        return file;
    close(file);
    return high;
}

static int bind_name(const char *what, int type)
{
    struct sockaddr_un address;
    const socklen_t length = address_of(what, &address);
    const int file = out_of_the_way(socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (file < 0 || bind(file, (struct sockaddr *)&address, length) == 0)
        return file;
    close(file);
    return -1;
}

/* Listens under the name, as long as the process lives; -1: somebody has it, or there are no sockets. A
 * socket for datagrams beside it lets others look whether it is there, which at a listening one leaves a
 * connection behind each time. It listens last: who is answered there is answered by one who has all of the
 * name. */
static int claim(const char *what)
{
    const int file = bind_name(what, SOCK_SEQPACKET);
    const int beside = file < 0 ? -1 : bind_name(what, SOCK_DGRAM);
    if (beside >= 0 && listen(file, WAITING) == 0)
        return file;
    if (beside >= 0)
        close(beside);
    if (file >= 0)
        close(file);
    return -1;
}

static bool is_of_this_user(int file, pid_t *process)
{
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(file, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 || peer.uid != geteuid())
        return false;
    *process = peer.pid;
    return true;
}

/* Does not wait: somebody who listens and takes no connections could keep this process for ever. */
static int connect_name(const char *what, int type)
{
    struct sockaddr_un address;
    const socklen_t length = address_of(what, &address);
    const int file = out_of_the_way(socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (file < 0 || connect(file, (struct sockaddr *)&address, length) == 0)
        return file;
    close(file);
    return -1;
}

/* A connection to who listens there; -1: nobody of this user. */
static int reach(const char *what, pid_t *process)
{
    const int file = connect_name(what, SOCK_SEQPACKET);
    if (file < 0 || is_of_this_user(file, process))
        return file;
    close(file);
    return -1;
}

static bool is_there(const char *what)
{
    const int file = connect_name(what, SOCK_DGRAM);
    if (file >= 0)
        close(file);
    return file >= 0;
}

/* Nobody else's. */
static bool is_ours(const char *what)
{
    pid_t process;
    const int file = reach(what, &process);
    if (file >= 0)
        close(file);
    return file >= 0;
}

static void say_rank(int rank, char text[16])
{
    snprintf(text, 16, "%d", rank);
}

/* Why this process takes no part; NULL: it does. */
static const char *look_at_job(void)
{
    const struct local_rank *const local = local_rank();
    const struct local_rank world = world_rank();
    if (!settings()->parallel || settings()->offload == OFFLOAD_NEVER)
        return "MUBLAS_PARALLEL=never or MUBLAS_OFFLOAD=never";
    if (local->rank < 0 || local->ranks < 1 || world.rank < 0 || world.ranks < 1)
        return "no launcher tells the number of ranks";
    if (local->ranks != world.ranks)
        return "the job runs on several machines";
    if (local->ranks > RANKS_MOST)
        return "the job has too many ranks";
    member.rank = local->rank;
    member.ranks = local->ranks;
    return job_name_make(local, member.job) ? NULL : "the launcher's process cannot be found";
}

/* A process that this rank has started may have its name, and would pass for it: then nobody is served. */
static bool listen_as(const char *name)
{
    const int file = claim(name);
    if (file >= 0 && descriptor_adopt(&member.socket, file) == STATUS_OK)
        return true;
    claim("no");
    return false;
}

void membership_register(void)
{
    char name[16];
    pthread_mutex_lock(&lock);
    if (!member.is_tried) {
        member.is_tried = true;
        member.fault = look_at_job();
        say_rank(member.rank, name);
        if (!member.fault && !listen_as(name))
            member.fault = "this rank's name is taken";
        if (!member.fault)
            member.process = getpid();
    }
    pthread_mutex_unlock(&lock);
}

/* Asks it of all ranks but this one. */
static bool all_are(bool (*is_so)(const char *what))
{
    char name[16];
    for (int rank = 0; rank < member.ranks; rank++) {
        say_rank(rank, name);
        if (rank != member.rank && !is_so(name))
            return false;
    }
    return true;
}

static void sleep_a_step(void)
{
    nanosleep(&(struct timespec){.tv_nsec = STEP_US * 1000L}, NULL);
}

static const char not_all[] =
    "not every rank of the job has mublas, of one version and with the same settings";

static bool is_there_and_ours(const char *what)
{
    return is_there(what) && is_ours(what);
}

/* Ranks of other grids may still be on their way to their own. An answer that comes too late is no: the
 * others may have given up. */
static const char *decide(double begun)
{
    while (!(all_are(is_there) && all_are(is_ours)) && 1e3 * (clock_seconds() - begun) < DECIDING_MS)
        sleep_a_step();
    const bool whole = all_are(is_there_and_ours) && !is_there_and_ours("no") &&
                       1e3 * (clock_seconds() - begun) < LATE_MS;
    if (whole && claim("yes") >= 0)
        return NULL;
    claim("no");
    return not_all;
}

/* Names that others have planted are no answer: they would reach some ranks and not the one that decides. */
static const char *await_decision(double begun)
{
    while (1e3 * (clock_seconds() - begun) < ANSWER_MS) {
        if (is_there_and_ours("yes"))
            return NULL;
        if (is_there_and_ours("no"))
            return not_all;
        sleep_a_step();
    }
    return "no rank decided";
}

/* Once. The rank that claims the name decides. The name is kept: it stands for the answer's being on its
 * way. */
static void ask_membership(void)
{
    static bool is_asked;
    if (is_asked || member.fault)
        return;
    is_asked = true;
    const double begun = clock_seconds();
    member.fault = claim("decider") >= 0 ? decide(begun) : await_decision(begun);
    log_message(LOG_INFO, "parallel routines are %s%s", member.fault ? "the host's: " : "looked at",
                member.fault ? member.fault : "");
}

bool membership_is_whole(void)
{
    pthread_mutex_lock(&lock);
    if (member.process)
        ask_membership();
    const bool is_whole = member.process == getpid() && !member.fault;
    pthread_mutex_unlock(&lock);
    return is_whole;
}

const char *membership_fault(void)
{
    return member.is_tried ? member.fault : NULL;
}

int membership_ranks(void)
{
    return member.ranks;
}

int membership_rank(void)
{
    return member.rank;
}

int membership_connect(int rank, pid_t process)
{
    char name[16];
    pid_t found = 0;
    say_rank(rank, name);
    const int file = reach(name, &found);
    if (file < 0 || found == process)
        return file;
    close(file);
    return -1;
}

/* Others' looks for the name are connections, too: those have been closed by then. */
int membership_accept(int milliseconds, pid_t *process)
{
    struct pollfd waits = {.fd = member.socket.number, .events = POLLIN};
    if (!descriptor_is_ours(&member.socket) || poll(&waits, 1, milliseconds) <= 0)
        return -1;
    const int file = out_of_the_way(accept4(member.socket.number, NULL, NULL, SOCK_CLOEXEC));
    if (file < 0 || is_of_this_user(file, process))
        return file;
    close(file);
    return -1;
}
