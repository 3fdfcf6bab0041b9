
#include "common/clock.h"
#include "common/own_thread.h"
#include "service/client/link.h"

#include <sched.h>

enum { PATIENCE_MS = 5000 };  /* for a server that says nothing: it is stopped, or gone */
/* A sleep takes some 50 microseconds more than it is to: a thread spins for longer where it keeps nobody from work. */
enum { SPIN_NS = 30000, LONG_SPIN_NS = 200000, SLEEP_LEAST_NS = 20000, SLEEP_MOST_NS = 1000000 };
enum { GIVE_WAY_NS = 300000, PAUSES = 8 };
/* A look counts for no more: a process that was stopped has not listened. */
enum { LOOK_MOST_NS = 100000000 };

static _Atomic uint64_t queue_nanoseconds;
static atomic_int waiting; /* threads in link_wait, and those that a jump has taken out of it */

static int processors(void)
{
    static atomic_int usable;
    if (atomic_load_explicit(&usable, memory_order_relaxed) == 0)
        atomic_store_explicit(&usable, processors_usable(), memory_order_relaxed);
    return atomic_load_explicit(&usable, memory_order_relaxed);
}

/* One processor, which the server's thread has, too: a spinning thread would keep it from its work. */
static bool is_alone(void)
{
    return processors() == 1;
}

/* Half of the processors are for threads of the server, whose affinity is the client's, and of the program. */
static uint64_t spin_nanoseconds(void)
{
    const int threads = atomic_load_explicit(&waiting, memory_order_relaxed);
    const bool is_spare = atomic_load_explicit(&link_control()->has_spare_processors, memory_order_relaxed);
    return is_spare && processors() >= 2 * (threads > 1 ? threads : 1) ? LONG_SPIN_NS : SPIN_NS;
}

/* The server's thread goes first if it has work. A sleep of some microseconds takes a hundred. */
static void give_way(void)
{
    for (int i = 0; i < PAUSES; i++)
        pause_spin();
    sched_yield();
}

static unsigned heartbeat(void)
{
    return atomic_load_explicit(&link_control()->heartbeat, memory_order_relaxed);
}

static CUresult look(struct vigil *vigil, uint64_t now)
{
    const unsigned beats = heartbeat();
    const uint64_t gone = now - vigil->looked;
    vigil->silent =
        beats != vigil->heartbeat ? 0 : vigil->silent + (gone < LOOK_MOST_NS ? gone : LOOK_MOST_NS);
    vigil->heartbeat = beats;
    vigil->looked = now;
    if (atomic_load_explicit(&link_control()->lost, memory_order_acquire) != CUDA_SUCCESS)
        return link_lose("its device failed, or it ended the connection");
    if (link_is_hung_up())
        return link_lose("it has ended");
    if (vigil->silent > PATIENCE_MS * UINT64_C(1000000))
        return link_lose("it does not answer");
    return CUDA_SUCCESS;
}

/* One step of a wait: spins or gives way at first, then sleeps ever longer. */
CUresult vigil_step(struct vigil *vigil)
{
    const uint64_t now = clock_nanoseconds();
    if (!vigil->is_begun) {
        *vigil = (struct vigil){.begun = now, .looked = now, .is_begun = true, .heartbeat = heartbeat()};
        return CUDA_SUCCESS;
    }
    if (link_is_lost())
        return LINK_LOST;
    if (now - vigil->begun < (is_alone() ? GIVE_WAY_NS : spin_nanoseconds())) {
        is_alone() ? give_way() : pause_spin();
        return CUDA_SUCCESS;
    }
    const uint64_t gone = (now - vigil->begun) / 16;
    const uint64_t step = gone < SLEEP_LEAST_NS  ? SLEEP_LEAST_NS
                          : gone > SLEEP_MOST_NS ? SLEEP_MOST_NS
                                                 : gone;
    pause_for(step);
    return look(vigil, clock_nanoseconds());
}

static bool is_reached(const atomic_uint *word, uint32_t value)
{
    return (int32_t)(atomic_load_explicit(word, memory_order_acquire) - value) >= 0;
}

/* Threads that ask again and again wait, too: now and then one of them looks at the server for all. */
static CUresult look_for_all(void)
{
    enum { LOOK_LEAST_NS = 2000000 };
    static struct vigil vigil;
    static atomic_flag is_looking = ATOMIC_FLAG_INIT;
    const uint64_t now = clock_nanoseconds();
    CUresult result = CUDA_SUCCESS;
    if (atomic_flag_test_and_set_explicit(&is_looking, memory_order_acquire))
        return CUDA_SUCCESS;
    if (now - vigil.looked > LOOK_LEAST_NS)
        result = look(&vigil, now);
    atomic_flag_clear_explicit(&is_looking, memory_order_release);
    return result;
}

