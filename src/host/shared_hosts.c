#include "host/shared_hosts.h"
#include "common/loader.h"
#include "common/log.h"
#include "host/calling_objects.h"
#include "host/nested.h"
#include "host/width.h"

#include <dlfcn.h>
#include <stdlib.h>

static struct host *_Atomic hosts[HOSTS_MAX]; /* without gaps, never removed */

static bool is_present(const struct host *host)
{
    return host && host->state == HOST_PRESENT;
}

static bool serves_kind(const struct host *host, enum interface interface)
{
    for (int i = 0; i < INTERFACE_COUNT; i++)
        if (host->serves[i] && interface_is_lapack((enum interface)i) == interface_is_lapack(interface))
            return true;
    return false;
}

int shared_hosts_first(enum interface interface)
{
    for (int i = 0; i < HOSTS_MAX && hosts[i]; i++)
        if (is_present(hosts[i]) && serves_kind(hosts[i], interface))
            return i;
    return -1;
}

struct host *shared_hosts_get(int number)
{
    return hosts[number];
}

void shared_hosts_forget(uintptr_t start)
{
    for (int i = 0; i < HOSTS_MAX && hosts[i]; i++) {
        int present = HOST_PRESENT;
        if (hosts[i]->library.start != start ||
            !atomic_compare_exchange_strong(&hosts[i]->state, &present, HOST_GONE))
            continue;
        for (int symbol = 0; symbol < SYMBOL_COUNT; symbol++)
            __atomic_store_n(&hosts[i]->functions[symbol], NULL, __ATOMIC_RELEASE);
        calling_objects_forget_host(i);
    }
}

static bool is_dispatched(enum symbol symbol)
{
    return interface_width(symbol_interface(symbol)) == WIDTH_DETECTED;
}

/* Looked up in the library itself: what else the first caller is linked with is not others'. */
static void fill_host(struct host *host, const struct host_library *found)
{
    struct host_library library = *found;
    void *own = found->is_callers ? loader_open(found->path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (own)
        library.handle = own;
    for (int i = 0; i < SYMBOL_COUNT; i++) {
        enum symbol symbol = (enum symbol)i;
        host->functions[i] =
            is_dispatched(symbol) ? host_library_function(&library, symbol_name(symbol)) : NULL;
    }
    if (own)
        loader_close(own);
    for (int i = 0; i < INTERFACE_COUNT; i++) {
        host->serves[i] = false;
        host->widths[i] = 0;
    }
    host->library = *found;
    host->library.handle = NULL; /* nothing more is looked up */
    host->library.is_callers = false;
    host->state = HOST_PRESENT;
}

static enum integer_width host_width(struct host *host, enum interface interface)
{
    int known = host->widths[interface];
    if (!known) {
        enum symbol telling = width_telling_symbol(interface);
        host_function *isamax = host->functions[telling];
        known = 1 + (int)(isamax ? width_ask(interface, isamax) : WIDTH_DETECTED);
        host->widths[interface] = known;
    }
    return (enum integer_width)(known - 1);
}

/* Of the hosts that serve anybody by such names. WIDTH_DETECTED, with `differ` set, if they differ
 * or do not tell; otherwise there is none. */
static enum integer_width width_of_all(enum interface interface, bool *differ)
{
    enum integer_width width = WIDTH_DETECTED;
    for (int i = 0; i < HOSTS_MAX && hosts[i] && !*differ; i++) {
        if (!is_present(hosts[i]) || !hosts[i]->serves[interface])
            continue;
        enum integer_width one = host_width(hosts[i], interface);
        *differ = one == WIDTH_DETECTED || (width != WIDTH_DETECTED && one != width);
        width = one;
    }
    return *differ ? WIDTH_DETECTED : width;
}

static void say_several(const struct host *first, const struct host *added, bool is_new)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    const char *one = first->library.path, *other = added->library.path;
    bool differ = false;
    width_of_all(INTERFACE_NAME_, &differ);
    width_of_all(INTERFACE_cblas_NAME, &differ);
    if (!differ && is_new)
        log_message(LOG_INFO, "%s and %s go by the same names: callers get their own", one, other);
    else if (differ && !atomic_flag_test_and_set(&said))
        log_message(LOG_WARNING, "%s and %s go by the same names and may differ in the width of their "
                    "integers: callers get their own, and such calls stay on the host", one, other);
}

static int known_host(const struct host_library *library)
{
    for (int i = 0; i < HOSTS_MAX && hosts[i]; i++)
        if (is_present(hosts[i]) && hosts[i]->library.start == library->start)
            return i;
    return -1;
}

/* A new one in the place of one that is gone, or the first free; -1: none, or no memory. */
static int add_host(const struct host_library *library, enum interface interface)
{
    for (int i = 0; i < HOSTS_MAX && hosts[i]; i++) {
        int gone = HOST_GONE;
        if (!atomic_compare_exchange_strong(&hosts[i]->state, &gone, HOST_FILLED))
            continue;
        fill_host(hosts[i], library);
        return i;
    }
    struct host *added = calloc(1, sizeof *added);
    if (added)
        fill_host(added, library);
    for (int i = 0; added && i < HOSTS_MAX; i++) {
        struct host *host = NULL;
        if (atomic_compare_exchange_strong(&hosts[i], &host, added))
            return i;
        if (is_present(host) && host->library.start == library->start) {
            free(added);
            return i;
        }
    }
    if (added)
        log_message(LOG_ERROR, "%s is one BLAS too many (%d in a process): what calls it gets %s",
                    library->path, HOSTS_MAX, hosts[0]->library.path);
    free(added);
    return shared_hosts_first(interface);
}

int shared_hosts_enter(const struct host_library *library, enum interface interface, retained_forget *forget)
{
    int number = known_host(library);
    bool known = number >= 0;
    if (!known)
        number = add_host(library, interface);
    if (number < 0 || hosts[number]->library.start != library->start)
        return number;
    bool served = atomic_exchange(&hosts[number]->serves[interface], true);
    if (!known) {
        retained_keep(library, forget);
        if (!interface_is_lapack(interface))
            nested_note_host(library->start, library->end);
    }
    const int first = shared_hosts_first(interface);
    if (!served && first != number)
        say_several(hosts[first], hosts[number], !known);
    return number;
}

const struct host *shared_hosts_loaded(enum interface interface, int number)
{
    for (int i = 0; i < HOSTS_MAX && hosts[i]; i++)
        if (is_present(hosts[i]) && hosts[i]->serves[interface] && number-- == 0)
            return hosts[i];
    return NULL;
}

enum integer_width shared_hosts_width(enum interface interface)
{
    bool differ = false;
    return width_of_all(interface, &differ);
}
