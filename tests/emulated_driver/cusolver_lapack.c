/* Routines of the host's LAPACK. */
#include "emulated_driver/cusolver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS_MAX = 28 };

static void *library;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_library(void)
{
    library = solver_open_library();
    if (!library)
        solver_abort("%s", dlerror());
}

/* NVIDIA's open nothing amid a call: a handler of the program's that jumps out of one leaves no loader locked. */
static void *look_up(const char *symbol)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_once(&once, open_library);
    void *routine = dlsym(library, symbol);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!routine)
        solver_abort("%s", dlerror());
    return routine;
}

void solver_open_lapack(void)
{
    look_up("dsyevd_");
}

static void make_symbol(char *symbol, size_t room, char type, const char *name)
{
    const bool renamed = solver_is_complex(type) &&
                         (strncmp(name, "sy", 2) == 0 || strncmp(name, "or", 2) == 0);
    snprintf(symbol, room, "%c%s%s_", type,
             !renamed         ? ""
             : name[0] == 's' ? "he"
                              : "un",
             name + (renamed ? 2 : 0));
}

void solver_lapack(char type, const char *name, const void *const *arguments, size_t count)
{
    /* Behind the arguments there are lengths of strings, all 1; more than a routine has do no harm. */
    void (*routine)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                    void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                    void *, void *, void *, void *, void *, void *);
    char symbol[16];
    void *a[ARGUMENTS_MAX];
    make_symbol(symbol, sizeof symbol, type, name);
    void *address = look_up(symbol);
    memcpy(&routine, &address, sizeof routine);
    for (size_t i = 0; i < ARGUMENTS_MAX; i++)
        a[i] = (void *)(uintptr_t)1;
    memcpy(a, arguments, count * sizeof *arguments);
    routine(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14],
            a[15], a[16], a[17], a[18], a[19], a[20], a[21], a[22], a[23], a[24], a[25], a[26], a[27]);
}

struct scratch scratch_take(char type, int64_t order)
{
    const int64_t elements = 4 * order * order + 300 * order + 1000;
    if (elements > INT32_MAX)
        solver_abort("an order of %lld is too much", (long long)order);
    struct scratch scratch = {
        .lwork = (int)elements, .lrwork = (int)elements, .liwork = (int)(10 * order + 100)};
    scratch.work = malloc((size_t)elements * solver_element_bytes(type));
    scratch.rwork = malloc((size_t)elements * solver_element_bytes(solver_real(type)));
    scratch.iwork = malloc((size_t)scratch.liwork * sizeof(int));
    if (!scratch.work || !scratch.rwork || !scratch.iwork)
        solver_abort("out of host memory");
    return scratch;
}

void scratch_free(struct scratch *scratch)
{
    free(scratch->work);
    free(scratch->rwork);
    free(scratch->iwork);
}
