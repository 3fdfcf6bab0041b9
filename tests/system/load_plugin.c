/* load_plugin PLUGIN [THREADS]: a program that is not linked with BLAS loads a
 * plug-in that is, locally, and uses it from several threads at once. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS_MAX = 64, CHECKS = 5 };
static int (*check)(void);
static pthread_barrier_t start;

static void *run(void *unused)
{
    (void)unused;
    pthread_barrier_wait(&start);
    return check() == CHECKS ? &start : NULL;
}

int main(int count, char **arguments)
{
    int threads = count > 2 ? atoi(arguments[2]) : 1, good = 0;
    pthread_t thread[THREADS_MAX];
    void *plugin = count > 1 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!plugin || threads < 1 || threads > THREADS_MAX) {
        fprintf(stderr, "usage: load_plugin PLUGIN [THREADS]: %s\n", dlerror());
        return 2;
    }
    check = (int (*)(void))dlsym(plugin, "plugin_check");
    pthread_barrier_init(&start, NULL, (unsigned)threads);
    for (int i = 0; i < threads; i++)
        if (pthread_create(&thread[i], NULL, run, NULL) != 0)
            return 2;
    for (int i = 0; i < threads; i++) {
        void *result;
        pthread_join(thread[i], &result);
        good += result != NULL;
    }
    printf("%d of %d threads right\n", good, threads);
    return good != threads;
}
