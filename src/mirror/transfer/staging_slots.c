#include "mirror/transfer/staging_slots.h"

enum { HALF_BYTES = LANE_STAGING_BYTES / 2, HALF_SLOTS = LANE_SLOTS / 2 };

static const char uploading[] = "copying an operand to the device";

enum status staging_slots_settle(struct lane *lane, const char *what)
{
    struct staging_state *state = &lane->staging_state;
    if (!state->doubtful)
        return STATUS_OK;
    enum status status = lane_synchronise(lane, what);
    if (status == STATUS_OK)
        *state = (struct staging_state){0};
    return status;
}

bool staging_slots_are_in_use(const struct lane *lane)
{
    const struct staging_state *state = &lane->staging_state;
    return state->used > 0 || state->pending[0] || state->pending[1] || state->slots != 0;
}

/* Behind what lies in the half in use; the other half is the next. */
static enum status leave_half(struct lane *lane, const char *what)
{
    struct staging_state *state = &lane->staging_state;
    enum status status = device_check(
        lane->device, driver()->event_record(lane->staging_free[state->half], lane->stream), what);
    if (status != STATUS_OK)
        return status;
    state->pending[state->half] = true;
    state->half ^= 1;
    state->used = 0;
    return STATUS_OK;
}

/* For one event: *is_set becomes false once it is done. */
static enum status try_event(struct lane *lane, CUevent event, bool wait, bool *is_set, const char *what)
{
    const CUresult result = wait ? driver()->event_synchronise(event) : driver()->event_query(event);
    if (result == CUDA_ERROR_NOT_READY)
        return STATUS_OK;
    *is_set = result != CUDA_SUCCESS;
    return device_check(lane->device, result, what);
}

static enum status free_half(struct lane *lane, unsigned half, bool wait, const char *what)
{
    struct staging_state *state = &lane->staging_state;
    return state->pending[half] ? try_event(lane, lane->staging_free[half], wait, &state->pending[half], what)
                                : STATUS_OK;
}

static enum status free_slot(struct lane *lane, unsigned slot, bool wait, const char *what)
{
    struct staging_state *state = &lane->staging_state;
    const uint32_t bit = UINT32_C(1) << slot;
    bool is_set = (state->slots & bit) != 0;
    if (!is_set)
        return STATUS_OK;
    enum status status = try_event(lane, lane->slot_free[slot], wait, &is_set, what);
    if (!is_set)
        state->slots &= ~bit;
    return status;
}

/* Before its first byte is filled. */
static enum status free_half_and_slots(struct lane *lane, unsigned half)
{
    enum status status = free_half(lane, half, true, uploading);
    for (unsigned i = 0; i < HALF_SLOTS && lane->staging_state.slots != 0 && status == STATUS_OK; i++)
        status = free_slot(lane, half * HALF_SLOTS + i, true, uploading);
    return status;
}

enum status staging_slots_take_bytes(struct lane *lane, size_t bytes, unsigned char **address)
{
    struct staging_state *state = &lane->staging_state;
    enum status status = lane_reserve_staging(lane);
    if (status == STATUS_OK && state->used + bytes > HALF_BYTES)
        status = leave_half(lane, uploading);
    if (status == STATUS_OK && state->used == 0)
        status = free_half_and_slots(lane, state->half);
    if (status != STATUS_OK)
        return status;
    *address = lane->staging + (size_t)state->half * HALF_BYTES + state->used;
    state->used += device_aligned(bytes);
    return STATUS_OK;
}

enum status staging_slots_begin(struct lane *lane, unsigned *first, const char *what)
{
    struct staging_state *state = &lane->staging_state;
    enum status status = lane_reserve_staging_slots(lane);
    if (status == STATUS_OK && state->used > 0) {
        status = leave_half(lane, what);
        state->next_slot = state->half * HALF_SLOTS;
    }
    *first = state->next_slot;
    return status;
}

/* Short copies go on in the half whose slots become free first. */
void staging_slots_end(struct lane *lane, unsigned next)
{
    struct staging_state *state = &lane->staging_state;
    const unsigned last = (next + LANE_SLOTS - 1) % LANE_SLOTS;
    state->next_slot = next;
    state->half = last / HALF_SLOTS ^ 1;
}

unsigned char *staging_slot_address(const struct lane *lane, unsigned slot)
{
    return lane->staging + (size_t)slot * STAGING_SLOT_BYTES;
}

enum status staging_slot_use(struct lane *lane, unsigned slot, const char *what)
{
    enum status status =
        device_check(lane->device, driver()->event_record(lane->slot_free[slot], lane->stream), what);
    if (status == STATUS_OK)
        lane->staging_state.slots |= UINT32_C(1) << slot;
    return status;
}

enum status staging_slot_is_free(struct lane *lane, unsigned slot, bool wait, bool *is_free, const char *what)
{
    const struct staging_state *state = &lane->staging_state;
    enum status status = free_half(lane, slot / HALF_SLOTS, wait, what);
    if (status == STATUS_OK)
        status = free_slot(lane, slot, wait, what);
    *is_free = !state->pending[slot / HALF_SLOTS] && !(state->slots & UINT32_C(1) << slot);
    return status;
}
