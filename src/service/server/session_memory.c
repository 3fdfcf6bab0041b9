/* Calls of a session that are about memory: the device's, and pinned memory that both processes see. */
#include "service/server/session.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

CUresult serve_memory_info(struct session *session, const void *payload, size_t bytes, void *back)
{
    struct service_memory_answer *const answer = back;
    size_t free_bytes = 0, total_bytes = 0;
    (void)payload, (void)bytes;
    const CUresult result = pool_info(&free_bytes, &total_bytes);
    const size_t allowance = session_allowance(session), claim = session_claim(session);
    free_bytes = free_bytes < claim ? claim : free_bytes < allowance ? free_bytes : allowance;
    *answer = (struct service_memory_answer){free_bytes, total_bytes};
    return result;
}

CUresult serve_memory_allocate(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_range *const call = payload;
    struct service_range *const answer = back;
    CUdeviceptr address = 0;
    size_t taken = 0;
    (void)bytes;
    const CUresult result = pool_take(session, call->bytes, &address, &taken);
    if (result != CUDA_SUCCESS)
        return result;
    if (!session_hold(session, HOLDING_BLOCK, address, taken)) {
        pool_give(address, NULL);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *answer = (struct service_range){address, taken};
    return CUDA_SUCCESS;
}

/* An event behind all that the session has queued; NULL: nothing is. */
static CUevent event_behind_all(struct session *session)
{
    CUstream joint = NULL;
    CUevent behind = NULL;
    for (int i = 0; i < SERVICE_STREAMS; i++) {
        CUevent one;
        if (!session->streams[i] || driver()->stream_query(session->streams[i]) == CUDA_SUCCESS)
            continue;
        if ((!joint && session_take_stream(&joint) != CUDA_SUCCESS) ||
            session_take_event(&one) != CUDA_SUCCESS) {
            driver()->stream_synchronise(session->streams[i]); /* memory may not go before */
            continue;
        }
        driver()->event_record(one, session->streams[i]);
        driver()->stream_wait_event(joint, one, 0);
        session_give_event(one);
    }
    if (joint && session_take_event(&behind) == CUDA_SUCCESS)
        driver()->event_record(behind, joint);
    else if (joint)
        driver()->stream_synchronise(joint);
    if (joint)
        session_give_stream(joint);
    return behind;
}

CUresult serve_memory_free(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_range *const call = payload;
    struct holding *const holding = session_holding(session, HOLDING_BLOCK, call->address);
    (void)bytes, (void)back;
    if (!holding)
        return CUDA_ERROR_INVALID_VALUE;
    pool_give(call->address, event_behind_all(session));
    session_drop(session, holding);
    return CUDA_SUCCESS;
}

static CUmemAllocationProp physical_properties(struct session *session)
{
    return (CUmemAllocationProp){.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .location = {CU_MEM_LOCATION_TYPE_DEVICE, session_device(session)}};
}

/* Physical memory's sizes are multiples of this; 0: the driver does not say. */
static size_t granule_of(struct session *session)
{
    const CUmemAllocationProp properties = physical_properties(session);
    static _Atomic size_t known;
    size_t granule = atomic_load(&known);
    if (granule == 0 && driver()->physical_granularity(&granule, &properties,
                                                       CU_MEM_ALLOC_GRANULARITY_MINIMUM) == CUDA_SUCCESS)
        atomic_store(&known, granule);
    return granule;
}

static bool is_granular(struct session *session, uint64_t bytes)
{
    const size_t granule = granule_of(session);
    return granule > 0 && bytes > 0 && bytes <= SIZE_MAX / 2 && bytes % granule == 0;
}

/* Is memory mapped in the range? */
static bool is_mapped(const struct session *session, CUdeviceptr address, size_t bytes)
{
    for (size_t i = 0; i < session->holding_count; i++) {
        const struct holding *const holding = &session->holdings[i];
        if (holding->kind == HOLDING_MAPPED && holding->address < address + bytes &&
            address < holding->address + holding->bytes)
            return true;
    }
    return false;
}

CUresult serve_address_reserve(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_reserve *const call = payload;
    struct service_range *const answer = back;
    CUdeviceptr address = 0;
    (void)bytes;
    if (!is_granular(session, call->bytes) || (call->alignment & (call->alignment - 1)) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult result =
        driver()->address_reserve(&address, call->bytes, call->alignment, call->wanted, 0);
    if (result != CUDA_SUCCESS)
        return result;
    if (!session_hold(session, HOLDING_RESERVED, address, call->bytes)) {
        driver()->address_free(address, call->bytes);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *answer = (struct service_range){address, call->bytes};
    return CUDA_SUCCESS;
}

CUresult serve_address_free(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_range *const call = payload;
    struct holding *const holding = session_holding(session, HOLDING_RESERVED, call->address);
    (void)bytes, (void)back;
    if (!holding || holding->bytes != call->bytes || is_mapped(session, call->address, call->bytes))
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = driver()->address_free(call->address, call->bytes);
    if (result == CUDA_SUCCESS)
        session_drop(session, holding);
    return result;
}

CUresult serve_physical_create(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_range *const call = payload;
    struct service_range *const answer = back;
    const CUmemAllocationProp properties = physical_properties(session);
    CUmemGenericAllocationHandle handle = 0;
    (void)bytes;
    if (!is_granular(session, call->bytes))
        return CUDA_ERROR_INVALID_VALUE;
    if (call->bytes > session_allowance(session))
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = driver()->physical_create(&handle, call->bytes, &properties, 0);
    while (result == CUDA_ERROR_OUT_OF_MEMORY && (pool_shrink() || sessions_revoke(session, call->bytes)))
        result = driver()->physical_create(&handle, call->bytes, &properties, 0);
    if (result != CUDA_SUCCESS)
        return result;
    if (!session_hold(session, HOLDING_PHYSICAL, handle, call->bytes)) {
        driver()->physical_release(handle);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *answer = (struct service_range){handle, call->bytes};
    return CUDA_SUCCESS;
}

static bool is_mapped_from(const struct session *session, CUmemGenericAllocationHandle handle)
{
    for (size_t i = 0; i < session->holding_count; i++)
        if (session->holdings[i].kind == HOLDING_MAPPED && session->holdings[i].mapped == handle)
            return true;
    return false;
}

CUresult serve_physical_release(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_range *const call = payload;
    struct holding *const holding = session_holding(session, HOLDING_PHYSICAL, call->address);
    (void)bytes, (void)back;
    if (!holding)
        return CUDA_ERROR_INVALID_HANDLE;
    if (is_mapped_from(session, call->address))
        return CUDA_ERROR_INVALID_VALUE; /* it would not be gone, and count for nobody */
    session_drop(session, holding);
    return driver()->physical_release(call->address);
}

static bool has_reserved(const struct session *session, CUdeviceptr address, size_t bytes)
{
    for (size_t i = 0; i < session->holding_count; i++) {
        const struct holding *const holding = &session->holdings[i];
        if (holding->kind == HOLDING_RESERVED && address >= holding->address &&
            address - holding->address <= holding->bytes &&
            bytes <= holding->bytes - (address - holding->address))
            return true;
    }
    return false;
}

CUresult serve_physical_map(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_map *const call = payload;
    struct holding *const physical = session_holding(session, HOLDING_PHYSICAL, call->handle);
    (void)bytes, (void)back;
    if (!physical || call->offset != 0 || !is_granular(session, call->bytes) ||
        call->bytes > physical->bytes || call->address % granule_of(session) != 0 ||
        !has_reserved(session, call->address, call->bytes) || is_mapped(session, call->address, call->bytes))
        return CUDA_ERROR_INVALID_VALUE;
    const CUmemAccessDesc access = {.location = {CU_MEM_LOCATION_TYPE_DEVICE, session_device(session)},
                                    .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    if (!session_hold(session, HOLDING_MAPPED, call->address, call->bytes))
        return CUDA_ERROR_OUT_OF_MEMORY;
    session_holding(session, HOLDING_MAPPED, call->address)->mapped = call->handle;
    CUresult result = driver()->physical_map(call->address, call->bytes, 0, call->handle, 0);
    if (result == CUDA_SUCCESS) {
        result = driver()->physical_set_access(call->address, call->bytes, &access, 1);
        if (result != CUDA_SUCCESS)
            driver()->physical_unmap(call->address, call->bytes);
    }
    if (result != CUDA_SUCCESS)
        session_drop(session, session_holding(session, HOLDING_MAPPED, call->address));
    return result;
}

/* One mapping after the other, as they were made. */
CUresult serve_physical_unmap(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_range *const call = payload;
    uint64_t at = call->address;
    CUresult result = CUDA_SUCCESS;
    (void)bytes, (void)back;
    if (call->bytes > SIZE_MAX / 2)
        return CUDA_ERROR_INVALID_VALUE;
    while (at - call->address < call->bytes && result == CUDA_SUCCESS) {
        struct holding *const holding = session_holding(session, HOLDING_MAPPED, at);
        if (!holding || holding->bytes > call->bytes - (at - call->address))
            return CUDA_ERROR_INVALID_VALUE;
        result = driver()->physical_unmap(at, holding->bytes);
        at += holding->bytes;
        if (result == CUDA_SUCCESS)
            session_drop(session, holding);
    }
    return result;
}

/* The descriptor goes through the socket, before the answer. */
CUresult serve_segment(struct session *session, const void *payload, size_t bytes, void *back)
{
    struct service_segment_answer *const answer = back;
    struct server_segment *const segment =
        session->segment_count < SERVICE_SEGMENTS ? segments_take() : NULL;
    const uint32_t number = (uint32_t)session->segment_count;
    (void)payload, (void)bytes;
    if (!segment)
        return CUDA_ERROR_OUT_OF_MEMORY;
    session->segments[session->segment_count++] = segment;
    if (!service_send_files(session->owner.socket, &number, sizeof number, &segment->file, 1))
        return CUDA_ERROR_OUT_OF_MEMORY;
    *answer = (struct service_segment_answer){(uintptr_t)segment->memory, number};
    return CUDA_SUCCESS;
}

/* At the client's address, where kernels' arguments may point to, or not at all. Sealed: nobody makes it
 * shorter. */
static unsigned char *map_share(int file, uint64_t address, size_t bytes)
{
    void *const wanted = (void *)(uintptr_t)address;
    if (!service_memory_is_sealed(file, bytes))
        return NULL;
    void *const memory =
        mmap(wanted, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, file, 0);
    if (memory != wanted && memory != MAP_FAILED)
        munmap(memory, bytes);
    if (memory != wanted)
        return NULL;
    if (driver()->pin(memory, bytes, CU_MEMHOSTREGISTER_PORTABLE) == CUDA_SUCCESS)
        return memory;
    munmap(memory, bytes);
    return NULL;
}

CUresult serve_share(struct session *session, const void *payload, size_t bytes, void *back)
{
    enum { PATIENCE_MS = 1000 };
    const struct service_range *const call = payload;
    int number = 0, file, files = 1;
    uint64_t address;
    (void)bytes, (void)back;
    while (number < SERVICE_SHARES && session->shares[number].memory)
        number++;
    if (!service_receive_files(session->owner.socket, &address, sizeof address, &file, &files, PATIENCE_MS))
        return CUDA_ERROR_INVALID_VALUE;
    unsigned char *const memory =
        number < SERVICE_SHARES && address == call->address && call->bytes <= SIZE_MAX / 2
            ? map_share(file, address, call->bytes)
            : NULL;
    close(file);
    if (!memory)
        return CUDA_ERROR_NOT_SUPPORTED;
    session->shares[number] = (struct session_share){memory, call->bytes};
    return CUDA_SUCCESS;
}

/* The session's work with it comes to an end first. To undo a pin may wait for other clients, too: it is
 * done for an arena that has grown, and at the end. */
static void end_share(struct session_share *share)
{
    driver()->unpin(share->memory);
    munmap(share->memory, share->bytes);
    *share = (struct session_share){NULL, 0};
}

CUresult serve_unshare(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_range *const call = payload;
    (void)bytes, (void)back;
    for (int i = 0; i < SERVICE_SHARES; i++)
        if (session->shares[i].memory && (uintptr_t)session->shares[i].memory == call->address) {
            session_streams_wait(session);
            end_share(&session->shares[i]);
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_VALUE;
}

static void give_all(struct session *session, enum holding_kind kind)
{
    for (size_t i = session->holding_count; i-- > 0;) {
        struct holding *const holding = &session->holdings[i];
        if (holding->kind != kind)
            continue;
        switch (kind) {
        case HOLDING_MAPPED: driver()->physical_unmap(holding->address, holding->bytes); break;
        case HOLDING_PHYSICAL: driver()->physical_release(holding->address); break;
        case HOLDING_RESERVED: driver()->address_free(holding->address, holding->bytes); break;
        case HOLDING_BLOCK: pool_give(holding->address, NULL); break;
        }
        session_drop(session, holding);
    }
}

/* Its client has put nothing that was not taken, and the device has nothing to do for it. */
static bool is_at_rest(const struct session *session)
{
    if (atomic_load(&session->control->tail) != session->head)
        return false;
    for (int i = 0; i < SERVICE_STREAMS; i++)
        if (session->streams[i] && driver()->stream_query(session->streams[i]) == CUDA_ERROR_NOT_READY)
            return false;
    return true;
}

bool session_revoke_begin(struct session *session)
{
    unsigned nobody = 0;
    if (pthread_mutex_trylock(&session->turn) != 0)
        return false;
    /* A record that was put before nobody was there any more is seen the second time. */
    if (is_at_rest(session) &&
        atomic_compare_exchange_strong(&session->control->users, &nobody, SERVICE_REVOKED)) {
        if (is_at_rest(session))
            return true;
        atomic_fetch_and(&session->control->users, ~SERVICE_REVOKED);
    }
    pthread_mutex_unlock(&session->turn);
    return false;
}

bool session_revoke(struct session *session)
{
    const size_t before = atomic_load(&session->used_bytes);
    give_all(session, HOLDING_MAPPED);
    give_all(session, HOLDING_PHYSICAL);
    const bool is_less = atomic_load(&session->used_bytes) < before;
    pthread_mutex_unlock(&session->turn);
    return is_less;
}

void session_memory_end(struct session *session)
{
    give_all(session, HOLDING_MAPPED);
    give_all(session, HOLDING_PHYSICAL);
    give_all(session, HOLDING_RESERVED);
    give_all(session, HOLDING_BLOCK);
    for (int i = 0; i < SERVICE_SHARES; i++)
        if (session->shares[i].memory)
            end_share(&session->shares[i]);
}
