/* server.h - the process that holds the device for others: its clients' sessions, their pinned segments, and
 * the device's memory that goes from one to the next.
 *
 * A session has a thread, which takes the client's records in their order and never blocks on the device.
 * Whatever bytes a client writes, the server goes on, and other clients' memory stays theirs: handles, ranges
 * and sizes are checked on a copy of each record. A kernel's arguments alone cannot be: clients are one
 * user's. */
#ifndef MUBLAS_SERVICE_SERVER_H
#define MUBLAS_SERVICE_SERVER_H

#include "gpu/device.h"
#include "service/message.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pinned memory that a client maps, too. */
struct server_segment {
    unsigned char *memory;
    int file;
    bool is_free;
};

/* Segments are made beforehand and are one client's until its process has ended: one that goes on may still
 * write there. NULL: no address or no memory is left. Thread-safe. */
struct server_segment *segments_take(void);
void segments_give(struct server_segment *segment);
/* Make the first ones, inside the device's context. False: pinned memory at a chosen address is not to be
 * had. */
bool segments_open(int count);

/* The device's memory (device_pool.c). Blocks that were given back serve again, those whose work is under way
 * once that is done: to free one would wait for all that all clients do. */
struct session;
/* `session` NULL: the server itself. */
CUresult pool_take(struct session *session, size_t bytes, CUdeviceptr *address, size_t *block_bytes);
/* `leave`: done when the block is at rest; NULL: now. */
void pool_give(CUdeviceptr address, CUevent leave);
/* Blocks at rest go back to the driver, which waits for all work: where there is no memory left. False: none
 * is. */
bool pool_shrink(void);
/* The driver's answer, with the blocks at rest. */
CUresult pool_info(size_t *free_bytes, size_t *total_bytes);

/* A client's. Only its own thread uses it, but for `is_gone`, `socket` and `process`. */
struct session;

struct session_owner { /* what a session is begun with */
    int socket;
    int process_file; /* a pidfd; -1: none */
    pid_t process;
    unsigned char processors[128];
};

/* Begin a session in a thread of its own, which welcomes the client, and closes the socket at its end; the
 * pidfd is closed once the process has ended. False: there is no memory or no thread, and both are still
 * open. */
bool session_begin(const struct session_owner *owner, struct device *device,
                   const struct service_device *known);

/* Sessions that still use the device. */
int sessions_count(void);
/* Heartbeats, and clients that are gone; called often. */
void sessions_look(void);
/* The device is lost: every client is told. */
void sessions_lose(CUresult result);
/* Bytes of the device's memory that the session may have besides what it has. Clients, or those that are
 * expected, have equal shares of all that there was at the start, which are theirs at any time; more than
 * that while it is nobody's share. */
void sessions_share(size_t total_bytes, int expected);
size_t session_allowance(const struct session *session);
/* The rest of its share, whoever has it now. */
size_t session_claim(const struct session *session);
/* The device has no memory left: who has more than a share and is at rest loses it, if so many bytes are of
 * the session's share. True: there may be some now. */
bool sessions_revoke(struct session *asking, size_t bytes);
/* For --status: a line for each of the sessions, whose number comes back: both are of one moment. */
int sessions_describe(char *text, size_t size);

/* Handlers of calls ask these of a session. */
bool session_stream(struct session *session, uint64_t number, CUstream *stream);
bool session_event(struct session *session, uint64_t number, CUevent *event);
bool session_function(struct session *session, uint64_t number, CUfunction *function);
/* Is all of it the client's device memory? */
bool session_owns(const struct session *session, CUdeviceptr address, unsigned __int128 bytes);
/* Is all of it in a segment of the client's? */
bool session_has_host(const struct session *session, uint64_t address, unsigned __int128 bytes);
CUdevice session_device(const struct session *session);
/* Is it an attribute of the device, or of a function, that mublas asks for (warm.c)? */
bool session_may_ask(int attribute, bool is_of_function);

/* One call. `bytes` of payload count; the answer has room for a slot's. */
typedef CUresult session_handler(struct session *session, const void *payload, size_t bytes, void *answer);
struct session_call {
    session_handler *handler;
    size_t least_bytes, answer_bytes;
    bool is_queued; /* nobody waits: an error is the stream's, by the number that the payload has */
};
/* NULL: there is no such call. */
const struct session_call *session_call_of(unsigned call);
/* All that the session has on the device comes to rest and goes back. */
void session_calls_end(struct session *session);

/* Reads what does not change of the device, inside its context (warm.c). */
void warm_read_device(struct device *device, struct service_device *known);
/* Begin to make what first calls of clients would wait for; the end stops it, and waits for the step under
 * way. */
void warm_begin(struct device *device);
bool warm_is_under_way(void);
void warm_end(void);
/* Streams and events, and handles of cuSOLVER and its cuBLAS, that the next clients take. */
void session_spares_make(int streams, int events);
struct solver_library;
void vendor_spares_make(const struct solver_library *library, int count);
/* The line of a server that ends at once begins so, behind "mublas serve: ", on a machine without
 * a device. */
#define SERVER_NO_DEVICE "there is no device"

/* Serve until it is to end: with `keep` until stopped, else five seconds after the last client. Its socket is
 * there once `ready` is called. The exit status: 0, or 1 after a line that says why not. */
int server_run(bool keep, void ready(void *context), void *context);

#endif
