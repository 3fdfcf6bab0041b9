/* session.h - what a session is made of, for the server's own files. */
#ifndef MUBLAS_SERVICE_SESSION_H
#define MUBLAS_SERVICE_SESSION_H

#include "gpu/vendor/solver_library.h"
#include "service/server/server.h"

/* Kinds of device memory: an allocation, a reserved range, memory mapped there, or physical memory. */
enum holding_kind { HOLDING_BLOCK, HOLDING_RESERVED, HOLDING_MAPPED, HOLDING_PHYSICAL };
struct holding {
    enum holding_kind kind;
    CUdeviceptr address; /* of HOLDING_PHYSICAL the handle */
    size_t bytes;
    CUmemGenericAllocationHandle mapped; /* of HOLDING_MAPPED: what is mapped there */
};

/* Handles of NVIDIA's libraries. */
enum vendor_kind { VENDOR_SOLVER, VENDOR_BLAS, VENDOR_PARAMS, VENDOR_KINDS };
struct session_handle {
    void *handle;                 /* NULL: none */
    struct vendor_worker *worker; /* of VENDOR_SOLVER */
    uint32_t stream; /* that it is set to; 0: none, and nothing that may be queued is called */
};

struct session {
    struct session *next;
    struct session_owner owner;
    struct device *device;
    struct service_control *control;
    int control_file;
    uint64_t head; /* bytes taken from the ring; what stands in the control block is the client's to spoil */
    struct server_segment *segments[SERVICE_SEGMENTS];
    _Atomic int segment_count; /* which --status reads, too */
    struct session_share { /* pinned; NULL: none */
        unsigned char *memory;
        size_t bytes;
    } shares[SERVICE_SHARES];
    CUstream streams[SERVICE_STREAMS];
    bool is_leaving[SERVICE_STREAMS]; /* destroyed by the client, with work under way, perhaps */
    CUevent events[SERVICE_EVENTS];
    const struct solver_library *library; /* NULL: not opened */
    struct session_handle handles[VENDOR_KINDS][SERVICE_HANDLES];
    struct host_buffer *host_buffers; /* of workers that have ended: what is queued may still write there */
    pthread_mutex_t turn; /* of its thread, while it serves a call, or of who revokes its memory */
    struct holding *holdings;
    size_t holding_count, holding_room;
    _Atomic size_t used_bytes; /* of the device's memory */
    atomic_bool is_gone;  /* its process, or its connection */
    bool is_broken;       /* it sent what no client sends */
    unsigned slot; /* of the answer to the call under way; 0: none, or another thread answers */
    uint32_t named_stream; /* that the call under way has named; 0: none */
    _Atomic unsigned long long calls, answers; /* it waits for the answers of so many; --status reads them */
};

/* The address of a word of completion, for the device. */
static inline CUdeviceptr session_word(const struct session *session, uint32_t number)
{
    return (CUdeviceptr)(uintptr_t)session->segments[0]->memory + 4ull * number;
}

/* The list of all (sessions.c). One that is removed counts until sessions_end_one; its segments are
 * remembered until its process has ended, which frees it. Thread-safe. */
void sessions_add(struct session *session);
void sessions_remove(struct session *session);
void sessions_end_one(void);
void sessions_remember(struct session *session);
bool sessions_are_lost(void); /* the device is */

/* Answers a call; any thread of the session's. */
void session_answer(struct session *session, unsigned slot, CUresult result, const void *answer,
                    size_t bytes);

/* Handlers of calls of cuBLAS by handle and cuSOLVER (vendor_worker.c). At the end workers end, and once the
 * streams are idle handles go back. */
session_handler session_open_library, session_run_vendor;
void session_vendor_end(struct session *session);
void session_vendor_give(struct session *session);
/* Handles of the libraries (vendor_handles.c) by their numbers from 1 on; the answer is the library's status.
 * One that is given back serves another session: to make one takes the device a tenth of a second. */
int vendor_handle_take(struct session *session, enum vendor_kind kind, uint64_t *number);
void vendor_handle_give(struct session *session, enum vendor_kind kind, uint64_t number);

/* Handlers of calls about streams and events (session_streams.c). */
session_handler serve_stream_create, serve_stream_destroy, serve_stream_mark;
session_handler serve_event_create, serve_event_destroy, serve_event_record;
/* Record the event, whose word becomes `value`. */
CUresult session_record(struct session *session, CUevent event, uint32_t number, CUstream stream,
                        uint32_t value);
/* Wait for all of them; at the end they go to the next. */
void session_streams_wait(struct session *session);
void session_streams_give(struct session *session);
/* Streams and events that no client has any more, and new ones; thread-safe. */
CUresult session_take_stream(CUstream *stream);
void session_give_stream(CUstream stream);
CUresult session_take_event(CUevent *event);
void session_give_event(CUevent event);

/* Handlers of calls about memory (session_memory.c); at the end, with all work done, it goes back. */
session_handler serve_segment, serve_share, serve_unshare;
session_handler serve_memory_info, serve_memory_allocate, serve_memory_free, serve_address_reserve,
    serve_address_free;
session_handler serve_physical_create, serve_physical_release, serve_physical_map, serve_physical_unmap;
void session_memory_end(struct session *session);
/* Take the memory of SERVICE_PHYSICAL_CREATE, with all that is mapped of it, from a client that is at rest. The first, by
 * another session's thread with the list's lock, has the session's turn if it says true; the second, without that lock,
 * since the device may take its time, gives the turn back. Its answer: there was any. */
bool session_revoke_begin(struct session *session);
bool session_revoke(struct session *session);

/* Adds a holding; false: no memory, or the session has as many as a client may have. */
bool session_hold(struct session *session, enum holding_kind kind, CUdeviceptr address, size_t bytes);
/* The one of this kind that begins there, or NULL. */
struct holding *session_holding(struct session *session, enum holding_kind kind, CUdeviceptr address);
void session_drop(struct session *session, struct holding *holding);

#endif
