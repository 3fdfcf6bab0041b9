#include "common/launcher.h"
#include "common/interruption.h"
#include "common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct launcher {
    const char *rank, *ranks;
};

/* A launcher's variables count before those of the batch system that started it. */
static const struct launcher local_launchers[] = {
    {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"MVP_COMM_WORLD_LOCAL_RANK", "MVP_COMM_WORLD_LOCAL_SIZE"},
    {"MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE"},
    {"MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    {"PALS_LOCAL_RANKID", "PALS_LOCAL_SIZE"},
    {"JSM_NAMESPACE_LOCAL_RANK", "JSM_NAMESPACE_LOCAL_SIZE"},
    {"PMI_LOCAL_RANK", "PMI_LOCAL_SIZE"},
    {"FLUX_TASK_LOCAL_ID", NULL},
    {"SLURM_LOCALID", NULL},
};

/* The same for all machines together. */
static const struct launcher world_launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"MVP_COMM_WORLD_RANK", "MVP_COMM_WORLD_SIZE"},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
    {"PMI_RANK", "PMI_SIZE"},
    {"PALS_RANKID", NULL},
    {"JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE"},
    {"FLUX_TASK_RANK", "FLUX_JOB_SIZE"},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
    {"PMIX_RANK", NULL},
};

enum { RANKS_MOST = 1 << 20 };

/* Reads digits that `end` follows. */
static bool parse(const char *text, char end, int *number, const char **rest)
{
    char *behind;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    unsigned long value = strtoul(text, &behind, 10);
    if (errno || value > RANKS_MOST || (end ? *behind != end : *behind && !strchr(",(", *behind)))
        return false;
    *number = (int)value;
    *rest = behind;
    return true;
}

static bool parse_whole(const char *text, int *number)
{
    const char *rest;
    return parse(text, 0, number, &rest) && !*rest;
}

/* The tasks on machine `node` by a list of Slurm's: "2(x3),1" means two on each of three machines and one on
 * the last. 0: the list has no such entry. */
static int tasks_on_node(const char *text, int node)
{
    while (*text) {
        int tasks, machines = 1;
        if (!parse(text, 0, &tasks, &text))
            return 0;
        if (text[0] == '(' && (text[1] != 'x' || !parse(text + 2, ')', &machines, &text)))
            return 0;
        if (*text == ')')
            text++;
        if (node < machines)
            return tasks;
        node -= machines;
        if (*text == ',')
            text++;
    }
    return 0;
}

/* Only job steps have the variable, batch scripts do not. */
static int slurm_ranks(const char *(*look_up)(const char *name))
{
    const char *tasks = look_up("SLURM_STEP_TASKS_PER_NODE"), *node = look_up("SLURM_NODEID");
    int number = 0;
    if (!tasks || (node && !parse_whole(node, &number)))
        return 0;
    return tasks_on_node(tasks, number);
}

static int ranks_of(const char *(*look_up)(const char *name), const char *variable, const char *rank_variable)
{
    int ranks = 0;
    if (strcmp(rank_variable, "SLURM_LOCALID") == 0)
        return slurm_ranks(look_up);
    const char *text = variable ? look_up(variable) : NULL;
    if (text && (!parse_whole(text, &ranks) || ranks == 0)) {
        log_message(LOG_WARNING, "%s='%.100s' is not a number of ranks; it is ignored", variable, text);
        return 0;
    }
    return ranks;
}

/* A batch script has the variable of a rank, but is none. */
static bool is_batch_script(const char *(*look_up)(const char *name), const struct launcher *launcher)
{
    return strcmp(launcher->rank, "SLURM_PROCID") == 0 && !look_up(launcher->ranks);
}

