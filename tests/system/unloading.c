/* unloading LIBRARY OTHER: a program without BLAS loads libraries that bring it along, and
 * unloads them; their memory becomes others'. One line for everything that is wrong. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROUNDS = 6, SIZE = 64, OWN_CALLS = 8, ALL_CALLS = 12 };

static int wrong;

static void check(bool good, const char *what)
{
    if (good)
        return;
    printf("wrong: %s\n", what);
    wrong++;
}

static void *load(const char *library, int (**calls)(const double *, int), double *(**matrix)(void))
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        printf("%s\n", dlerror());
        exit(1);
    }
    *calls = (int (*)(const double *, int))dlsym(handle, "passing_calls");
    *matrix = (double *(*)(void))dlsym(handle, "passing_matrix");
    return handle;
}

static bool is_mapped(uintptr_t address)
{
    unsigned char vector;
    return mincore((void *)address, 1, &vector) == 0;
}

/* Memory of ours where a library's was, filled differently. */
static double *map_at(uintptr_t address, size_t bytes, int round)
{
    double *memory = mmap((void *)address, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory != (double *)address)
        return NULL;
    for (size_t i = 0; i < bytes / sizeof *memory; i++)
        memory[i] = (double)((i + (size_t)round) * 29 % 61) / 16;
    return memory;
}

int main(int count, char **arguments)
{
    int (*calls)(const double *, int), (*other_calls)(const double *, int), reused = 0;
    double *(*matrix)(void), *(*other_matrix)(void);
    if (count != 3)
        return 2;
    alarm(120);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = SIZE * SIZE * sizeof(double) / page * page;
    for (int round = 0; round < ROUNDS; round++) {
        void *library = load(arguments[1], &calls, &matrix);
        uintptr_t place = ((uintptr_t)matrix() + page - 1) / page * page;
        check(calls(NULL, 0) == OWN_CALLS, "calls of the library");
        check(dlclose(library) == 0 && !is_mapped(place), "unloading the library");
        double *memory = map_at(place, bytes, round);
        library = load(arguments[2], &other_calls, &other_matrix);
        check(other_calls(memory, memory ? SIZE : 0) == (memory ? ALL_CALLS : OWN_CALLS),
              "calls of another library on memory where the first one's was");
        reused += memory != NULL;
        if (memory)
            munmap(memory, bytes);
        /* The first anew, beside the other. */
        void *again = load(arguments[1], &calls, &matrix);
        check(calls(NULL, 0) == OWN_CALLS && other_calls(NULL, 0) == OWN_CALLS, "calls of both");
        dlclose(library);
        check(calls(NULL, 0) == OWN_CALLS, "calls of the one that stayed");
        dlclose(again);
    }
    check(reused > 0, "memory is never used again");
    return wrong != 0;
}
