#include "interpose/process_state.h"
#include "common/interruption.h"
#include "mirror/host_memory/mapping.h"

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* DMTCP's, which is loaded before this library if at all. A weak reference finds it: to look it up takes the
 * loader's lock, which may be held by a library's constructor that waits for this thread. */
extern int dmtcp_checkpoint(void) __attribute__((weak, visibility("default")));

atomic_int process_state_filters, process_state_filters_of_sharers;

/* Whose memory this is; and the last that shared it and announced a filter. */
enum { SHARERS_MOST = 16 };
static _Atomic pid_t owner, sharers[SHARERS_MOST];

static volatile unsigned char *alive; /* 1 here, 0 in a fork child; NULL: unknown */
static bool checkpointed;
static struct once begin_once = ONCE_INIT;

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
    once_run(&begin_once, begin);
}

bool process_state_is_forked(void)
{
    return !alive || !*alive;
}

static void note_owner(void)
{
    atomic_store(&owner, getpid());
}

/* vfork calls no handler, and leaves the mark of a fork as it is. */
__attribute__((constructor)) static void note_owner_at_load(void)
{
    note_owner();
    pthread_atfork(NULL, NULL, note_owner);
}

bool process_state_owns_memory(void)
{
    return getpid() == atomic_load(&owner) || (alive && !*alive);
}

void process_state_announce_filter(void)
{
    if (process_state_owns_memory())
        atomic_fetch_add(&process_state_filters, 1);
    else
        sharers[(unsigned)atomic_fetch_add(&process_state_filters_of_sharers, 1) % SHARERS_MOST] = getpid();
}

void process_state_withdraw_filter(void)
{
    const pid_t process = getpid();
    if (process_state_owns_memory()) {
        atomic_fetch_sub(&process_state_filters, 1);
        return;
    }
    for (int i = 0; i < SHARERS_MOST; i++)
        if (sharers[i] == process) {
            sharers[i] = 0;
            return;
        }
}

bool process_state_sharer_is_filtered(void)
{
    const pid_t process = getpid();
    bool found = false;
    for (int i = 0; i < SHARERS_MOST && !found; i++)
        found = sharers[i] == process;
    return found;
}

bool process_state_forbids_device(void)
{
    return process_state_is_forked() || checkpointed;
}

/* Only solving divides. */
static unsigned exceptions_of(const struct blas_call *call)
{
    return call && call->family == FAMILY_TRSM ? ~0u : ~(unsigned)FE_DIVBYZERO;
}

bool process_state_arithmetic_allows(const struct float_state *arithmetic, const struct blas_call *call)
{
    if (!float_state_rounds_to_nearest(arithmetic) || (float_state_traps(arithmetic) & exceptions_of(call)))
        return false;
    return !call || !float_state_ignores_denormals(arithmetic) || (!blas_scalar_is_denormal(call->type, call->alpha) &&
                                                          !blas_scalar_is_denormal(call->type, call->beta));
}

/* The stack that this thread was last seen on. Another that is mapped there since is taken for the same:
 * the caller loses no more than time by that. */
static __thread uintptr_t stack_begin __attribute__((tls_model("initial-exec")));
static __thread uintptr_t stack_end __attribute__((tls_model("initial-exec")));

static bool find_stack(uintptr_t here)
{
    struct mapping stack;
    if (here >= stack_begin && here < stack_end)
        return true;
    if (process_state_is_filtered() || mapping_find(here, &stack) != STATUS_OK)
        return false;
    stack_begin = stack.begin;
    stack_end = stack.end;
    return true;
}

static bool is_in_handler(void)
{
    stack_t stack;
    return sigaltstack(NULL, &stack) != 0 || (stack.ss_flags & SS_ONSTACK);
}

enum frame_state left_frames_look(const void *frame, const void *here)
{
    const uintptr_t address = (uintptr_t)frame;
    struct mapping gone;
    if (!find_stack((uintptr_t)here) || (address >= stack_begin && address < stack_end))
        return address <= (uintptr_t)here ? FRAME_LEFT : FRAME_INSIDE;
    if (is_in_handler())
        return FRAME_INSIDE;
    return mapping_find(address, &gone) == STATUS_OK ? FRAME_ELSEWHERE : FRAME_LEFT;
}
