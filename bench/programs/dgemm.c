/* dgemm.c - C = A B of square matrices in host memory, which are written anew before each repetition. With
 * EXTRA 2 (default 1) the program has pinned that memory, as programs with CUDA of their own do. */
#include "checks.h"
#include "lapack.h"
#include "problems.h"
#include "program.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* The CUDA driver's interface restated, since programs are built where there is no CUDA. */
struct driver {
    int (*initialise)(unsigned flags);
    int (*retain_context)(void **context, int device);
    int (*set_context)(void *context);
    int (*pin)(void *memory, size_t bytes, unsigned flags);
};
enum { PORTABLE = 1, ORDINARY = 1 };

static void give_up(const char *what)
{
    fprintf(stderr, "dgemm: no pinned memory: %s\n", what);
    exit(1);
}

static void find(void *library, const char *name, void *place)
{
    *(void **)place = dlsym(library, name);
    if (!*(void **)place)
        give_up(name);
}

static void open_driver(struct driver *driver)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *context;
    if (!library)
        give_up(dlerror());
    find(library, "cuInit", &driver->initialise);
    find(library, "cuDevicePrimaryCtxRetain", &driver->retain_context);
    find(library, "cuCtxSetCurrent", &driver->set_context);
    find(library, "cuMemHostRegister_v2", &driver->pin);
    if (driver->initialise(0) != 0 || driver->retain_context(&context, 0) != 0 ||
        driver->set_context(context) != 0)
        give_up("no CUDA device");
}

static void pin(double *memory[], int count, size_t bytes)
{
    struct driver driver;
    open_driver(&driver);
    for (int i = 0; i < count; i++)
        if (driver.pin(memory[i], bytes, PORTABLE) != 0)
            give_up("cuMemHostRegister fails");
}

int main(int count, char **arguments)
{
    struct run run = run_begin("dgemm", count, arguments, ORDINARY);
    const int n = run.n;
    const double one = 1, zero = 0;
    const struct matrix a = problem_symmetric(n), b = problem_general(n, n);
    const size_t size = matrix_size(&a);
    double *memory[] = {allocate(size), allocate(size), allocate(size)};
    double *left = memory[0], *right = memory[1], *product = memory[2];
    const struct matrix c = matrix_dense((size_t)n, (size_t)n, product);
    if (run.extra != ORDINARY)
        pin(memory, 3, size * sizeof(double));
    while (run_next(&run)) {
        matrix_fill(&a, left);
        matrix_fill(&b, right);
        run_start(&run);
        dgemm_("N", "N", &n, &n, &n, &one, left, &n, right, &n, &zero, product, &n, 1, 1);
        run_stop(&run);
        run_digest(&run, product, size);
        run_checked(&run, check_solution(&a, &b, &c), -1);
    }
    if (run.extra != ORDINARY)
        return run_finish(&run); /* pinned memory goes with the process */
    for (int i = 0; i < 3; i++)
        free(memory[i]);
    return run_finish(&run);
}
