#include "interpose/process_state.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

/* DMTCP's, which is loaded before this library if at all. By reference: to look it up takes the loader's
 * lock, which may be held by a library's constructor that waits for this thread. */
extern int dmtcp_checkpoint(void) __attribute__((weak, visibility("default")));

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

bool process_state_default_arithmetic(void)
{
#if defined(__x86_64__)
    enum { EXCEPTION_MASKS = 0x1f80, ROUNDING = 0x6000, FLUSH_TO_ZERO = 0x8000, DENORMALS_ARE_ZERO = 0x0040 };
    return (_mm_getcsr() & (EXCEPTION_MASKS | ROUNDING | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO)) == EXCEPTION_MASKS;
#elif defined(__aarch64__)
    unsigned long control; /* trap enables 8-12 and 15, FZ16 19, rounding 22-23, FZ 24 */
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return (control & 0x01c89f00UL) == 0;
#else
    return false;
#endif
}
