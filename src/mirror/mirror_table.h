/* mirror_table.h - all mirrors, as one device uses them: finding, making, joining and evicting them.
 *
 * A thread waits for others in this order: who makes mirrors, for the one who is making some; then for
 * claims on mirrors, by address (claims.h). The space's `lock` is held only for look-ups and accounts, and
 * nobody waits for a claim with it. */
#ifndef MUBLAS_MIRROR_TABLE_H
#define MUBLAS_MIRROR_TABLE_H

#include "mirror/host_memory/mapping.h"
#include "mirror/mirror.h"

/* Memory found unfit for mirrors; forgotten after some look-ups, since it may change. */
struct unfit_range {
    uintptr_t begin, end;
    unsigned lookups_left;
};

enum { UNFIT_RANGES = 16, UNFIT_LOOKUPS = 64 };

/* Device memory that was lent, and waits for who borrows next. */
struct kept_memory {
    CUdeviceptr address;
    size_t bytes;
};

enum { KEPT_MEMORY = 4, LENT_MEMORY = 8 };

/* One for all devices: a page of the host has one mirror, and one tracker. */
struct mirror_space {
    struct mirror_resources resources;
    int tables; /* that use it; under `lock`, as is all that follows */
    pthread_mutex_t lock;
    bool making; /* one thread at a time makes mirrors */
    pthread_cond_t made;
    struct mirror **mirrors; /* by address, disjoint */
    size_t count, room;
    struct unfit_range unfit[UNFIT_RANGES];
    unsigned next_unfit;
    size_t next_swept, next_looked_at; /* where the last sweep of some stopped: of pins, of memory */
    unsigned calls_unswept; /* since the last that looked at memory */
    uint64_t calls;    /* counts holds */
    struct kind_losses losses[OPERAND_KINDS]; /* by kind of call */
    unsigned long long loads; /* loader_loads() when mappings were last looked at */
    atomic_bool blind; /* host writes may come unseen: everything is stateless from now on */
};

/* A device's way to its copies of all mirrors. */
struct mirror_table {
    struct mirror_space *space;
    int place; /* the device's */
    struct device_share *share;
    struct kept_memory kept[KEPT_MEMORY]; /* bytes 0: none; under the space's lock, as is the next */
    struct kept_memory lent[LENT_MEMORY]; /* beyond the budget, of what other ranks did not use */
};

/* The copy of a mirror on the table's device. */
static inline struct mirror_copy *mirror_table_copy(const struct mirror_table *table,
                                                    const struct mirror *mirror)
{
    return &mirror->copies[table->place];
}

/* False when every call must be stateless. */
bool mirror_table_tracks(const struct mirror_table *table);

/* The mirror that holds all of [begin, end), NULL if there is none. `lock` is held. */
struct mirror *mirror_table_find(const struct mirror_table *table, uintptr_t begin, uintptr_t end);

/* Number of the first mirror that ends behind `address`; take one out, put one in
 * (false: out of memory), with the table's own reference. `lock` is held. */
size_t mirror_table_first_behind(const struct mirror_table *table, uintptr_t address);
void mirror_table_remove(struct mirror_table *table, struct mirror *mirror);
bool mirror_table_insert(struct mirror_table *table, struct mirror *mirror);

/* mirror_sweep.c: drop mirrors that nobody uses now and whose memory went away, so that their pins
 * and device memory go too, and undo pins once the program uses CUDA: all of those, or a few, other ones each
 * time. To look at memory takes a microsecond or two: of some as long as the device reads `read_bytes`
 * anyway, during one call of several if it reads little. */
void mirror_table_sweep(struct mirror_table *table);
void mirror_table_sweep_some(struct mirror_table *table, uint64_t read_bytes);

/* mirror_make.c: like mirror_table_find, with a reference for the caller, who claims nothing. Made if need
 * be, as a record, joining those that overlap its mapping, and dropping those whose memory went away.
 * STATUS_NOT_TRACKABLE: the memory must be copied statelessly. STATUS_BUSY: others work on the mirrors
 * concerned, or make one, for longer than patience lasts. */
enum status mirror_table_acquire(struct mirror_table *table, struct byte_range range,
                                 struct patience *patience, struct mirror **mirror);
void mirror_table_release(struct mirror_table *table, struct mirror *mirror);

/* Memory that turned out unfit; `lock` is held for the question, not for the note. */
bool mirror_table_is_unfit(struct mirror_table *table, uintptr_t begin, uintptr_t end);
void mirror_table_note_unfit(struct mirror_table *table, uintptr_t begin, uintptr_t end);

/* Give up our registration of every mirror that overlaps [begin, end), whole. False: there is none, or the
 * table's lock is not to be had for too long. Any thread that holds none of our locks; it allocates
 * nothing. */
bool mirror_table_give_up_registrations(struct mirror_table *table, uintptr_t begin, uintptr_t end);

/* Remove the mirror, which the caller claims whole, and empty it: its memory went away. */
void mirror_table_drop(struct mirror_table *table, struct mirror *mirror);

/* operands_memory.c: free the largest piece of kept memory; false: there is none. Inside device_enter. */
bool mirror_table_drop_kept(struct mirror_table *table);

/* mirror_sweep.c: free kept memory, or empty the least recently used mirror that has device memory and
 * is not in use. */
bool mirror_table_evict(struct mirror_table *table);

/* mirror_sweep.c: where who provides the device has given the mirrors' memory on it to others, empty all of
 * them: the host has all that they held. Inside device_enter, before a call claims its first mirror, so that
 * none is claimed or used until they are empty. */
void mirror_table_note_revoked(struct mirror_table *table);

/* mirror_sweep.c: count a hold, and look for blind spots: for libraries once something was loaded, for
 * pins and files that tell (kernel_interface.h) now and then, and if `now`; still less often whether others
 * want device memory, to which mirrors then give way. No lock is held. */
void mirror_table_watch(struct mirror_table *table, bool now);

/* To be called after a scan that let pages become valid, before they serve a second time. Whoever
 * is to write unseen has to get hold of the pages first, as a write that the tracker sees:
 * either a later scan reports them, or what holds them is there by now. */
void mirror_table_watch_pins(struct mirror_table *table);

#endif
