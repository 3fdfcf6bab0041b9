/* Which calls are the doing of another one: the answers, and that each place is looked up but once. */
#include "host/host_search.h"
#include "tap.h"

#include <dlfcn.h>

enum { BASE = 0x10000000, PLACES = 2000, STEP = 5, END = BASE + PLACES * STEP };

static int look_ups;

static bool is_routine(uintptr_t address)
{
    return (address - BASE) / STEP % 3 == 0;
}

static const char *name_at(uintptr_t address)
{
    static const char *const others[] = {"dsytrd_", "LAPACKE_dsyev"};
    static const char *const routines[] = {"cblas_ddot", "dgemv_", "zdotcsub_", "scipy_dgemm_64_"};
    const uintptr_t place = (address - BASE) / STEP;
    return is_routine(address) ? routines[place / 3 % 4] : others[place % 2];
}

/* In the loader's stead. */
int dladdr(const void *address, Dl_info *where)
{
    look_ups++;
    *where = (Dl_info){.dli_sname = name_at((uintptr_t)address)};
    return 1;
}

static int wrong_answers(void)
{
    int wrong = 0;
    for (uintptr_t address = BASE; address < END; address += STEP)
        wrong += nested_in_host((const void *)address) != is_routine(address);
    return wrong;
}

int main(void)
{
    nested_note_host(BASE, END);
    const int first = wrong_answers();
    tap_ok(first == 0, "of %d places in a host all are told apart", PLACES);
    int again = 0;
    for (int i = 0; i < 10; i++)
        again += wrong_answers();
    tap_ok(again == 0, "and again");
    tap_ok(look_ups == PLACES, "%d look-ups for %d places, each called from 11 times", look_ups, PLACES);
    look_ups = 0;
    tap_ok(!nested_in_host((const void *)(uintptr_t)END) &&
               !nested_in_host((const void *)(uintptr_t)(BASE - 1)) && look_ups == 0,
           "callers outside are not looked up");
    return tap_done();
}
