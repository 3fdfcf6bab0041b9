/* pins.h - pins of the program's own large matrices, for transfers by DMA, huge pages under what is pinned,
 * and whether the program uses CUDA itself, which forbids pins. */
#ifndef MUBLAS_PINS_H
#define MUBLAS_PINS_H

#include "mirror/ledger/account.h"
#include "mirror/mirror.h"

#include <stdbool.h>

/* A program that uses CUDA itself has copies from the device reach pinned memory without a mark in the page
 * tables, so we never pin the memory of such a program. cuda_users_present looks at the loaded objects;
 * device.h notices threads that have a context besides.
 *
 * Everything of an object is read with pread, memory through /proc/thread-self/mem: a file that was cut
 * short since it was loaded, or whose headers claim what it does not have, ends a read instead of raising
 * SIGBUS; so does an object that is unloaded meanwhile. No more of a file is read than it has, nor more
 * than 4 GiB. Thread-safe. */

/* True when the program has loaded the CUDA runtime or NCCL, links the driver, names it among its constants
 * to open it by dlopen, or has device code in it, as what links the runtime statically does. Objects that the
 * driver and cuBLAS bring do not count, nor does an object with mublas in it. Not seen: an interpreted
 * program that opens the driver by a name of its own and never calls BLAS in a thread that has a context
 * (device.h sees those). True also where it cannot be told, without /proc. Objects whose files are packed,
 * damaged or cut short since do no harm. Quick while no object comes or goes. */
bool cuda_users_present(void);

/* Pinned memory moves at several times the speed of staging, but a pin stays on the old pages when the
 * program discards or remaps them: DMA then reads and writes orphaned pages without an error. So pages that
 * the tracker has reported since pinning are suspect and are staged. A matrix of 16 MiB or more has its span
 * pinned: neighbouring allocations are often one mapping; so has a smaller result that comes home again and
 * again (ledger/account.h), if it begins a page or is a variable of the program. Callers claim the pages for
 * themselves; a pin that sticks out of them is touched only if nobody claims the rest. Inside device_enter.
 *
 * Pages are gathered into huge ones once scans have cost as much as gathering does (ledger/account.h).
 * The steps of making and undoing one pin, from pin_bytes on, are private to the files of this folder, whose
 * callers hold mirror->pinning. */

/* pin_choice.c: pin the operand's span if that pays: when most of it is about to be uploaded, or staging
 * has moved as much as it holds, or half of that if it has outgrown its pin, or if it is an output and
 * what sticks out, however little, has cost as much as a pin (ledger/account.h), or, if it is
 * pinned, when most of it has become suspect and staging has moved twice as much (a quarter for an
 * output), or it is about to move again and the pin has served well. `copy`: of the device that the call runs
 * on; nothing is pinned where that uses the host's page tables. To be asked of an armed mirror before the scan; pages that get pinned are not valid then. STATUS_OK
 * also when the memory or the budget do not allow it. STATUS_NOT_TRACKABLE: the program has pinned some of it
 * itself, or the memory changed meanwhile. */
enum status pins_consider(struct mirror_copy *copy, struct claim *claim, const struct operand *operand);

/* How many of these pages are pinned, suspect or not. */
size_t pins_pages(struct mirror *mirror, struct page_range pages);

/* How many of the pages from `begin` on, at most up to `end`, can move together: by
 * DMA (*direct: in one pin, none suspect), or by staging. */
size_t pins_run(struct mirror *mirror, size_t begin, size_t end, bool *direct);

/* Are all of these pages in one pin, suspect or not? No copy, in two dimensions either, may span several. */
bool pins_hold_in_one(struct mirror *mirror, size_t begin, size_t end);

/* How many there are. */
static inline int pins_count(const struct mirror *mirror)
{
    return atomic_load(&mirror->pin_count);
}

/* True when there is any sign that the program uses CUDA itself. */
bool pins_program_uses_cuda(const struct mirror *mirror);

/* Pages [begin, end) become valid: if the program has pinned some of them itself its own
 * copies write there unseen, and the mirror is not used again after this call. Pinning
 * later is a write that the tracker sees. Not found: a pin wholly inside a page. Costs 0.15
 * us a page, and nothing while the program does not use CUDA. */
void pins_note_foreign(struct mirror *mirror, size_t begin, size_t end);

/* True when the mirror has pins and the program has begun to use CUDA itself: pages may have been written
 * unseen since. Then, before any other use: pins_give_up, by who claims the whole, which trusts no page
 * and pins nothing again. */
bool pins_must_go(struct mirror *mirror);
void pins_give_up(struct mirror *mirror);

/* Undo all pins of the mirror, which the caller claims whole. */
void pins_release(struct mirror *mirror);

static inline size_t pin_bytes(const struct mirror_pin *pin)
{
    return pin->end - pin->begin;
}

/* pins.c: the pin with this number goes. */
void pins_undo(struct mirror *mirror, int which);

/* Pin what is registered and perhaps protected, its blocks `gathered` in huge pages where the kernel can; its
 * pages are not valid then. The caller claims them; otherwise as pins_consider. */
enum status pins_make(struct mirror *mirror, struct claim *claim, struct mirror_pin pin,
                      struct byte_range gathered);

/* A scan of these bytes kept its call waiting. Callers of this, and of what follows, claim the pages. */
void gathering_note_wait(struct mirror *mirror, struct byte_range scanned, double us);

/* Should the operand's pages be gathered before their next use? */
bool gathering_is_due(struct mirror *mirror, const struct operand *operand);

/* Do what is due, of the operand's pages; they are invalid then, and claim->pinned_anew says why. To be asked
 * like pins_consider, and with the same answers. */
enum status gathering_consider(struct mirror *mirror, struct claim *claim, const struct operand *operand);

#endif
