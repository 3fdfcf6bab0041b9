#include "interpose/process_state.h"

#include <fenv.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* DMTCP's, which is loaded before this library if at all. By reference: to look it up takes the loader's
 * lock, which may be held by a library's constructor that waits for this thread. */
extern int dmtcp_checkpoint(void) __attribute__((weak, visibility("default")));

atomic_int process_state_filters;

static volatile unsigned char *alive; /* 1 here, 0 in a fork child; NULL: unknown */
static bool checkpointed;
static pthread_once_t begin_once = PTHREAD_ONCE_INIT;

static void begin(void)
{
    size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED && madvise(page, bytes, MADV_WIPEONFORK) == 0) {
        alive = page;
        *alive = 1;
    }
    checkpointed = dmtcp_checkpoint || secure_getenv("DMTCP_COORD_HOST");
}

void process_state_begin(void)
{
    pthread_once(&begin_once, begin);
}

bool process_state_is_forked(void)
{
    return !alive || !*alive;
}

bool process_state_is_checkpointed(void)
{
    return checkpointed;
}

/* Only solving divides. */
static unsigned exceptions_of(const struct blas_call *call)
{
    return call->family == FAMILY_TRSM ? ~0u : ~(unsigned)FE_DIVBYZERO;
}

bool process_state_arithmetic_allows(const struct float_state *arithmetic, const struct blas_call *call)
{
    if (!float_state_rounds_to_nearest(arithmetic) || (float_state_traps(arithmetic) & exceptions_of(call)))
        return false;
    return !float_state_ignores_denormals(arithmetic) || (!blas_scalar_is_denormal(call->type, call->alpha) &&
                                                          !blas_scalar_is_denormal(call->type, call->beta));
}
