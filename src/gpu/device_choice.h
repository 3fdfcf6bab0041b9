/* device_choice.h - which of the visible devices this process uses, and with how many others. */
#ifndef MUBLAS_DEVICE_CHOICE_H
#define MUBLAS_DEVICE_CHOICE_H

#include "common/device_list.h"
#include "common/local_rank.h"

#include <stdbool.h>
#include <stddef.h>

struct device_choice {
    int ordinal; /* of the first */
    int count;   /* of those that this process uses, at least 1 */
    int ordinals[DEVICES_MAX];
    bool has_candidates; /* those behind the first were not named: device_candidate.h */
    int devices; /* visible ones, at least 1 */
    int missing; /* an ordinal that was asked for beside others and is not there; negative: none */
    int sharers; /* processes of this job that use the same device, this one included; 1 where unknown */
    char reason[160]; /* "OMPI_COMM_WORLD_LOCAL_RANK=3, 2 visible, shared by 2 of 4 ranks" */
};

/* `setting` is MUBLAS_DEVICE. Auto: one, the local rank modulo the number of devices. All: from that one on.
 * Devices of a list that are not there are left out; if none is, the first stays, too large as it is.
 * `bound_of`: the environment shows this process one device only, chosen of so many (device_sharing.h); 0: it
 * does not. Nobody knows who shares a device that the environment or a list chose: the ranks are taken to be
 * dealt fairly. Pure. */
struct device_choice device_choice_make(const struct device_list *setting, const struct local_rank *rank,
                                        int devices, int bound_of);

/* Without a setting and a launcher the others are candidates: they are used where that pays. Pure. */
void device_choice_add_candidates(struct device_choice *choice, const struct device_list *setting,
                                  bool is_launched);

/* Why the device at this place among the ordinals is one of them. */
const char *device_choice_reason(const struct device_choice *choice, int place);

/* Bytes of device memory that this process may take: of an amount in percent (0 to 100) its share of
 * the whole device, at most that part of what is free or already its own. Pure. */
size_t device_choice_share(const struct device_choice *choice, unsigned percent, size_t available_bytes,
                           size_t total_bytes);

#endif
