/* cuBLAS and cuSOLVER for a client of the service: vendor_calls.inc has a stub for each function of
 * solver.def, which brings its arguments as words. */
#include "service/client/link.h"

#include "gpu/vendor/solver_library.h"
#include "gpu/vendor/vendor_library.h"

#include <string.h>

/* The stream that a handle is set to: what it does there has to be waited for. */
enum { HANDLES_MOST = SERVICE_HANDLES + 1 };
static _Atomic(CUstream) solver_streams[HANDLES_MOST], blas_streams[HANDLES_MOST];

static const char *const kinds_of[] = {
#define VENDOR_FUNCTION(number, symbol, place, kinds, parameters, count, words) [number] = kinds,
#include "service/vendor_calls.inc"
#undef VENDOR_FUNCTION
};

static _Atomic(CUstream) *stream_of(char kind, uint64_t handle)
{
    if (handle >= HANDLES_MOST)
        return NULL;
    return kind == 'h' ? &solver_streams[handle] : kind == 'b' ? &blas_streams[handle] : NULL;
}

static void note_stream(const char *kinds, const uintptr_t *words)
{
    _Atomic(CUstream) *const stream = stream_of(kinds[0], words[0]);
    if (!stream)
        return;
    if (kinds[1] == 's')
        atomic_store(stream, (CUstream)words[1]);
    link_stream_is_used(atomic_load(stream));
}

static unsigned scalar_bytes(char kind)
{
    return kind == '4' ? 4 : kind == '8' ? 8 : 16;
}

static bool is_scalar(char kind)
{
    return kind == '4' || kind == '8' || kind == '6';
}

static bool is_result(char kind)
{
    return strchr("izHPB", kind) != NULL;
}

static void pack(struct service_vendor *call, const char *kinds, const uintptr_t *words)
{
    uint32_t scalars = 0;
    for (uint32_t i = 0; i < call->count; i++) {
        call->words[i] = is_result(kinds[i]) || kinds[i] == 'w' ? 0 : words[i];
        if (!is_scalar(kinds[i]))
            continue;
        memcpy(call->scalars[scalars], (const void *)words[i], scalar_bytes(kinds[i]));
        call->words[i] = scalars++;
    }
}

static void unpack(const struct service_vendor_answer *answer, const char *kinds, uint32_t count,
                   const uintptr_t *words)
{
    int results = 0;
    for (uint32_t i = 0; i < count; i++)
        if (is_result(kinds[i])) /* little-endian: an int is the word's first half */
            memcpy((void *)words[i], &answer->results[results++],
                   kinds[i] == 'i' ? sizeof(int) : sizeof(uint64_t));
}

/* The library's status; its "execution failed" where the service is lost: the next wait for the stream says
 * more. */
static int ask(uint32_t function, const uintptr_t *words, uint32_t count)
{
    const char *const kinds = kinds_of[function];
    struct service_vendor call = {.function = function, .count = count};
    struct service_vendor_answer answer;
    const bool is_blas = kinds[0] == 'b';
    pack(&call, kinds, words);
    note_stream(kinds, words);
    if (is_blas)
        return link_post(SERVICE_VENDOR, &call, sizeof call) == CUDA_SUCCESS ? 0
                                                                             : CUBLAS_STATUS_EXECUTION_FAILED;
    const CUresult result = link_ask(SERVICE_VENDOR, &call, sizeof call, &answer, sizeof answer);
    note_stream(kinds, words);
    if (result != CUDA_SUCCESS)
        return CUSOLVER_STATUS_EXECUTION_FAILED;
    if (answer.status == 0)
        unpack(&answer, kinds, count, words);
    return answer.status;
}

#define INSIDE(...) __VA_ARGS__
#define VENDOR_FUNCTION(number, symbol, place, kinds, parameters, count, arguments) \
    static int stub_##number parameters                                             \
    {                                                                               \
        const uintptr_t words[count] = {INSIDE arguments};                          \
        return ask(number, words, count);                                           \
    }
#include "service/vendor_calls.inc"
#undef VENDOR_FUNCTION

static const struct {
    const char *symbol;
    void *stub;
} stubs[] = {
#define VENDOR_FUNCTION(number, symbol, place, kinds, parameters, count, arguments) \
    {symbol, (void *)stub_##number},
#include "service/vendor_calls.inc"
#undef VENDOR_FUNCTION
};

_Static_assert(sizeof stubs / sizeof *stubs <= SERVICE_FUNCTIONS_MOST, "a bit for each");
static struct service_library_answer solver_functions; /* that the server's library has */

static void *symbol_of(const char *name)
{
    for (size_t i = 0; i < sizeof stubs / sizeof *stubs; i++)
        if (strcmp(stubs[i].symbol, name) == 0)
            return solver_functions.has[i / 64] >> i % 64 & 1 ? stubs[i].stub : NULL;
    return NULL;
}

static bool open_library(const char *library)
{
    const struct service_library call = {strcmp(library, "cuSOLVER") == 0, 0};
    struct service_library_answer answer;
    if (link_ask(SERVICE_OPEN_LIBRARY, &call, sizeof call, &answer, sizeof answer) != CUDA_SUCCESS)
        return false;
    if (call.is_solver)
        solver_functions = answer;
    return true;
}

static CUresult queue_level3(CUstream stream, const struct blas_call *call)
{
    struct service_level3 message;
    memset(&message, 0, sizeof message);
    message.stream = (uint32_t)(uintptr_t)stream;
    message.call = *call;
    link_stream_is_used(stream);
    return link_post(SERVICE_LEVEL3, &message, sizeof message);
}

static int solver_version(void)
{
    return solver_functions.version;
}

static bool has_eigensolvers(void)
{
    const struct service_library call = {1, 1};
    return link_ask(SERVICE_OPEN_LIBRARY, &call, sizeof call, NULL, 0) == CUDA_SUCCESS;
}

const struct vendor_provider service_vendor_provider = {open_library, symbol_of, queue_level3, solver_version,
                                                        has_eigensolvers};
