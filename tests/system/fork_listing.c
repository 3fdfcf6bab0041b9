/* A fork's child makes the process's first call of each function that mublas stands before, while another
 * thread of the parent has the loader's lock, which the child then has for good: fork_listing Prints how many
 * of the children came to their end. */
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int inside, may_leave;

static int stay(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)info;
    (void)size;
    (void)unused;
    inside = 1;
    while (!may_leave)
        usleep(100);
    return 1;
}

static void *list(void *unused)
{
    dl_iterate_phdr(stay, unused);
    return unused;
}

static void call(int which)
{
    int bytes;
    char name[16];
    if (which == 0)
        ioctl(STDIN_FILENO, FIONREAD, &bytes);
    else if (which == 1)
        mremap(NULL, 0, 0, 0);
    else
        prctl(PR_GET_NAME, name, 0, 0, 0);
}

int main(void)
{
    enum { CALLS = 3, SECONDS = 10 };
    pthread_t thread;
    int ended = 0;
    if (pthread_create(&thread, NULL, list, NULL) != 0)
        return 1;
    while (!inside)
        usleep(100);
    for (int i = 0; i < CALLS; i++) {
        int status;
        const pid_t child = fork();
        if (child == 0) {
            alarm(SECONDS);
            call(i);
            _exit(0);
        }
        ended += child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status);
    }
    may_leave = 1;
    pthread_join(thread, NULL);
    printf("ended %d of %d\n", ended, CALLS);
    return 0;
}