static struct local_rank find_by(const char *(*look_up)(const char *name), const struct launcher *launchers,
                                 size_t count, const char *what)
{
    struct local_rank found = {.rank = -1};
    for (size_t i = 0; i < count; i++) {
        const char *text = look_up(launchers[i].rank);
        if (!text || is_batch_script(look_up, &launchers[i]))
            continue;
        found.ranks = ranks_of(look_up, launchers[i].ranks, launchers[i].rank);
        if (parse_whole(text, &found.rank) && (found.ranks == 0 || found.rank < found.ranks)) {
            found.variable = launchers[i].rank;
            return found;
        }
        log_message(LOG_WARNING, "%s='%.100s' is not a %s; it is ignored", launchers[i].rank, text, what);
        found = (struct local_rank){.rank = -1};
    }
    return found;
}

struct local_rank local_rank_find(const char *(*look_up)(const char *name))
{
    return find_by(look_up, local_launchers, sizeof local_launchers / sizeof *local_launchers, "local rank");
}

struct local_rank world_rank_find(const char *(*look_up)(const char *name))
{
    return find_by(look_up, world_launchers, sizeof world_launchers / sizeof *world_launchers, "rank");
}

static const char *environment_value(const char *name)
{
    return secure_getenv(name);
}

static struct local_rank the_rank;
static struct once find_once = ONCE_INIT;

static void find_local_rank(void)
{
    the_rank = local_rank_find(environment_value);
}

const struct local_rank *local_rank(void)
{
    once_run(&find_once, find_local_rank);
    return &the_rank;
}

struct local_rank world_rank(void)
{
    return world_rank_find(environment_value);
}

/* The whole of a file of /proc, with a NUL behind it; to be freed. NULL: it cannot be read. */
static char *read_file(pid_t process, const char *name, size_t *length)
{
    enum { STEP = 1 << 14 };
    char path[64], *text = NULL;
    snprintf(path, sizeof path, "/proc/%d/%s", (int)process, name);
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t got = file < 0 ? -1 : 1;
    for (*length = 0; got > 0; *length += got > 0 ? (size_t)got : 0) {
        char *const longer = realloc(text, *length + STEP + 1);
        if (!longer)
            break;
        text = longer;
        got = read(file, text + *length, STEP);
    }
    if (file >= 0)
        close(file);
    if (got == 0 && text) {
        text[*length] = 0;
        return text;
    }
    free(text);
    return NULL;
}

struct process_status {
    char state;
    pid_t parent;
    unsigned long long started;
};

/* The second word, the program's name in parentheses, may hold anything. */
static bool read_status(pid_t process, struct process_status *status)
{
    size_t length;
    int parent = 0;
    char *const text = read_file(process, "stat", &length);
    const char *const behind = text ? strrchr(text, ')') : NULL;
    const bool is_read =
        behind && sscanf(behind + 1, " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                         &status->state, &parent, &status->started) == 3;
    status->parent = parent;
    free(text);
    return is_read;
}

static bool has_variable(pid_t process, const char *variable)
{
    size_t length;
    const size_t name = strlen(variable);
    char *const text = read_file(process, "environ", &length);
    bool has = false;
    for (const char *at = text; at && at < text + length && !has; at += strlen(at) + 1)
        has = strncmp(at, variable, name) == 0 && at[name] == '=';
    free(text);
    return has;
}

bool launcher_process_find(const char *variable, struct launcher_process *launcher)
{
    struct process_status status;
    pid_t process = getppid();
    while (process > 0 && read_status(process, &status)) {
        if (!has_variable(process, variable)) {
            *launcher = (struct launcher_process){process, status.started};
            return true;
        }
        process = status.parent;
    }
    return false;
}

static bool has_ended(const struct process_status *status)
{
    return status->state == 'Z' || status->state == 'X';
}

unsigned long long process_started(pid_t process)
{
    struct process_status status;
    return read_status(process, &status) && !has_ended(&status) ? status.started : 0;
}

bool process_is_alive(pid_t process)
{
    struct process_status status;
    if (kill(process, 0) != 0 && errno == ESRCH)
        return false;
    return !read_status(process, &status) || !has_ended(&status);
}
