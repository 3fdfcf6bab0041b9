#include "interpose/report/largest_calls.h"

#include <string.h>

/* In order: what is read between two equal versions is one call's. */
static void store(_Atomic uint64_t *word, uint64_t value)
{
    atomic_store_explicit(word, value, memory_order_release);
}

static uint64_t load(const _Atomic uint64_t *word)
{
    return atomic_load_explicit(word, memory_order_acquire);
}

static uint64_t flags_of(const struct large_call *call)
{
    return (uint64_t)call->symbol << 32 | (uint64_t)call->reason << 8 | (uint64_t)call->shape.family << 16 |
           (uint64_t)call->shape.type << 4 | (uint64_t)call->shape.vectors << 1 |
           (uint64_t)call->shape.is_right;
}

static bool begin_writing(struct call_record *record)
{
    uint64_t version = load(&record->version);
    return version % 2 == 0 &&
           atomic_compare_exchange_strong_explicit(&record->version, &version, version + 1,
                                                   memory_order_acquire, memory_order_relaxed);
}

static void write_record(struct call_record *record, const struct large_call *call)
{
    const struct route_shape *const shape = &call->shape;
    const uint64_t words[RECORD_WORDS] = {flags_of(call), call->nanoseconds, (uint64_t)shape->m,
                                          (uint64_t)shape->n, (uint64_t)shape->k, shape->bytes_up,
                                          shape->bytes_down, shape->bytes_kept, 1};
    if (!begin_writing(record))
        return;
    for (int i = 0; i < RECORD_WORDS; i++)
        store(&record->words[i], words[i]);
    atomic_fetch_add_explicit(&record->version, 1, memory_order_release);
}

static void unpack(const uint64_t words[RECORD_WORDS], struct large_call *call)
{
    const uint64_t flags = words[0];
    *call = (struct large_call){.symbol = (enum symbol)(flags >> 32),
                                .reason = (enum host_reason)(flags >> 8 & 0xff), .nanoseconds = words[1]};
    call->shape = (struct route_shape){.family = (enum lapack_family)(flags >> 16 & 0xff),
                                       .type = (enum blas_type)(flags >> 4 & 0xf),
                                       .vectors = flags >> 1 & 1, .is_right = flags & 1,
                                       .m = (int64_t)words[2], .n = (int64_t)words[3],
                                       .k = (int64_t)words[4], .bytes_up = words[5],
                                       .bytes_down = words[6], .bytes_kept = words[7]};
}

bool call_record_read(const struct call_record *record, struct large_call *call)
{
    uint64_t words[RECORD_WORDS];
    const uint64_t version = load(&record->version);
    for (int i = 0; i < RECORD_WORDS; i++)
        words[i] = load(&record->words[i]);
    if (version % 2 || load(&record->version) != version || !words[RECORD_WORDS - 1])
        return false;
    unpack(words, call);
    return true;
}

static bool are_alike(const struct large_call *one, const struct large_call *other)
{
    return one->symbol == other->symbol && one->reason == other->reason && one->shape.m == other->shape.m &&
           one->shape.n == other->shape.n && one->shape.k == other->shape.k;
}

/* The record that the call takes: one alike, else the shortest; *least: the shortest of the others. */
static struct call_record *place_for(struct largest_calls *calls, const struct large_call *call,
                                     uint64_t *least)
{
    struct call_record *place = NULL, *alike = NULL;
    uint64_t shortest = UINT64_MAX, second = UINT64_MAX, of_alike = 0;
    for (int i = 0; i < LARGEST_CALLS; i++) {
        struct large_call there = {.nanoseconds = 0};
        const bool is_full = call_record_read(&calls->of[i], &there);
        if (is_full && are_alike(&there, call)) {
            alike = &calls->of[i];
            of_alike = there.nanoseconds;
        } else if (there.nanoseconds < shortest) {
            second = shortest;
            shortest = there.nanoseconds;
            place = &calls->of[i];
        } else if (there.nanoseconds < second) {
            second = there.nanoseconds;
        }
    }
    *least = alike ? shortest : second;
    if (alike)
        return of_alike < call->nanoseconds ? alike : NULL;
    return shortest < call->nanoseconds ? place : NULL;
}

/* Routine, size and place in one word: two that have the same are taken for one. */
static uint64_t kind_of(const struct large_call *call)
{
    static const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t kind = ((uint64_t)call->symbol << 8 | (uint64_t)call->reason) * odd;
    kind = (kind ^ kind >> 32 ^ (uint64_t)call->shape.m) * odd;
    kind = (kind ^ kind >> 32 ^ (uint64_t)call->shape.n) * odd;
    return (kind ^ kind >> 32 ^ (uint64_t)call->shape.k) * odd;
}

void largest_calls_note(struct largest_calls *calls, const struct large_call *call)
{
    uint64_t least;
    if (call->nanoseconds <= load(&calls->least))
        return;
    const uint64_t kind = kind_of(call);
    struct seen_call *const seen = &calls->seen[kind >> 57];
    if (load(&seen->kind) == kind && call->nanoseconds <= load(&seen->nanoseconds))
        return;
    struct call_record *const place = place_for(calls, call, &least);
    store(&seen->nanoseconds, call->nanoseconds);
    store(&seen->kind, kind);
    if (!place)
        return;
    write_record(place, call);
    store(&calls->least, least < call->nanoseconds ? least : call->nanoseconds);
}

static double size_of(const struct route_shape *shape)
{
    const double k = shape->k > 0 ? (double)shape->k : 1, m = shape->m > 0 ? (double)shape->m : 1;
    return (double)shape->n * m * k;
}

void call_record_note_larger(struct call_record *record, const struct large_call *call)
{
    struct large_call there;
    if (!call_record_read(record, &there) || size_of(&there.shape) < size_of(&call->shape))
        write_record(record, call);
}

int largest_calls_merge(struct large_call *calls, int count, int most, const struct large_call *call)
{
    int place = 0;
    for (int i = 0; i < count; i++)
        if (are_alike(&calls[i], call)) {
            if (calls[i].nanoseconds >= call->nanoseconds)
                return count;
            memmove(&calls[i], &calls[i + 1], (size_t)(--count - i) * sizeof *calls);
        }
    while (place < count && calls[place].nanoseconds >= call->nanoseconds)
        place++;
    if (place == most)
        return count;
    count = count < most ? count + 1 : most;
    memmove(&calls[place + 1], &calls[place], (size_t)(count - 1 - place) * sizeof *calls);
    calls[place] = *call;
    return count;
}
