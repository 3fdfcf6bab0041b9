/* Stream capture and graphs: what a program would record and replay. */
#include "emulated_driver/internal.h"

#include <stdlib.h>

struct CUgraph_st {
    struct queue queue;
    unsigned references; /* the graph's own and those of its clones, executables and queued launches */
    unsigned long long id;
    CUgraph original; /* of a clone, whose recording is the original's */
    struct held_object *held;
};

/* An object that the references of the program's graph, of its clones and so on hold, all in one: it goes
 * with the last of them. */
struct held_object {
    struct held_object *next;
    CUuserObject object;
    unsigned references;
};

struct CUgraphExec_st {
    CUgraph graph;
};

/* At most one capture at a time. */
static struct {
    CUstream origin;
    CUgraph graph; /* NULL: no capture */
    bool global, spoilt;
    unsigned long long last_id;
} capture;

struct queue *graph_queue(CUgraph graph)
{
    return &graph->queue;
}

CUresult capture_spoil(CUresult result)
{
    capture.spoilt = true;
    return result;
}

CUresult capture_check(enum function_index function)
{
    switch (function) {
    case CALL_cuMemAlloc_v2: case CALL_cuMemFree_v2: case CALL_cuMemHostAlloc: case CALL_cuMemFreeHost:
    case CALL_cuMemHostRegister_v2: case CALL_cuMemHostUnregister: case CALL_cuModuleLoadData:
    case CALL_cuEventSynchronize:
    case CALL_cuStreamSynchronize:
    case CALL_cuEventQuery:
    case CALL_cuStreamQuery: break;
    default:
        return CUDA_SUCCESS;
    }
    if (!capture.graph || !capture.global || context_capture_mode() == CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_SUCCESS;
    return capture_spoil(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

CUresult capture_forbids(CUstream stream)
{
    return stream_captured(stream) ? capture_spoil(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) : CUDA_SUCCESS;
}

EXPORT CUresult cuStreamGetCaptureInfo_v2(CUstream stream, int *status, unsigned long long *id,
                                          CUgraph *shown, const CUgraphNode **dependencies, size_t *count)
{
    API_BEGIN(cuStreamGetCaptureInfo_v2);
    if ((result = context_check()) != CUDA_SUCCESS)
        goto end;
    if (!stream_is_valid(stream) || !status)
        API_FAIL(misuse("cuStreamGetCaptureInfo of a stream that does not exist"));
    if (dependencies || count)
        API_FAIL(CUDA_ERROR_NOT_SUPPORTED);
    CUgraph graph = stream_captured(stream);
    *status = graph ? CU_STREAM_CAPTURE_STATUS_ACTIVE + capture.spoilt : CU_STREAM_CAPTURE_STATUS_NONE;
    if (*status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
        goto end;
    if (id)
        *id = graph->id;
    if (shown)
        *shown = graph;
    API_END;
}

EXPORT CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned references,
                                        unsigned flags)
{
    API_BEGIN(cuGraphRetainUserObject);
    if (!graph || !object || references == 0 || flags > CU_GRAPH_USER_OBJECT_MOVE)
        API_FAIL(CUDA_ERROR_INVALID_VALUE);
    struct held_object *held = malloc(sizeof *held);
    if (!held)
        emulated_abort("out of host memory");
    *held = (struct held_object){graph->held, object, references};
    graph->held = held;
    if (!(flags & CU_GRAPH_USER_OBJECT_MOVE))
        user_object_retain(object, references);
    API_END;
}

static void drop_reference(CUgraph graph)
{
    if (--graph->references > 0)
        return;
    graph->queue.head = 0; /* replays have read it */
    queue_discard(&graph->queue);
    while (graph->held) {
        struct held_object *held = graph->held;
        graph->held = held->next;
        user_object_drop(held->object, held->references);
        free(held);
    }
    if (graph->original)
        drop_reference(graph->original);
    free(graph);
}

EXPORT CUresult cuGraphClone(CUgraph *clone, CUgraph graph)
{
    API_BEGIN(cuGraphClone);
    if (!clone || !graph)
        API_FAIL(CUDA_ERROR_INVALID_VALUE);
    *clone = calloc(1, sizeof **clone);
    if (!*clone)
        emulated_abort("out of host memory");
    (*clone)->references = 1;
    (*clone)->original = graph;
    graph->references++;
    API_END;
}

EXPORT CUresult cuStreamBeginCapture_v2(CUstream stream, int mode)
{
    API_BEGIN(cuStreamBeginCapture_v2);
    if (!stream || capture.graph || !stream_is_valid(stream))
        API_FAIL(CUDA_ERROR_INVALID_VALUE);
    CUgraph graph = calloc(1, sizeof *graph);
    if (!graph)
        emulated_abort("out of host memory");
    graph->references = 1;
    graph->id = ++capture.last_id;
    capture.origin = stream;
    capture.graph = graph;
    capture.global = mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
    capture.spoilt = false;
    stream_capture(stream, graph);
    API_END;
}

EXPORT CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
    API_BEGIN(cuStreamEndCapture);
    if (!capture.graph || stream != capture.origin)
        API_FAIL(CUDA_ERROR_INVALID_VALUE);
    *graph = capture.graph;
    capture.graph = NULL;
    stream_end_captures();
    if (capture.spoilt) {
        drop_reference(*graph);
        *graph = NULL;
        result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    }
    API_END;
}

EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph, unsigned long long flags)
{
    API_BEGIN(cuGraphInstantiateWithFlags);
    if (!executable || !graph || flags != 0)
        API_FAIL(CUDA_ERROR_INVALID_VALUE);
    *executable = calloc(1, sizeof **executable);
    if (!*executable)
        emulated_abort("out of host memory");
    (*executable)->graph = graph;
    graph->references++;
    API_END;
}

static CUresult run_graph(void *payload)
{
    CUgraph graph = *(CUgraph *)payload;
    while (graph->original)
        graph = graph->original;
    struct queue replay = graph->queue;
    CUresult result = CUDA_SUCCESS;
    for (struct operation *operation; result == CUDA_SUCCESS && (operation = queue_take(&replay));)
        result = operation->run(operation->payload);
    return result;
}

static void drop_graph(void *payload)
{
    drop_reference(*(CUgraph *)payload);
}

EXPORT CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream)
{
    API_BEGIN(cuGraphLaunch);
    if (!executable || !stream_is_valid(stream) || stream_captured(stream))
        API_FAIL(CUDA_ERROR_INVALID_VALUE);
    struct operation *operation = stream_append(stream, run_graph, drop_graph, sizeof(CUgraph));
    operation->on_device = true;
    *(CUgraph *)operation->payload = executable->graph;
    executable->graph->references++;
    API_END;
}

EXPORT CUresult cuGraphExecDestroy(CUgraphExec executable)
{
    API_BEGIN(cuGraphExecDestroy);
    drop_reference(executable->graph);
    free(executable);
    API_END;
}

EXPORT CUresult cuGraphDestroy(CUgraph graph)
{
    API_BEGIN(cuGraphDestroy);
    if (graph)
        drop_reference(graph);
    API_END;
}
