#include "mirror/transfer/rooms.h"

enum { HALF_BYTES = LANE_STAGING_BYTES / 2, HALF_ROOMS = LANE_ROOMS / 2, ALIGNMENT = 256 };

static const char uploading[] = "copying an operand to the device";

enum status rooms_settle(struct lane *lane, const char *what)
{
    struct staging_state *state = &lane->staging_state;
    if (!state->doubtful)
        return STATUS_OK;
    enum status status = lane_synchronise(lane, what);
    if (status == STATUS_OK)
        *state = (struct staging_state){0};
    return status;
}

bool rooms_are_in_use(const struct lane *lane)
{
    const struct staging_state *state = &lane->staging_state;
    return state->used > 0 || state->pending[0] || state->pending[1] || state->rooms != 0;
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

static enum status free_room(struct lane *lane, unsigned room, bool wait, const char *what)
{
    struct staging_state *state = &lane->staging_state;
    const uint32_t bit = UINT32_C(1) << room;
    bool is_set = (state->rooms & bit) != 0;
    if (!is_set)
        return STATUS_OK;
    enum status status = try_event(lane, lane->room_free[room], wait, &is_set, what);
    if (!is_set)
        state->rooms &= ~bit;
    return status;
}

/* Before its first byte is filled. */
static enum status free_half_and_rooms(struct lane *lane, unsigned half)
{
    enum status status = free_half(lane, half, true, uploading);
    for (unsigned i = 0; i < HALF_ROOMS && lane->staging_state.rooms != 0 && status == STATUS_OK; i++)
        status = free_room(lane, half * HALF_ROOMS + i, true, uploading);
    return status;
}

enum status rooms_take_bytes(struct lane *lane, size_t bytes, unsigned char **address)
{
    struct staging_state *state = &lane->staging_state;
    enum status status = lane_reserve_staging(lane);
    if (status == STATUS_OK && state->used + bytes > HALF_BYTES)
        status = leave_half(lane, uploading);
    if (status == STATUS_OK && state->used == 0)
        status = free_half_and_rooms(lane, state->half);
    if (status != STATUS_OK)
        return status;
    *address = lane->staging + (size_t)state->half * HALF_BYTES + state->used;
    state->used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return STATUS_OK;
}

enum status rooms_begin(struct lane *lane, unsigned *first, const char *what)
{
    struct staging_state *state = &lane->staging_state;
    enum status status = lane_reserve_rooms(lane);
    if (status == STATUS_OK && state->used > 0) {
        status = leave_half(lane, what);
        state->next_room = state->half * HALF_ROOMS;
    }
    *first = state->next_room;
    return status;
}

/* Short copies go on in the half whose rooms become free first. */
void rooms_end(struct lane *lane, unsigned next)
{
    struct staging_state *state = &lane->staging_state;
    const unsigned last = (next + LANE_ROOMS - 1) % LANE_ROOMS;
    state->next_room = next;
    state->half = last / HALF_ROOMS ^ 1;
}

unsigned char *room_address(const struct lane *lane, unsigned room)
{
    return lane->staging + (size_t)room * ROOM_BYTES;
}

enum status room_use(struct lane *lane, unsigned room, const char *what)
{
    enum status status =
        device_check(lane->device, driver()->event_record(lane->room_free[room], lane->stream), what);
    if (status == STATUS_OK)
        lane->staging_state.rooms |= UINT32_C(1) << room;
    return status;
}

enum status room_free(struct lane *lane, unsigned room, bool wait, bool *is_free, const char *what)
{
    const struct staging_state *state = &lane->staging_state;
    enum status status = free_half(lane, room / HALF_ROOMS, wait, what);
    if (status == STATUS_OK)
        status = free_room(lane, room, wait, what);
    *is_free = !state->pending[room / HALF_ROOMS] && !(state->rooms & UINT32_C(1) << room);
    return status;
}
