/* Slots: copies into shared memory that run beside the block, as a device's bulk copies do.
 *
 * Under ThreadSanitizer this file is compiled without it, as collectives.c is: tokens say that a copy is behind
 * its request, and what waits for it behind the copy. */
#include "emulated_driver/internal.h"
#include "emulated_driver/processor_state.h"

static const char *kernel_of(const struct processor *processor) { return processor->launch->kernel->name; }

static struct slot *slot_of(struct processor *processor, const uint64_t *word, bool is_new)
{
    for (struct slot *slot = processor->slots; slot < processor->slots + EMULATED_SLOTS_MAX; slot++) {
        if (!slot->word && is_new)
            return slot;
        if (slot->word == word && !is_new)
            return slot;
    }
    emulated_abort("kernel %s: a slot that is not open, or one too many", kernel_of(processor));
}

/* Whole words, and by no function that a sanitizer replaces. */
static void copy_words(uint64_t *to, const uint64_t *from, unsigned bytes)
{
    for (unsigned i = 0; i < bytes / sizeof *to; i++)
        to[i] = from ? from[i] : ~(uint64_t)0; /* NaN */
}

void emulated_slot_open(uint64_t *word)
{
    struct processor *const processor = running_processor;
    *slot_of(processor, word, true) = (struct slot){.word = word};
}

void emulated_slot_expect(uint64_t *word, unsigned bytes)
{
    struct processor *const processor = running_processor;
    struct slot *const slot = slot_of(processor, word, false);
    if (slot->is_requested)
        emulated_abort("kernel %s: a slot is requested again before its last copy was waited for",
                       kernel_of(processor));
    slot->is_requested = true;
    slot->expected = bytes;
    slot->copied = slot->copies = 0;
    fiber_release(&slot->token);
}

void emulated_slot_copy(uint64_t *word, void *to, const void *from, unsigned bytes)
{
    struct processor *const processor = running_processor;
    struct slot *const slot = slot_of(processor, word, false);
    if (slot->copies == EMULATED_SLOT_COPIES || bytes % 16 || (uintptr_t)to % 16 || (uintptr_t)from % 16)
        emulated_abort("kernel %s: a copy that is not aligned, or one too many", kernel_of(processor));
    copy_words(to, NULL, bytes);
    slot->copy[slot->copies].to = to;
    slot->copy[slot->copies].from = from;
    slot->copy[slot->copies++].bytes = bytes;
    slot->copied += bytes;
    fiber_release(&slot->token);
}

void emulated_slot_await(uint64_t *word, unsigned parity)
{
    struct processor *const processor = running_processor;
    struct slot *const slot = slot_of(processor, word, false);
    fiber_acquire(&slot->token);
    if (slot->phase % 2 == parity) { /* this phase is not over */
        if (!slot->is_requested || slot->copied != slot->expected)
            emulated_abort("kernel %s: a wait for a copy that never ends", kernel_of(processor));
        for (unsigned i = 0; i < slot->copies; i++)
            copy_words(slot->copy[i].to, slot->copy[i].from, slot->copy[i].bytes);
        slot->phase++;
        slot->is_requested = false;
        fiber_release(&slot->token);
    }
}

void slots_end(struct processor *processor)
{
    for (struct slot *slot = processor->slots; slot < processor->slots + EMULATED_SLOTS_MAX && slot->word;
         slot++) {
        if (slot->is_requested)
            emulated_abort("kernel %s, block %u: it ends with copies under way", kernel_of(processor),
                           processor->threads[0].self.block);
        slot->word = NULL;
    }
}
