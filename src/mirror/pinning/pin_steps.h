/* pin_steps.h - making and undoing one pin: private to the files behind pins.h and gathering.h, of which the
 * caller holds mirror->pinning. */
#ifndef MUBLAS_PIN_STEPS_H
#define MUBLAS_PIN_STEPS_H

#include "mirror/pinning/pins.h"

static inline size_t pin_bytes(const struct mirror_pin *pin)
{
    return pin->end - pin->begin;
}

/* pins.c: that with this number goes. */
void pins_undo(struct mirror *mirror, int which);

/* Pin what is registered and perhaps protected, its blocks `gathered` in huge pages where the kernel can; its
 * pages are not valid then. By who claims them; otherwise as pins_consider. */
enum status pins_make(struct mirror *mirror, struct claim *claim, struct mirror_pin pin,
                      struct byte_range gathered);

/* pin_places.c: undo what is in its way, or shorten it, or widen it where it is small; `again`: in place of
 * those that have become stale. False, and all stay: it is nothing, or does not fit, or others are in the
 * way. */
bool pins_make_way(struct mirror *mirror, struct claim *claim, struct mirror_pin *wanted, bool again);

#endif
