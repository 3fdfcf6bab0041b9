/* Which jobs are whole: all ranks of a launcher with mublas and the same settings, one answer for all of
 * them, whoever else binds their names. Each rank is a process of its own that does what the test tells it.
 *   test_scalapack_membership rank: a line of answer to each command */
#include "common/launcher.h"
#include "scalapack/team.h"
#include "tap.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 3, LINE = 256, NOBODY = 65534 };

static void answer_whole(void)
{
    const bool is_whole = membership_is_whole();
    printf("%s\n", is_whole ? "whole" : membership_fault() ? membership_fault() : "not here");
}

static void answer_of_child(void)
{
    const pid_t child = fork();
    if (child == 0)
        _exit(membership_is_whole());
    int status = -1;
    waitpid(child, &status, 0);
    printf("%s\n", status == 0 ? "not in the child" : "whole in the child");
}

/* Both kinds of socket, or one of them, under a name of rank 0's job, which is the ranks' own but for the
 * user. */
static void plant(const char *what, bool listens)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char job[JOB_NAME_BYTES];
    bool planted = job_name_make(local_rank(), job);
    const int length =
        snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "mublas/0%s/%s", strchr(job, '/'), what);
    const socklen_t bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    const int datagrams = socket(AF_UNIX, SOCK_DGRAM, 0), packets = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    planted = planted && bind(datagrams, (struct sockaddr *)&address, bytes) == 0;
    if (listens)
        planted =
            planted && bind(packets, (struct sockaddr *)&address, bytes) == 0 && listen(packets, 10) == 0;
    printf("%s\n", planted ? "planted" : "taken");
}

static int be_a_rank(void)
{
    char line[LINE], what[16] = "";
    pid_t process = 0;
    int number = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        if (strcmp(line, "register\n") == 0) {
            membership_register();
            printf("%s\n", membership_fault() ? membership_fault() : "registered");
        } else if (strcmp(line, "whole\n") == 0) {
            answer_whole();
        } else if (strcmp(line, "fork\n") == 0) {
            answer_of_child();
        } else if (sscanf(line, "connect %d", &number) == 1) {
            printf("%s\n", membership_connect(0, number) >= 0 ? "connected" : "refused");
        } else if (strcmp(line, "accept\n") == 0) {
            printf("%d\n", membership_accept(3000, &process) >= 0 ? (int)process : -1);
        } else if (sscanf(line, "plant %15s", what) == 1) {
            plant(what, strchr(line, '!') == NULL);
        } else if (strcmp(line, "job\n") == 0) {
            char job[JOB_NAME_BYTES];
            printf("%s\n", job_name_make(local_rank(), job) ? job : "none");
        } else {
            printf("%d\n", membership_rank());
        }
    }
    return 0;
}

struct rank {
    pid_t process;
    FILE *to, *from;
};