CUresult link_look(const atomic_uint *word, uint32_t value)
{
    if (is_reached(word, value))
        return CUDA_SUCCESS;
    if (link_is_lost())
        return LINK_LOST;
    if (atomic_load_explicit(&link_control()->lost, memory_order_acquire) != CUDA_SUCCESS)
        return link_lose("its device failed, or it ended the connection");
    const CUresult result = look_for_all();
    return result == CUDA_SUCCESS ? CUDA_ERROR_NOT_READY : result;
}

/* A wait is in the queue until the server has taken all that was there when it began, and then
 * the device's. */
struct queued {
    uint64_t tail, since; /* ns; 0: it has been taken */
};

static struct queued queue_enter(void)
{
    return (struct queued){atomic_load_explicit(&link_control()->tail, memory_order_relaxed),
                           clock_nanoseconds()};
}

static void queue_look(struct queued *queued)
{
    if (!queued->since || atomic_load_explicit(&link_control()->head, memory_order_relaxed) < queued->tail)
        return;
    atomic_fetch_add_explicit(&queue_nanoseconds, clock_nanoseconds() - queued->since, memory_order_relaxed);
    queued->since = 0;
}

static bool is_served(uint64_t tail)
{
    return atomic_load_explicit(&link_control()->served, memory_order_seq_cst) >= tail;
}

/* The server tells all threads that wait, once the first one's records are served. */
static unsigned ask_to_be_told(uint64_t tail)
{
    struct service_control *const control = link_control();
    const unsigned own = service_mark_of(tail);
    unsigned awaited = 0;
    while (!atomic_compare_exchange_strong(&control->awaited, &awaited, own))
        if ((int32_t)(awaited - own) <= 0)
            return awaited;
    return own;
}

/* With one processor the server's thread has it until it has served what is there: a thread that gives way, but can run,
 * is taken before one that comes back from the driver's locks. */
static CUresult sleep_until_served(struct vigil *vigil, uint64_t tail)
{
    enum { SLICE_NS = 1000000 };
    if (!vigil->is_begun)
        return vigil_step(vigil);
    if (link_is_lost())
        return LINK_LOST;
    const unsigned awaited = ask_to_be_told(tail);
    if (!is_served(tail))
        service_word_wait(&link_control()->awaited, awaited, SLICE_NS);
    const uint64_t now = clock_nanoseconds();
    vigil->begun = now; /* of the wait for the device */
    return now - vigil->looked < SLICE_NS ? CUDA_SUCCESS : look(vigil, now);
}

CUresult link_wait(const atomic_uint *word, uint32_t value)
{
    struct vigil vigil = {.is_begun = false};
    CUresult result = CUDA_SUCCESS;
    if (is_reached(word, value))
        return CUDA_SUCCESS;
    struct queued queued = queue_enter();
    atomic_fetch_add_explicit(&waiting, 1, memory_order_relaxed);
    while (!is_reached(word, value) && result == CUDA_SUCCESS) {
        queue_look(&queued);
        result = is_alone() && !is_served(queued.tail) ? sleep_until_served(&vigil, queued.tail) : vigil_step(&vigil);
    }
    atomic_fetch_sub_explicit(&waiting, 1, memory_order_relaxed);
    queue_look(&queued);
    return result;
}

static CUresult wait_in_queue(struct service_slot *slot, struct queued *queued)
{
    struct vigil vigil = {.is_begun = false};
    CUresult result = CUDA_SUCCESS;
    const uint64_t begun = clock_nanoseconds();
    while (!is_alone() && clock_nanoseconds() - begun < SPIN_NS) {
        queue_look(queued);
        if (atomic_load_explicit(&slot->state, memory_order_acquire) == SLOT_DONE)
            return CUDA_SUCCESS;
    }
    while (result == CUDA_SUCCESS) {
        queue_look(queued);
        unsigned pending = SLOT_PENDING;
        atomic_compare_exchange_strong(&slot->state, &pending, SLOT_AWAITED);
        if (pending == SLOT_DONE)
            return CUDA_SUCCESS;
        service_word_wait(&slot->state, SLOT_AWAITED, 20000000);
        if (atomic_load_explicit(&slot->state, memory_order_acquire) == SLOT_DONE)
            return CUDA_SUCCESS;
        if (!vigil.is_begun)
            vigil_step(&vigil);
        result = look(&vigil, clock_nanoseconds());
    }
    return result;
}

CUresult vigil_await_slot(struct service_slot *slot)
{
    struct queued queued = queue_enter();
    const CUresult result = wait_in_queue(slot, &queued);
    queue_look(&queued);
    return result;
}

uint64_t vigil_queue_nanoseconds(void)
{
    return atomic_load_explicit(&queue_nanoseconds, memory_order_relaxed);
}
