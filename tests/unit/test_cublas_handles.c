/* Which handle a stream's calls get, with makers of the test's own, and what orders those of several streams. */
#include "gpu/vendor/cublas_handles.h"
#include "emulated_lane.h"
#include "common/own_thread.h"
#include "test_apart.h"
#include "unit_test.h"

#include <pthread.h>
#include <semaphore.h>
#include <string.h>

enum { STREAMS = 4, SHARED = 3, MOST = 64, REFUSED = 3 };

static char places[MOST]; /* handles are their addresses */
static int made, refused_from = MOST;
static CUstream stream_set[MOST], streams[STREAMS];
static void *workspaces[MOST];
static size_t workspace_bytes[MOST];
static struct lane *lane;
static int place;

static int number_of(cublasHandle_t handle)
{
    return (int)((char *)handle - places);
}

static int create(cublasHandle_t *handle)
{
    if (made >= refused_from)
        return REFUSED;
    *handle = (cublasHandle_t)&places[made++];
    return 0;
}

static int set_stream(cublasHandle_t handle, CUstream stream)
{
    stream_set[number_of(handle)] = stream;
    workspaces[number_of(handle)] = NULL;
    return 0;
}

static int set_workspace(cublasHandle_t handle, void *workspace, size_t bytes)
{
    workspaces[number_of(handle)] = workspace;
    workspace_bytes[number_of(handle)] = bytes;
    return 0;
}

static const struct cublas_makers makers = {create, set_stream, set_workspace};

