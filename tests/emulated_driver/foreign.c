/* A kernel, or a library's routine, that touches what its device does not reach faults: say why. */
#include "emulated_driver/internal.h"

#include <signal.h>
#include <stddef.h>

/* The signal comes again at once, with its default action. */
static void tell(int signal_number, siginfo_t *information, void *ignored)
{
    const CUdeviceptr address = (uintptr_t)information->si_addr;
    (void)ignored;
    signal(signal_number, SIG_DFL);
    if (memory_is_device(address) && memory_owner(address) != memory_viewer())
        emulated_abort("what runs on device %d touches %#llx of device %d without access to it", memory_viewer(),
                       address, memory_owner(address));
}

void foreign_watch(void)
{
    struct sigaction before, wanted = {.sa_sigaction = tell, .sa_flags = SA_SIGINFO};
    if (kinds_count() > 1 && sigaction(SIGSEGV, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        sigaction(SIGSEGV, &wanted, NULL);
}
