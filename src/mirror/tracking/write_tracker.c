#include "mirror/tracking/write_tracker.h"
#include "common/log.h"
#include "mirror/host_memory/kernel_interface.h"
#include "mirror/mirror.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

uint64_t *page_bits_create(size_t pages)
{
    return calloc(pages / 64 + 1, sizeof(uint64_t));
}

/* The bits of word `word` that belong to pages [begin, end). */
static uint64_t mask_of(size_t word, size_t begin, size_t end)
{
    uint64_t mask = ~UINT64_C(0);
    if (word == begin >> 6)
        mask &= ~UINT64_C(0) << (begin & 63);
    if (word == end >> 6)
        mask &= (UINT64_C(1) << (end & 63)) - 1;
    return mask;
}

/* Words that hold pages [begin, end): up to and without this one. */
static size_t word_end(size_t end)
{
    return (end + 63) >> 6;
}

static uint64_t word_of(const uint64_t *bits, size_t word)
{
    return __atomic_load_n(&bits[word], __ATOMIC_RELAXED);
}

void page_bits_set(uint64_t *bits, size_t begin, size_t end)
{
    for (size_t word = begin >> 6; begin < end && word < word_end(end); word++) {
        const uint64_t mask = mask_of(word, begin, end);
        if (mask == ~UINT64_C(0))
            __atomic_store_n(&bits[word], mask, __ATOMIC_RELAXED);
        else
            __atomic_fetch_or(&bits[word], mask, __ATOMIC_RELAXED);
    }
}

void page_bits_clear(uint64_t *bits, size_t begin, size_t end)
{
    for (size_t word = begin >> 6; begin < end && word < word_end(end); word++) {
        const uint64_t mask = mask_of(word, begin, end);
        if (mask == ~UINT64_C(0))
            __atomic_store_n(&bits[word], 0, __ATOMIC_RELAXED);
        else
            __atomic_fetch_and(&bits[word], ~mask, __ATOMIC_RELAXED);
    }
}

size_t page_bits_count(const uint64_t *bits, size_t begin, size_t end)
{
    size_t count = 0;
    for (size_t word = begin >> 6; begin < end && word < word_end(end); word++)
        count += (size_t)__builtin_popcountll(word_of(bits, word) & mask_of(word, begin, end));
    return count;
}

size_t page_bits_find(const uint64_t *bits, size_t begin, size_t end, bool value)
{
    const uint64_t flip = value ? 0 : ~UINT64_C(0);
    if (begin >= end)
        return end;
    size_t word = begin >> 6, last = (end - 1) >> 6;
    uint64_t found = (word_of(bits, word) ^ flip) & ~UINT64_C(0) << (begin & 63);
    while (!found && word < last)
        found = word_of(bits, ++word) ^ flip;
    size_t page = found ? (word << 6) + (size_t)__builtin_ctzll(found) : end;
    return page < end ? page : end;
}

void page_bits_copy(uint64_t *to, size_t shift, const uint64_t *from, size_t begin, size_t end)
{
    size_t at = page_bits_find(from, begin, end, true);
    while (at < end) {
        size_t clear = page_bits_find(from, at, end, false);
        page_bits_set(to, at + shift, clear + shift);
        at = page_bits_find(from, clear, end, true);
    }
}

void page_bits_move(uint64_t *to, const uint64_t *from, size_t begin, size_t end)
{
    const unsigned shift = begin & 63;
    const uint64_t *word = from + (begin >> 6), *last = from + (end - 1) / 64;
    for (size_t page = begin; page < end; page += 64, word++, to++) {
        *to = word_of(word, 0) >> shift;
        if (shift && word < last)
            *to |= word_of(word, 1) << (64 - shift);
        if (end - page < 64)
            *to &= (UINT64_C(1) << (end - page)) - 1;
    }
}

struct write_tracker {
    struct descriptor faults, pagemap;
    bool written_suffices; /* "written" alone also tells of memory that is not there */
    atomic_bool dead;
};

enum { REGIONS = 256 };

static char description[160] = "off";

enum status write_tracker_refuse(const char *what, const char *why)
{
    snprintf(description, sizeof description, "none: %s: %s", what, why);
    log_message(LOG_WARNING, "host writes cannot be followed (%s: %s); operands are copied at every call",
                what, why);
    return STATUS_NOT_TRACKABLE;
}

