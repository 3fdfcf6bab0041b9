#include "mirror/host_memory/maps_file.h"

#include "mirror/host_memory/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Never changed once others may see it: threads may be asking by it. */
struct kept {
    struct descriptor file;
    pid_t process;
};

static _Atomic(struct kept *) the_kept;
static atomic_bool missing;

/* A program that closes what is not its own is not followed for ever. Not from malloc, whose own code may
 * be asking. */
enum { KEPT_MOST = 16 };
static struct kept all_kept[KEPT_MOST];

static enum maps_answer ask(int number, struct mapping_query *request)
{
    if (ioctl(number, MAPPING_QUERY_REQUEST, request) == 0)
        return MAPS_FOUND;
    if (errno == ENOENT)
        return MAPS_NOTHING_THERE;
    if (errno == ENAMETOOLONG)
        return MAPS_NO_ROOM;
    if (errno == ENOTTY || errno == EINVAL)
        atomic_store(&missing, true);
    return MAPS_UNKNOWN;
}

/* Takes `number` over. */
static void keep(int number, struct kept *old)
{
    static atomic_int count;
    const int place = atomic_load(&count) < KEPT_MOST ? atomic_fetch_add(&count, 1) : KEPT_MOST;
    struct kept *kept = place < KEPT_MOST ? &all_kept[place] : NULL;
    if (!kept)
        close(number);
    if (!kept || descriptor_adopt(&kept->file, number) != STATUS_OK)
        return;
    kept->process = getpid();
    if (kept->file.number < DESCRIPTOR_LOWEST || !atomic_compare_exchange_strong(&the_kept, &old, kept))
        close(kept->file.number); /* it would be in the program's way, or another thread was quicker */
}

enum maps_answer maps_file_ask(struct mapping_query *request)
{
    struct kept *kept = atomic_load(&the_kept);
    if (!maps_file_answers())
        return MAPS_UNKNOWN;
    if (kept && kept->process == getpid() && descriptor_is_ours(&kept->file))
        return ask(kept->file.number, request);
    const int number = open("/proc/thread-self/maps", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (number < 0)
        return MAPS_UNKNOWN;
    const enum maps_answer answer = ask(number, request);
    keep(number, kept);
    return answer;
}

bool maps_file_answers(void)
{
    return !atomic_load(&missing);
}
