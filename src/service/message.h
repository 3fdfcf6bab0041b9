/* message.h - what client and server of the service have in common: the memory that both see, the calls that
 * travel through it, and how memory is handed over.
 *
 * A client has one control block, which has a ring of records in one total order, slots for answers, and
 * words of the server's state. Only the client writes the ring, `tail` and `calls`; the server treats all
 * that it reads there as any bytes, and copies a record before it looks at it. Segments are pinned memory at
 * the same address in both processes; the device writes the words of completion, which begin the first
 * segment, and a client reads there how far a stream has come.
 *
 * generate_calls.c makes the records of calls that travel as they are (calls.h) from driver.def; the others
 * stand here. */
#ifndef MUBLAS_SERVICE_MESSAGE_H
#define MUBLAS_SERVICE_MESSAGE_H

#include "common/blas_call.h"
#include "gpu/driver.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    SERVICE_SEGMENT_BYTES = 32 << 20,
    SERVICE_SEGMENTS = 64, /* of a client, at most */
    SERVICE_SHARES = 8, /* the same */
    SERVICE_RING_BYTES = 256 << 10,
    SERVICE_RECORD_MOST = 8 << 10,
    SERVICE_SLOTS = 64,
    SERVICE_STREAMS = 256, /* of a client, at most; a word of completion each */
    SERVICE_EVENTS = 4096, /* the same */
    SERVICE_WORDS = SERVICE_STREAMS + SERVICE_EVENTS,
    SERVICE_HANDLES = 64, /* of each of NVIDIA's libraries, of a client */
    SERVICE_WORDS_BYTES = 64 << 10, /* at the begin of the first segment */
    SERVICE_ARGUMENTS_MOST = 4 << 10, /* of a kernel */
    SERVICE_IDENTITY_BYTES = 16 << 10
};

/* Handles of streams and events are their numbers from 1 on, as pointers; functions are kernels' numbers from
 * 1. */

/* The calls. Generated ones come behind these. */
enum service_call {
    SERVICE_FILLER, /* up to the ring's end */
    SERVICE_SEGMENT, /* another one: its number and address; the descriptor comes through the socket */
    SERVICE_SHARE, SERVICE_UNSHARE, /* memory of the client's own file, in the same way */
    SERVICE_STREAM_CREATE, SERVICE_STREAM_DESTROY,
    SERVICE_STREAM_MARK, /* the stream's word becomes `value` once all before is done */
    SERVICE_EVENT_CREATE, SERVICE_EVENT_DESTROY, SERVICE_EVENT_RECORD,
    SERVICE_FUNCTION_ALLOW, SERVICE_KERNEL_FIGURES, SERVICE_ACTIVE_CLUSTERS, SERVICE_LAUNCH,
    SERVICE_MEMORY_INFO, SERVICE_MEMORY_ALLOCATE, SERVICE_MEMORY_FREE,
    SERVICE_ADDRESS_RESERVE, SERVICE_ADDRESS_FREE,
    SERVICE_PHYSICAL_CREATE, SERVICE_PHYSICAL_RELEASE, SERVICE_PHYSICAL_MAP, SERVICE_PHYSICAL_UNMAP,
    SERVICE_COPY, SERVICE_COPY_2D,
    SERVICE_OPEN_LIBRARY, SERVICE_LEVEL3, SERVICE_VENDOR,
    SERVICE_FIRST_GENERATED
};

struct service_record {
    uint32_t bytes; /* with this head; a multiple of 16 */
    uint16_t call;  /* enum service_call */
    uint16_t slot;  /* of the answer, from 1 on; 0: nobody waits for one */
    uint32_t sent;  /* bytes behind the head that count */
    uint32_t reserved;
};

enum { SLOT_PENDING, SLOT_DONE, SLOT_AWAITED };
#define SERVICE_REVOKED (1u << 31)

struct service_slot {
    atomic_uint state; /* a futex */
    CUresult result;
    unsigned char answer[120];
};

