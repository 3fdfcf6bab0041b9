#include "mirror/host_memory/maps_file.h"

#include "mirror/host_memory/kept_file.h"

#include <errno.h>

static struct kept_file file = {.path = "/proc/thread-self/maps"};
static atomic_bool missing;

enum maps_answer maps_file_ask(struct mapping_query *request)
{
    if (!maps_file_answers())
        return MAPS_UNKNOWN;
    if (kept_file_ask(&file, MAPPING_QUERY_REQUEST, request) == 0)
        return MAPS_FOUND;
    if (errno == ENOENT)
        return MAPS_NOTHING_THERE;
    if (errno == ENAMETOOLONG)
        return MAPS_NO_ROOM;
    if (errno == ENOTTY || errno == EINVAL)
        atomic_store(&missing, true);
    return MAPS_UNKNOWN;
}

bool maps_file_answers(void)
{
    return !atomic_load(&missing);
}
