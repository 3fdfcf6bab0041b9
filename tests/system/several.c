/* several PLUGIN...: a program that is not linked with BLAS loads one plug-in (caller.c)
 * after the other, locally, calls those it has after each, and all of them from threads. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

enum { PLUGINS_MAX = 8, THREADS = 4, ROUNDS = 50 };
static int (*checks[PLUGINS_MAX])(void);
static int loaded;
static pthread_barrier_t start;

static int count_right(int rounds)
{
    int right = 0;
    for (int i = 0; i < rounds; i++)
        for (int plugin = 0; plugin < loaded; plugin++)
            right += checks[plugin]();
    return right;
}

static void *run(void *result)
{
    pthread_barrier_wait(&start);
    *(int *)result = count_right(ROUNDS);
    return NULL;
}

static int run_threads(void)
{
    pthread_t thread[THREADS];
    int results[THREADS] = {0}, right = 0;
    pthread_barrier_init(&start, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, run, &results[i]) != 0)
            return 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        right += results[i];
    }
    return right;
}

int main(int count, char **paths)
{
    int right = 0, expected = 0;
    for (int i = 1; i < count && i <= PLUGINS_MAX; i++) {
        void *plugin = dlopen(paths[i], RTLD_LAZY | RTLD_LOCAL);
        if (!plugin) {
            fprintf(stderr, "several: %s\n", dlerror());
            return 2;
        }
        checks[loaded++] = (int (*)(void))dlsym(plugin, "caller_check");
        right += count_right(2);
        expected += 2 * loaded;
    }
    right += run_threads();
    expected += THREADS * ROUNDS * loaded;
    printf("%d of %d checks right\n", right, expected);
    return loaded == 0 || right != expected;
}