/* The connection brings these facts of the device, which never change. */
enum { SERVICE_ATTRIBUTES = 192, SERVICE_WARPS_MOST = 32 };
struct service_device {
    int32_t driver_version;
    int32_t attributes[SERVICE_ATTRIBUTES]; /* by CUDA's numbers */
    uint64_t has[SERVICE_ATTRIBUTES / 64];  /* a bit for each that is there */
    uint64_t memory_bytes, granule;         /* of device memory */
    char name[96];
};

/* Sealed memory; the client's and the server's words lie on lines of their own. */
struct service_control {
    alignas(64) _Atomic uint64_t tail; /* the client's: bytes that it has put into the ring */
    _Atomic uint64_t calls;            /* the client's: that it has put there, for --status */
    alignas(64) _Atomic uint64_t head; /* the server's: bytes that it has taken */
    _Atomic uint64_t served;           /* the server's: bytes whose records it has served */
    atomic_uint is_asleep;             /* a futex: the server waits for the next record */
    alignas(64) atomic_uint awaited;   /* a futex, of both: a client waits until so many are served (service_mark_of) */
    /* The client's: its threads that may use the device's memory now. While that is 0 the server may add
     * SERVICE_REVOKED, and all memory of SERVICE_PHYSICAL_CREATE is gone; the client takes it away once it
     * has taken note. */
    alignas(64) atomic_uint users;
    alignas(64) atomic_uint heartbeat; /* the server's: grows while it lives */
    _Atomic int32_t lost;              /* a CUresult: the device, or this connection, is lost for good */
    atomic_bool has_spare_processors;  /* the server's: its clients together may use two for each of them */
    _Atomic int32_t errors[SERVICE_STREAMS]; /* a CUresult: the first call that failed in the stream */
    struct service_device device;
    struct service_slot slots[SERVICE_SLOTS];
    alignas(64) unsigned char ring[SERVICE_RING_BYTES];
};

/* The first words through the socket, both ways; then the client's descriptors: the control block's, the
 * first segment's. */
enum service_request { REQUEST_CONNECT, REQUEST_STATUS, REQUEST_STOP };
struct service_hello {
    uint64_t magic;
    int32_t request;         /* enum service_request */
    uint32_t identity_bytes; /* which follow */
    unsigned char processors[128]; /* that the client may use: cpu_set_t */
};
struct service_welcome {
    uint64_t magic;
    uint64_t segment; /* the first one's address */
    int32_t refusal;  /* enum service_refusal */
    int32_t process;
};
enum service_refusal { REFUSAL_NONE, REFUSAL_IDENTITY, REFUSAL_MEMORY, REFUSAL_STOPPING, REFUSAL_FULL };
#define SERVICE_MAGIC UINT64_C(0x3163767362756d)