static bool prepare(void)
{
    lane = emulated_lane();
    place = device_place(emulated_device);
    for (int i = 0; i < STREAMS; i++)
        if (driver()->stream_create(&streams[i], CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
            return false;
    return true;
}

static bool begin(void)
{
    return prepare() && cublas_handles_begin(place, &makers) == 0;
}

static int note(cublasHandle_t handle, const void *argument)
{
    int *const number = *(int *const *)argument;
    *number = number_of(handle);
    return 0;
}

static CUdeviceptr memory;

/* With work behind which an event comes late. */
static int note_and_work(cublasHandle_t handle, const void *argument)
{
    const CUstream stream = stream_set[number_of(handle)];
    return driver()->memory_set_async(memory + 192, 1, 64, stream) == CUDA_SUCCESS ? note(handle, argument) : 1;
}

/* -1: none; its stream is set. */
static int handle_of(CUstream stream)
{
    int number = -1, *const where = &number;
    if (cublas_handles_run(place, stream, memory ? note_and_work : note, &where) != 0 || number < 0 || stream_set[number] != stream)
        return -1;
    return number;
}

static bool has_own_handles(void)
{
    bool is_right = begin() && made == 1;
    for (int turn = 0; turn < 3; turn++)
        for (int i = 0; i < STREAMS; i++)
            is_right = is_right && handle_of(streams[i]) == i && !workspaces[i];
    return is_right && made == STREAMS;
}

static bool does_with_what_there_is(void)
{
    refused_from = 2;
    if (!begin() || handle_of(streams[0]) != 0 || handle_of(streams[1]) != 1)
        return false;
    const int number = handle_of(streams[2]);
    refused_from = MOST; /* one that was refused is not asked for again */
    const int again = handle_of(streams[2]);
    return number == 0 && again == 1 && made == 2 && handle_of(streams[0]) == 0 && handle_of(streams[1]) == 1;
}

static bool says_what_fails(void)
{
    refused_from = 0;
    return !begin() && made == 0;
}

/* A call that lasts until it may end. */
static sem_t has_begun, may_end;

static int stay(cublasHandle_t handle, const void *argument)
{
    sem_post(&has_begun);
    sem_wait(&may_end);
    return note(handle, argument);
}

struct caller {
    pthread_t thread;
    CUstream stream;
    int number, *where;
};

static void *call_and_stay(void *argument)
{
    struct caller *const caller = argument;
    struct device_scope scope;
    caller->number = -1;
    caller->where = &caller->number;
    if (device_enter(emulated_device, &scope) != STATUS_OK)
        return NULL;
    cublas_handles_run(place, caller->stream, stay, &caller->where);
    device_leave(emulated_device, &scope);
    return NULL;
}

/* Three callers have one each, and a fourth waits for one of them. */
static bool shares_three(void)
{
    struct caller callers[STREAMS];
    int value, used[SHARED] = {0};
    cublas_handles_share();
    if (!begin())
        return false;
    sem_init(&has_begun, 0, 0);
    sem_init(&may_end, 0, 0);
    for (int i = 0; i < STREAMS; i++) {
        callers[i].stream = streams[i];
        if (pthread_create(&callers[i].thread, NULL, call_and_stay, &callers[i]) != 0)
            return false;
    }
    for (int i = 0; i < SHARED; i++)
        sem_wait(&has_begun);
    pause_for(20000000);
    const bool waits = sem_getvalue(&has_begun, &value) == 0 && value == 0;
    for (int i = 0; i < STREAMS; i++)
        sem_post(&may_end);
    for (int i = 0; i < STREAMS; i++) {
        pthread_join(callers[i].thread, NULL);
        if (callers[i].number >= 0 && callers[i].number < SHARED)
            used[callers[i].number]++;
    }
    for (int i = 0; i < SHARED; i++)
        if (used[i] < 1 || !workspaces[i] || workspaces[i] == workspaces[(i + 1) % SHARED] ||
            workspace_bytes[i] != (size_t)32 << 20)
            return false;
    return waits && made == SHARED && used[0] + used[1] + used[2] == STREAMS;
}

/* The emulated device does what a stream has when it is waited for. */
static bool prefers_idle_ones(void)
{
    cublas_handles_share();
    if (!begin() || driver()->memory_allocate(&memory, 4 * 64) != CUDA_SUCCESS || handle_of(streams[0]) != 0 ||
        handle_of(streams[0]) != 0 || handle_of(streams[1]) != 1 ||
        handle_of(streams[2]) != 2 || handle_of(streams[3]) != 0 || handle_of(streams[0]) != 1)
        return false;
    return driver()->stream_synchronise(streams[2]) == CUDA_SUCCESS && handle_of(streams[1]) == 2 && made == SHARED;
}

static bool follows_the_users_configuration(void)
{
    setenv("CUBLAS_WORKSPACE_CONFIG", ":16:8", 1);
    cublas_handles_share();
    return begin() && handle_of(streams[0]) == 0 && !workspaces[0];
}

static bool frees_what_a_failure_leaves(void)
{
    cublas_handles_share();
    refused_from = 0;
    if (!prepare())
        return false;
    const struct emulated_census before = take_census();
    if (cublas_handles_begin(place, &makers) != REFUSED)
        return false;
    const struct emulated_census after = take_census();
    return after.used_bytes == before.used_bytes && after.events == before.events;
}

struct words {
    CUstream stream;
    CUdeviceptr to, from;
};

static int copy_words(cublasHandle_t handle, const void *argument)
{
    const struct words *const words = argument;
    const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE, .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                .srcDevice = words->from, .dstDevice = words->to, .WidthInBytes = 64, .Height = 1};
    (void)handle;
    return driver()->copy_2d_async(&copy, words->stream) == CUDA_SUCCESS ? 0 : 1;
}

/* The emulated device runs what the waited stream needs, and no more. */
static bool orders_streams(void)
{
    unsigned char seen[64];
    cublas_handles_share();
    refused_from = 1;
    if (!begin() || driver()->memory_allocate(&memory, 4 * 64) != CUDA_SUCCESS || handle_of(streams[2]) != 0 ||
        handle_of(streams[3]) != 0) /* no other is to be had, which is known then */
        return false;
    driver()->memory_set_async(memory, 5, 64, streams[0]);
    const struct words first = {streams[0], memory + 64, memory}, second = {streams[1], memory + 128, memory + 64};
    if (cublas_handles_run(place, streams[0], copy_words, &first) != 0 ||
        cublas_handles_run(place, streams[1], copy_words, &second) != 0 ||
        driver()->stream_synchronise(streams[1]) != CUDA_SUCCESS || !device_peek(seen, memory + 128, sizeof seen))
        return false;
    for (size_t i = 0; i < sizeof seen; i++)
        if (seen[i] != 5)
            return false;
    return true;
}

static int fail(cublasHandle_t handle, const void *argument)
{
    (void)handle, (void)argument;
    return 14;
}

static bool gives_back_after_failure(void)
{
    return begin() && cublas_handles_run(place, streams[0], fail, NULL) == 14 && handle_of(streams[0]) == 0;
}

UNIT_TEST(test_cublas_handles)
{
    test_apart(has_own_handles, "every stream has a handle of its own, with cuBLAS' workspace");
    test_apart(does_with_what_there_is, "where no further one can be made, those that are there serve all");
    test_apart(says_what_fails, "without the first there is none");
    test_apart(shares_three, "a service has three for all, with workspaces, and a fourth caller waits");
    test_apart(prefers_idle_ones, "there a stream gets its own again, an idle one, or the one that was taken first");
    test_apart(follows_the_users_configuration, "CUBLAS_WORKSPACE_CONFIG leaves them cuBLAS' workspaces");
    test_apart(frees_what_a_failure_leaves, "what could not be made whole leaves no memory");
    test_apart(orders_streams, "what one does for a stream comes behind what it did for the one before");
    test_apart(gives_back_after_failure, "a call that fails gives its handle back");
    return tap_done();
}
