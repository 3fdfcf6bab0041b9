#include "mirror/tracking/page_bits.h"

#include <stdlib.h>

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
