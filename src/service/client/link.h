/* link.h - a process's connection to the service: calls go through it, and answers come back.
 *
 * There is one for the process, for good: once it is lost, by the server's end, its silence or a lost device,
 * every call gives CUDA_ERROR_CONTEXT_IS_DESTROYED, which mublas takes for a lost device. No lock is held
 * while a call waits for its answer, and a lock that is not given back, since a handler jumped out, loses the
 * connection and blocks nobody for good. Thread-safe, but for link_open and link_close. */
#ifndef MUBLAS_SERVICE_LINK_H
#define MUBLAS_SERVICE_LINK_H

#include "service/message.h"

#define LINK_LOST CUDA_ERROR_CONTEXT_IS_DESTROYED

/* Connect to the service of this process's identity. False: there is none, or it refuses; nothing is left of
 * the try, and *why is a phrase in static storage. */
bool link_open(const char **why);

/* Give it back. The connection's memory must not be used any more. */
void link_close(void);

/* Queue a call. Its own error shows at a wait for its stream. */
CUresult link_post(unsigned call, const void *payload, size_t bytes);

/* The same of a call that another follows at once: a server that sleeps is woken by that. */
CUresult link_post_beside(unsigned call, const void *payload, size_t bytes);

/* The same, with the next number of the counter in the payload, at `where`: numbers travel in their order. */
CUresult link_post_numbered(unsigned call, const void *payload, size_t bytes, _Atomic uint32_t *counter,
                            uint32_t *where);

/* Queue a call and wait for its result, and its answer where that is CUDA_SUCCESS. */
CUresult link_ask(unsigned call, const void *payload, size_t bytes, void *answer, size_t answer_bytes);

/* The same with the next number of a counter, as link_post_numbered; `counter` NULL: without. */
CUresult link_ask_numbered(unsigned call, const void *payload, size_t bytes, _Atomic uint32_t *counter,
                           uint32_t *where);

/* For the client's own files. The memory that both sides see; a connection that the server has
 * welcomed becomes the link (false: its memory does not fit here); the link is lost for good, with the
 * reason; the server has closed its end. */
struct service_control *link_control(void);
bool link_adopt(int socket, const struct service_welcome *welcome, const int files[2]);
CUresult link_lose(const char *why);
bool link_is_hung_up(void);

/* A thread begins to use the device's memory, and ends. In between memory of physical_create is not revoked;
 * it may have been before, which stays so until the process has taken note. */
void link_enter(void);
void link_leave(void);
bool link_is_revoked(void);
void link_note_revoked(void);

/* The facts of the device that the connection has brought. */
const struct service_device *link_device(void);

/* The word of completion of a stream (number from 1 on) or an event. */
atomic_uint *link_stream_word(uint32_t stream);
atomic_uint *link_event_word(uint32_t event);

/* Until the word is at least `value`, by differences that wrap (vigil.c): CUDA_SUCCESS, or LINK_LOST. */
CUresult link_wait(const atomic_uint *word, uint32_t value);
/* The same now: CUDA_ERROR_NOT_READY. */
CUresult link_look(const atomic_uint *word, uint32_t value);

/* The first call of the stream that failed. */
CUresult link_stream_error(uint32_t stream);

bool link_is_lost(void);

/* Memory that the device reaches, from the segments; NULL: none is left. The first call asks for more
 * segments as they are wanted, each of which is a moment's work of the server. */
void *window_take(size_t bytes);
void window_give(void *memory);
/* Does all of it lie there? */
bool window_has(const void *memory, size_t bytes);
/* Memory of this process's that is mapped from the file's begin, for the device: the server maps and pins it,
 * too, until it is taken back. */
CUresult window_share(int file, void *memory, size_t bytes);
CUresult window_unshare(void *memory);
/* The first segment, as connecting has brought it. False: its address is not free here. */
bool window_open(int file, uint64_t address, bool is_server);
void window_close(void);
/* The socket, through which descriptors of segments come; -1: the program has closed it. */
int link_socket(void);

/* Let the driver's table, cuBLAS and cuSOLVER come from the service, where this process is to have them so
 * and a service is there when the device wakes. For the preloaded library, at load: it notes, and does
 * nothing. */
void service_offer(void);

/* The use that this process made of a service, for its report. Phrases in static storage. */
struct service_use {
    pid_t process;              /* the server's; 0: none was used */
    uint64_t queue_nanoseconds; /* that calls waited until the server had taken what they waited for */
    const char *lost;           /* why it is; NULL: it is not */
    const char *not_used;       /* why one that runs is not; NULL: it is, none runs, or none was wanted */
};
struct service_use service_use(void);
/* The same as far as the connection knows. */
struct service_use link_use(void);

/* Why this process would not go by a service that is there, as far as settings and rights tell; NULL: it
 * would, if the program has no CUDA of its own. Static storage. */
const char *service_refusal_here(void);

/* cuBLAS and cuSOLVER by the connection (vendor_calls.c). */
extern const struct vendor_provider service_vendor_provider;

/* The driver's table for a process with a link (driver_calls.c). */
void service_fill_table(struct driver *table);
/* Parts of it: memory and copies (memory_calls.c); what the client knows by itself, what the
 * connection has brought, and one answer for many questions (answers.c). Those members that ask
 * are there before the last. */
void memory_calls_fill(struct driver *table);
void answers_fill(struct driver *table);
/* The stream has work that no mark stands behind. */
void link_stream_is_used(CUstream stream);
/* As the driver's. */
CUresult stream_synchronise(CUstream stream);

/* How a client waits (vigil.c): for the ring, for answers, and for words that the device writes. A wait spins for a moment,
 * then sleeps ever longer, and looks whether the server lives: one that has hung up, has lost its device, or whose heart
 * has not beaten for seconds, loses the link. Thread-safe. */

/* A wait knows this of the server's life; all zero at first. */
struct vigil {
    uint64_t begun, looked, silent; /* ns */
    unsigned heartbeat;
    bool is_begun;
};

/* One step of a wait. Not CUDA_SUCCESS: the link is lost. */
CUresult vigil_step(struct vigil *vigil);

/* Until the answer is there. */
CUresult vigil_await_slot(struct service_slot *slot);

/* Nanoseconds that waits were in the queue so far. */
uint64_t vigil_queue_nanoseconds(void);

#endif