static enum status refuse(const char *what)
{
    return write_tracker_refuse(what, strerror(errno));
}

static bool tracker_is_alive(struct write_tracker *tracker)
{
    if (atomic_load(&tracker->dead))
        return false;
    if (descriptor_is_ours(&tracker->faults) && descriptor_is_ours(&tracker->pagemap))
        return true;
    if (!atomic_exchange(&tracker->dead, true)) {
        snprintf(description, sizeof description, "none: the program closed its descriptors");
        log_message(LOG_WARNING, "the program closed the write tracker's descriptors; "
                                 "operands are copied at every call from now on");
    }
    return false;
}

static enum status open_descriptors(struct write_tracker *tracker)
{
    struct uffdio_api api = {.api = UFFD_API, .features = USERFAULT_WP_UNPOPULATED | USERFAULT_WP_ASYNC};
    int number = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | USERFAULT_USER_MODE_ONLY);
    if (number < 0)
        return refuse("userfaultfd");
    if (descriptor_adopt(&tracker->faults, number) != STATUS_OK)
        return refuse("userfaultfd descriptor");
    if (kernel_request(tracker->faults.number, UFFDIO_API, &api) != 0)
        return refuse("asynchronous write protection");
    number = open("/proc/thread-self/pagemap", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (number < 0)
        return refuse("/proc/thread-self/pagemap");
    if (descriptor_adopt(&tracker->pagemap, number) != STATUS_OK)
        return refuse("pagemap descriptor");
    return STATUS_OK;
}

enum status write_tracker_open(struct write_tracker **result)
{
    struct write_tracker *tracker = calloc(1, sizeof *tracker);
    if (!tracker)
        return STATUS_NOT_TRACKABLE;
    tracker->faults.number = tracker->pagemap.number = -1;
    enum status status = open_descriptors(tracker);
    if (status != STATUS_OK) {
        write_tracker_destroy(tracker);
        return status;
    }
    snprintf(description, sizeof description, "userfaultfd (asynchronous write protection) and PAGEMAP_SCAN");
    tracker->written_suffices = true;
    *result = tracker;
    return STATUS_OK;
}

void write_tracker_ask_for_absent(struct write_tracker *tracker)
{
    tracker->written_suffices = false;
}

void write_tracker_destroy(struct write_tracker *tracker)
{
    if (!tracker)
        return;
    descriptor_close(&tracker->faults);
    descriptor_close(&tracker->pagemap);
    free(tracker);
}

enum status write_tracker_register(struct write_tracker *tracker, uintptr_t begin, uintptr_t end)
{
    struct uffdio_register request = {.range = {begin, end - begin}, .mode = UFFDIO_REGISTER_MODE_WP};
    if (!tracker_is_alive(tracker))
        return STATUS_NOT_TRACKABLE;
    if (kernel_request(tracker->faults.number, UFFDIO_REGISTER, &request) != 0) {
        /* All refusals but lack of memory come before anything is registered, and
         * unregistering what another userfaultfd holds would break its owner. */
        if (errno == ENOMEM)
            write_tracker_unregister(tracker, begin, end);
        log_message(LOG_INFO, "%#zx-%#zx cannot be tracked: %s", (size_t)begin, (size_t)end, strerror(errno));
        return STATUS_NOT_TRACKABLE;
    }
    if (request.ioctls & (UINT64_C(1) << _UFFDIO_WRITEPROTECT))
        return STATUS_OK;
    write_tracker_unregister(tracker, begin, end);
    return STATUS_NOT_TRACKABLE;
}

void write_tracker_unregister(struct write_tracker *tracker, uintptr_t begin, uintptr_t end)
{
    struct uffdio_range range = {begin, end - begin};
    int saved_errno = errno;
    if (tracker_is_alive(tracker))
        /* The memory may be gone: no matter. */
        kernel_request(tracker->faults.number, UFFDIO_UNREGISTER, &range);
    errno = saved_errno;
}

enum status write_tracker_scan(struct write_tracker *tracker, uintptr_t begin, uintptr_t end,
                               write_tracker_run *report, void *context)
{
    if (!tracker_is_alive(tracker))
        return STATUS_NOT_TRACKABLE;
    const struct page_scan scan = {
        .pagemap = tracker->pagemap.number,
        .written_suffices = tracker->written_suffices,
        .begin = begin,
        .end = end,
        .report = report,
        .context = context,
    };
    return page_scan(&scan);
}

