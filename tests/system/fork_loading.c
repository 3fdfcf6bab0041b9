/* fork_loading FIRST PLUGIN NUMBER OTHER...: children call BLAS from a plug-in that called before, forked
 * while threads load and unload others: the loader is of no use in them. FIRST calls before all,
 * which makes its calls the quickest. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 4000, THREADS_MAX = 8, CALLS = 20 };

static atomic_bool over;

static int (*load(const char *path, void **handle))(int)
{
    *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    int (*call)(int) = *handle ? (int (*)(int))dlsym(*handle, "numbered_call") : NULL;
    if (!call) {
        printf("%s\n", dlerror());
        exit(2);
    }
    return call;
}

static void *come_and_go(void *path)
{
    while (!over) {
        void *handle;
        load(path, &handle)(1);
        dlclose(handle);
    }
    return NULL;
}

int main(int count, char **arguments)
{
    pthread_t threads[THREADS_MAX];
    int started = 0, wrong = 0;
    void *handle;
    if (count < 4 || count - 4 > THREADS_MAX)
        return 2;
    load(arguments[1], &handle)(1);
    int (*call)(int) = load(arguments[2], &handle), number = atoi(arguments[3]);
    wrong += call(CALLS) != number;
    for (int i = 4; i < count; i++)
        started += pthread_create(&threads[started], NULL, come_and_go, arguments[i]) == 0;
    for (int i = 0; i < CHILDREN; i++) {
        int status = 0;
        pid_t child = fork();
        if (child == 0) {
            alarm(120); /* one that hangs is ended */
            _exit(call(CALLS) != number);
        }
        if ((child < 0 || waitpid(child, &status, 0) != child || status) && ++wrong)
            printf("child %d: status %#x\n", i, (unsigned)status);
    }
    over = true;
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    return wrong != 0;
}
