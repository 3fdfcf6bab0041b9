/* Files by which memory is written unseen. */
#include "mirror/host_memory/kernel_interface.h"
#include "tap.h"
#include "unit_test.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FAMILY_XDP = 44 };

static void test_names(void)
{
    static const char *const blind[] = {"/dev/vfio/vfio", "/dev/vfio/17", "/dev/vfio/devices/vfio0",
                                        "/dev/iommu",     "/dev/video0",  "/dev/infiniband/uverbs0",
                                        "/dev/cxi0",      "/dev/hfi1_0",  "/dev/knem",
                                        "/dev/xpmem"};
    static const char *const harmless[] = {"/dev/null",       "/dev/nvidia0",   "/dev/nvidiactl",
                                           "/dev/nvidia-uvm", "/dev/kvm",       "/dev/dri/renderD128",
                                           "/dev/pts/0",      "/dev/shm/video", "/home/dev/video0"};
    for (size_t i = 0; i < sizeof blind / sizeof *blind; i++)
        tap_ok(blind_files_is_device(blind[i]), "%s tells", blind[i]);
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        tap_ok(!blind_files_is_device(harmless[i]), "%s does not", harmless[i]);
}

static void test_harmless_files(void)
{
    int ends[2];
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC), event = eventfd(0, EFD_CLOEXEC);
    if (null < 0 || event < 0 || pipe(ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        abort();
    tap_ok(!blind_files_open() && !blind_files_open(), "files, pipes, sockets and other devices are none");
    close(null);
    close(event);
}

static void test_packets(void)
{
    const int packets = socket(FAMILY_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
    if (packets < 0) {
        tap_skip("an AF_XDP socket is one", "none is to be had here");
        return;
    }
    tap_ok(blind_files_open(), "an AF_XDP socket is one");
    const int other = dup(packets);
    close(packets);
    tap_ok(blind_files_open(), "under another number as well");
    close(other);
    tap_ok(!blind_files_open(), "and not any more when it is closed");
    if (socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) != packets)
        abort();
    tap_ok(!blind_files_open(), "even if its number is in use again");
}

static void test_many(void)
{
    struct rlimit limit;
    enum { ROOM = 64 };
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_max < BLIND_FILES_MOST + ROOM) {
        tap_skip("more files than can be looked at count as one", "so many are not allowed");
        return;
    }
    limit.rlim_cur = BLIND_FILES_MOST + ROOM;
    setrlimit(RLIMIT_NOFILE, &limit);
    while (dup(0) >= 0 && !blind_files_open())
        continue;
    const int last = dup(0);
    tap_ok(last > BLIND_FILES_MOST - ROOM, "more files than can be looked at count as one, here %d", last);
    close(last - 1);
    close(last - 2);
    close(last);
    tap_ok(!blind_files_open(), "fewer do not");
}

UNIT_TEST(test_blind_files)
{
    test_names();
    test_harmless_files();
    test_packets();
    test_many();
    return tap_done();
}