/* Payloads of the calls above, and what they answer. */
struct service_handle { uint32_t number; };
struct service_mark { uint32_t stream, value; };
struct service_event_record { uint32_t event, stream, value; };
struct service_allow { uint32_t kernel; int32_t attribute, value; };
struct service_figures_of { uint32_t kernel, shared_bytes; };
struct service_figures {
    int32_t most_threads, ptx_version;
    uint8_t active[SERVICE_WARPS_MOST]; /* blocks of a multiprocessor, by a block's warps from 1 on */
};
struct service_clusters { uint32_t kernel, blocks, cluster, threads, shared_bytes; };
struct service_launch {
    uint32_t kernel, stream;
    uint32_t grid[3], block[3], shared_bytes;
    uint32_t cluster; /* blocks of one; 0: none */
    uint32_t is_cooperative;
    uint32_t begun, begun_value; /* an event that is recorded again when its turn has come; 0: none */
    uint32_t bytes; /* of the arguments */
    unsigned char arguments[SERVICE_ARGUMENTS_MOST];
};
struct service_range { uint64_t address, bytes; };
struct service_reserve { uint64_t bytes, alignment, wanted; };
struct service_map { uint64_t address, bytes, offset, handle; };
struct service_copy { uint64_t device, host, bytes; uint32_t stream, is_to_host; };
struct service_copy_2d {
    uint64_t to, from;        /* where the first row begins */
    uint64_t to_pitch, from_pitch, width, height;
    uint32_t stream;
    uint8_t to_is_host, from_is_host, reserved[2];
};
struct service_library { uint32_t is_solver, tries_eigensolvers; };
enum { SERVICE_FUNCTIONS_MOST = 256 };
/* A bit for each function of solver.def that the library has. */
struct service_library_answer {
    uint64_t has[SERVICE_FUNCTIONS_MOST / 64];
    int32_t version; /* of cuSOLVER */
};
struct service_level3 { uint32_t stream, reserved; struct blas_call call; }; /* its padding is nobody's */
enum { SERVICE_WORDS_MOST = 28, SERVICE_SCALARS_MOST = 2, SERVICE_RESULTS_MOST = 4 };
struct service_vendor {
    uint32_t function; /* of the list that generate_calls makes of solver.def */
    uint32_t count;
    uint64_t words[SERVICE_WORDS_MOST]; /* a scalar's is its number */
    alignas(16) unsigned char scalars[SERVICE_SCALARS_MOST][16];
};
struct service_vendor_answer {
    uint64_t results[SERVICE_RESULTS_MOST]; /* in the order of the parameters */
    int32_t status;                         /* the library's */
};
struct service_segment_answer { uint64_t address; uint32_t number; };
struct service_memory_answer { uint64_t free_bytes, total_bytes; };

/* Bytes of the arguments of a kernel, numbered from 1 on; 0: there is none. */
size_t service_argument_bytes(unsigned kernel);

/* The device that a process would use, where nobody names one: by its local rank, as far as devices can be
 * counted without a driver. A server has one device, and whoever would use another is not served by it. */
void service_use_device(int ordinal);
int service_device_ordinal(void);

/* The identity (rendezvous.c): what must be equal for client and server to belong together, as text. */
struct service_identity {
    char text[SERVICE_IDENTITY_BYTES];
    size_t bytes;
    char name[17]; /* 16 hexadecimal digits of it */
};

/* False: it has no room, or this process may not ask its environment: no service. */
bool service_identity_make(struct service_identity *identity);

/* The folder of the user's services. False: there is none that can be trusted, and *fault says why. With
 * `make` it is made. -1, or an open folder. */
int service_folder_open(bool make, const char **fault);

/* The socket of this identity in the open folder, as a path that nobody can lead elsewhere. */
void service_socket_path(int folder, const struct service_identity *identity, char path[108]);

/* A connection to the server of this identity, which is this user's. -1: there is none, or *why not. */
int service_connect_socket(const struct service_identity *identity, const char **why);
/* The first message. False: it could not be sent. */
bool service_greet(int socket, const struct service_identity *identity, enum service_request request);

/* One message with at most two descriptors, which stay open. False: it could not be sent. */
bool service_send_files(int socket, const void *message, size_t bytes, const int *files, int count);
/* The same back: *count descriptors that close on exec, or fewer. False: another message came, or none within
 * so many milliseconds; then no descriptor is open. */
bool service_receive_files(int socket, void *message, size_t bytes, int *files, int *count, int patience_ms);

/* Sealed memory of this size, descriptors high; -1: errno. */
int service_memory_make(const char *name, size_t bytes);
/* Is it of this size, and can nobody make it shorter? */
bool service_memory_is_sealed(int file, size_t bytes);

/* What `awaited` says of a place in the ring: its lower half and 1, since 0 means that nobody waits. */
static inline uint32_t service_mark_of(uint64_t place)
{
    return (uint32_t)place | 1;
}

/* Sleep and wake on a word that both processes see. As futex_wait and futex_wake. */
bool service_word_wait(atomic_uint *word, unsigned value, uint64_t nanoseconds);
void service_word_wake(atomic_uint *word);

#endif