void write_tracker_unprotect(struct write_tracker *tracker, uintptr_t begin, uintptr_t end)
{
    struct uffdio_writeprotect request = {.range = {begin, end - begin}, .mode = 0};
    int saved_errno = errno;
    if (begin < end && tracker_is_alive(tracker))
        kernel_request(tracker->faults.number, UFFDIO_WRITEPROTECT, &request);
    errno = saved_errno;
}

bool write_tracker_holds(struct write_tracker *tracker, uintptr_t address)
{
    struct page_region_record region;
    struct pagemap_scan_request request = {
        .size = sizeof request,
        .flags = PAGEMAP_SCAN_CHECK_ASYNC,
        .start = address,
        .end = address + (uintptr_t)sysconf(_SC_PAGESIZE),
        .vec = (uint64_t)(uintptr_t)&region,
        .vec_len = 1,
        .return_mask = PAGE_CATEGORY_PRESENT,
    };
    return tracker_is_alive(tracker) &&
           kernel_request(tracker->pagemap.number, PAGEMAP_SCAN_REQUEST, &request) == 1;
}

size_t write_tracker_huge_bytes(struct write_tracker *tracker, uintptr_t begin, uintptr_t end)
{
    struct page_region_record regions[REGIONS];
    struct pagemap_scan_request request = {
        .size = sizeof request, .end = end,
        .vec = (uint64_t)(uintptr_t)regions, .vec_len = REGIONS,
        .category_mask = PAGE_CATEGORY_HUGE, .return_mask = PAGE_CATEGORY_HUGE,
    };
    size_t bytes = 0;
    while (begin < end && tracker_is_alive(tracker)) {
        request.start = begin;
        request.walk_end = 0;
        const int count = kernel_request(tracker->pagemap.number, PAGEMAP_SCAN_REQUEST, &request);
        if (count < 0 || request.walk_end <= begin)
            break;
        for (int i = 0; i < count; i++)
            bytes += (size_t)(regions[i].end - regions[i].start);
        begin = (uintptr_t)request.walk_end;
    }
    return bytes;
}

const char *write_tracker_description(void)
{
    return description;
}

/* Held from a look at a mirror's state to the request that rests on it. */
static pthread_mutex_t registering = PTHREAD_MUTEX_INITIALIZER;

static struct write_tracker *tracker_of(const struct mirror *mirror)
{
    return mirror->resources->tracker;
}

bool registration_is_given_up(const struct mirror *mirror)
{
    return atomic_load(&mirror->registration) == REGISTRATION_GIVEN_UP;
}

enum status registration_add(struct mirror *mirror, uintptr_t begin, uintptr_t end)
{
    enum status status = STATUS_NOT_TRACKABLE;
    pthread_mutex_lock(&registering);
    if (!registration_is_given_up(mirror))
        status = write_tracker_register(tracker_of(mirror), begin, end);
    if (status == STATUS_OK)
        atomic_store(&mirror->registration, REGISTRATION_OURS);
    pthread_mutex_unlock(&registering);
    return status;
}

void registration_pause(struct mirror *mirror, uintptr_t begin, uintptr_t end)
{
    pthread_mutex_lock(&registering);
    if (!registration_is_given_up(mirror))
        write_tracker_unregister(tracker_of(mirror), begin, end);
    pthread_mutex_unlock(&registering);
}

void registration_end(struct mirror *mirror)
{
    registration_pause(mirror, mirror->begin, mirror->end);
    atomic_store(&mirror->registration, REGISTRATION_NONE);
}

void registration_take_over(struct mirror *mirror)
{
    atomic_store(&mirror->registration, REGISTRATION_OURS);
}

void registration_inherit(struct mirror *mirror, const struct mirror *old)
{
    if (registration_is_given_up(old))
        atomic_store(&mirror->registration, REGISTRATION_GIVEN_UP);
}

bool registration_give_up(struct mirror *mirror)
{
    pthread_mutex_lock(&registering);
    const bool ours = atomic_load(&mirror->registration) == REGISTRATION_OURS;
    if (ours) {
        atomic_store(&mirror->registration, REGISTRATION_GIVEN_UP);
        write_tracker_unregister(tracker_of(mirror), mirror->begin, mirror->end);
    }
    pthread_mutex_unlock(&registering);
    return ours;
}
