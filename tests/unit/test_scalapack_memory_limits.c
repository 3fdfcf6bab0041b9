/* Limits of the memory that ranks share: those of the process, and what the machine has. */
#include "scalapack/team.h"
#include "tap.h"
#include "unit_test.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const size_t some = (size_t)64 << 20;

/* In a child with that limit: what forbids `bytes` begins with the text; NULL: nothing does. */
static bool forbids_with(int resource, rlim_t limit, const char *(*judge)(size_t), size_t bytes,
                         const char *text)
{
    const pid_t child = fork();
    if (child == 0) {
        setrlimit((__rlimit_resource_t)resource, &(struct rlimit){limit, RLIM_INFINITY});
        const char *const fault = judge(bytes);
        _exit(fault && text ? strncmp(fault, text, strlen(text)) != 0 : fault != text);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status == 0;
}

static void test_limit(int resource, const char *text, const char *name)
{
    /* A limit of address space must leave room for the test itself. */
    const rlim_t room = (rlim_t)32 << 40;
    tap_ok(forbids_with(resource, room, machine_memory_limit_forbids, (size_t)room + 1, text),
           "%s forbids a byte more to who maps", name);
    tap_ok(forbids_with(resource, room, machine_memory_forbids, (size_t)room + 1, text), "and to who makes");
    tap_ok(forbids_with(resource, room, machine_memory_limit_forbids, (size_t)room, NULL), "but not as much");
}

static size_t memory_of_the_machine(void)
{
    return (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
}

UNIT_TEST(test_scalapack_memory_limits)
{
    const size_t all = memory_of_the_machine();
    tap_ok(!machine_memory_limit_forbids(some) && !machine_memory_forbids(some), "64 MiB may be shared");
    test_limit(RLIMIT_FSIZE, "the limit of a file's size", "ulimit -f");
    test_limit(RLIMIT_AS, "the limit of address space", "ulimit -v");
    tap_ok(forbids_with(RLIMIT_FSIZE, (rlim_t)some, machine_memory_forbids, some, NULL) &&
               forbids_with(RLIMIT_FSIZE, (rlim_t)some - 1, machine_memory_forbids, some,
                            "the limit of a file's size"),
           "64 MiB by a limit of 64 MiB, but not by one that is lower");
    tap_ok(machine_memory_forbids(all) && !machine_memory_limit_forbids(all),
           "all of the machine's memory may not be had: %s", machine_memory_forbids(all));
    tap_ok(machine_memory_forbids((size_t)1 << 60), "nor what no machine has");
    return tap_done();
}