/* With Open MPI's variables, and NAME=VALUE settings up to NULL. */
static struct rank start(int rank, int ranks, int world, uid_t user, const char *setting)
{
    int to[2], from[2];
    char text[16];
    if (pipe(to) != 0 || pipe(from) != 0)
        exit(1);
    const pid_t child = fork();
    if (child == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        for (int file = 3; file < 64; file++)
            close(file);
        if (ranks > 0) {
            snprintf(text, sizeof text, "%d", rank);
            setenv("OMPI_COMM_WORLD_LOCAL_RANK", text, 1);
            setenv("OMPI_COMM_WORLD_RANK", text, 1);
            snprintf(text, sizeof text, "%d", ranks);
            setenv("OMPI_COMM_WORLD_LOCAL_SIZE", text, 1);
            snprintf(text, sizeof text, "%d", world);
            setenv("OMPI_COMM_WORLD_SIZE", text, 1);
        }
        if (setting)
            putenv((char *)(uintptr_t)setting);
        if (user != 0 && setuid(user) != 0)
            _exit(126);
        execl("/proc/self/exe", "test_scalapack_membership", "rank", (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    return (struct rank){child, fdopen(to[1], "w"), fdopen(from[0], "r")};
}

static void tell(const struct rank *rank, const char *command)
{
    fprintf(rank->to, "%s\n", command);
    fflush(rank->to);
}

static const char *hear(const struct rank *rank)
{
    static char line[LINE];
    if (!fgets(line, sizeof line, rank->from))
        return "nothing";
    line[strcspn(line, "\n")] = 0;
    return line;
}

static const char *ask(const struct rank *rank, const char *command)
{
    tell(rank, command);
    return hear(rank);
}

static void start_all(struct rank *ranks, int count, int world)
{
    for (int i = 0; i < count; i++)
        ranks[i] = start(i, count, world, 0, NULL);
}

static void end_all(struct rank *ranks, int count)
{
    for (int i = 0; i < count; i++) {
        fclose(ranks[i].to);
        fclose(ranks[i].from);
        waitpid(ranks[i].process, NULL, 0);
    }
}

/* All at the same time; do all answer so? */
static bool all_answer(const struct rank *ranks, int count, const char *command, const char *answer)
{
    bool all = true;
    for (int i = 0; i < count; i++)
        tell(&ranks[i], command);
    for (int i = 0; i < count; i++) {
        const char *const heard = hear(&ranks[i]);
        if (strncmp(heard, answer, strlen(answer)) != 0) {
            printf("# rank %d: %s\n", i, heard);
            all = false;
        }
    }
    return all;
}

static bool names_are_left(const char *job)
{
    char line[512];
    bool left = false;
    FILE *const file = fopen("/proc/net/unix", "r");
    while (file && fgets(line, sizeof line, file))
        left = left || strstr(line, job);
    if (file)
        fclose(file);
    return left;
}

static void test_whole(void)
{
    struct rank ranks[MOST];
    char command[32], process[16];
    start_all(ranks, MOST, MOST);
    tap_ok(all_answer(ranks, MOST, "whole", "not here"), "nobody is in a job before it registers");
    tap_ok(all_answer(ranks, MOST, "register", "registered") &&
               all_answer(ranks, MOST, "register", "registered") &&
               all_answer(ranks, MOST, "whole", "whole") && all_answer(ranks, MOST, "whole", "whole"),
           "three ranks that have registered are whole");
    tap_ok(strcmp(ask(&ranks[2], "rank"), "2") == 0, "each knows its rank");
    snprintf(command, sizeof command, "connect %d", (int)ranks[0].process);
    tell(&ranks[1], command);
    const bool is_connected = strcmp(hear(&ranks[1]), "connected") == 0;
    snprintf(process, sizeof process, "%d", (int)ranks[1].process);
    bool is_accepted = false; /* behind those that looked for the names */
    for (int i = 0; i < MOST && !is_accepted; i++)
        is_accepted = strcmp(ask(&ranks[0], "accept"), process) == 0;
    tap_ok(is_connected && is_accepted, "one reaches another, which knows who it is");
    snprintf(command, sizeof command, "connect %d", (int)ranks[2].process);
    tap_ok(strcmp(ask(&ranks[1], command), "refused") == 0, "but not another process of that rank");
    tap_ok(strcmp(ask(&ranks[1], "fork"), "not in the child") == 0 &&
               strcmp(ask(&ranks[1], "whole"), "whole") == 0,
           "a child of a rank is not in the job, and the rank still is");
    char job[LINE];
    snprintf(job, sizeof job, "%s", ask(&ranks[0], "job"));
    const bool are_there = names_are_left(job);
    end_all(ranks, MOST);
    tap_ok(are_there && !names_are_left(job), "no name is left behind");
}

/* As one without the preload is. */
static void test_one_absent(void)
{
    struct rank ranks[MOST];
    start_all(ranks, MOST, MOST);
    tap_ok(all_answer(ranks, MOST - 1, "register", "registered") &&
               all_answer(ranks, MOST - 1, "whole", "not every rank of the job has mublas"),
           "one that has not registered: nothing is served on the others");
    tap_ok(strcmp(ask(&ranks[2], "register"), "registered") == 0 &&
               strncmp(ask(&ranks[2], "whole"), "not every rank", 14) == 0,
           "nor on itself, when it comes later");
    end_all(ranks, MOST);
}

/* The others may have asked before all had come. */
static void test_one_late(void)
{
    struct rank ranks[MOST];
    start_all(ranks, MOST, MOST);
    all_answer(ranks, MOST - 1, "register", "registered");
    tell(&ranks[0], "whole");
    tell(&ranks[1], "whole");
    usleep(20000);
    ask(&ranks[2], "register");
    char first[LINE];
    snprintf(first, sizeof first, "%s", ask(&ranks[2], "whole"));
    tap_ok(strcmp(hear(&ranks[0]), first) == 0 && strcmp(hear(&ranks[1]), first) == 0,
           "one that is late: one answer for all, %s", first);
    end_all(ranks, MOST);
}

/* `answer` of all ranks where the last one has that setting. */
static void test_setting(const char *setting, const char *answer, const char *what)
{
    struct rank ranks[MOST];
    for (int i = 0; i < MOST; i++)
        ranks[i] = start(i, MOST, MOST, 0, i == MOST - 1 ? setting : NULL);
    tap_ok(all_answer(ranks, MOST, "register", "registered") && all_answer(ranks, MOST, "whole", answer),
           "%s", what);
    end_all(ranks, MOST);
}

static void test_jobs_that_are_none(void)
{
    struct rank rank = start(0, 0, 0, 0, NULL);
    tap_ok(strncmp(ask(&rank, "register"), "no launcher", 11) == 0 &&
               strncmp(ask(&rank, "whole"), "no launcher", 11) == 0,
           "without a launcher nothing is served");
    end_all(&rank, 1);
    rank = start(0, 1, 2, 0, NULL);
    tap_ok(strncmp(ask(&rank, "register"), "the job runs on several machines", 32) == 0,
           "nor on two machines");
    end_all(&rank, 1);
    rank = start(0, 1, 1, 0, "MUBLAS_PARALLEL=never");
    tap_ok(strncmp(ask(&rank, "register"), "MUBLAS_PARALLEL=never", 21) == 0, "nor where it is switched off");
    end_all(&rank, 1);
    rank = start(0, 1, 1, 0, "MUBLAS_OFFLOAD=never");
    tap_ok(strncmp(ask(&rank, "register"), "MUBLAS_PARALLEL=never or", 24) == 0, "nor with all of mublas");
    end_all(&rank, 1);
}

/* A name of rank 1's; with the last rank missing for a while, so that the others meet the stranger's name. */
static void test_planted(const char *command, const char *what)
{
    struct rank ranks[MOST], stranger = start(0, MOST, MOST, NOBODY, NULL);
    char first[LINE];
    start_all(ranks, MOST, MOST);
    const bool planted = strcmp(ask(&stranger, command), "planted") == 0;
    ask(&ranks[0], "register");
    ask(&ranks[1], "register");
    tell(&ranks[0], "whole");
    usleep(30000);
    tell(&ranks[1], "whole");
    usleep(30000);
    ask(&ranks[2], "register");
    snprintf(first, sizeof first, "%s", ask(&ranks[2], "whole"));
    const bool is_whole = strcmp(first, "whole") == 0;
    const bool same = (strcmp(hear(&ranks[0]), "whole") == 0) == is_whole &&
                      (strcmp(hear(&ranks[1]), "whole") == 0) == is_whole;
    tap_ok(planted && same, "a stranger has the name %s: the ranks have one answer, %s", what, first);
    end_all(ranks, MOST);
    end_all(&stranger, 1);
}

/* A user namespace may have no other. */
static bool can_be_stranger(void)
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0)
        _exit(setuid(NOBODY) == 0 ? 0 : 1);
    waitpid(child, &status, 0);
    return status == 0;
}

static void test_strangers(void)
{
    if (!can_be_stranger()) {
        tap_skip("a stranger has one of the names", "only root can be somebody else, where there is one");
        return;
    }
    test_planted("plant 1", "of a rank");
    test_planted("plant no", "of the answer no");
    test_planted("plant yes", "of the answer yes");
    test_planted("plant yes !", "of the answer yes, where nobody listens");
    test_planted("plant decider", "of who decides");
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "rank") == 0)
        return be_a_rank();
    (void)argv;
    unsetenv("MUBLAS_OFFLOAD");
    unsetenv("MUBLAS_PARALLEL");
    alarm(120);
    test_whole();
    test_one_absent();
    test_one_late();
    test_setting("MUBLAS_OFFLOAD=always", "not every rank", "one with another setting: nothing is served");
    test_setting("MUBLAS_TRACKING=0", "not every rank", "or that follows no writes");
    test_setting("MUBLAS_VERBOSE=0", "whole", "but one may say less than the others");
    test_setting("MUBLAS_DEVICE=0", "whole", "or name its device");
    test_jobs_that_are_none();
    test_strangers();
    return tap_done();
}
