#include "interpose/lapack/host_width.h"
#include "common/loader.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

enum { LIBRARIES_MAX = 16 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    const void *base;
    enum integer_width width;
} known[LIBRARIES_MAX];

typedef void ilaver(int64_t *major, int64_t *minor, int64_t *patch);

static const int64_t poison = INT64_C(0x5a5a5a5a5a5a5a5a);

/* Of 32 bits the upper half stays as it was; on both processors of ours it is the second. */
static enum integer_width width_told(ilaver *function)
{
    int64_t version[3] = {poison, poison, poison};
    function(&version[0], &version[1], &version[2]);
    const int64_t upper = version[0] >> 32;
    if ((int32_t)version[0] == (int32_t)poison)
        return WIDTH_DETECTED;
    return upper == poison >> 32 ? WIDTH_32 : upper == 0 ? WIDTH_64 : WIDTH_DETECTED;
}

static enum integer_width ask(const char *path)
{
    void *const library = loader_open(path, RTLD_LAZY | RTLD_NOLOAD);
    void *const function = library ? loader_symbol(library, "ilaver_") : NULL;
    const enum integer_width width = function ? width_told((ilaver *)(uintptr_t)function) : WIDTH_DETECTED;
    if (library)
        dlclose(library);
    return width;
}

/* A library that goes leaves its place to another only by chance at the same address, of the same kind mostly; hosts
 * are kept loaded (retained.h). */
enum integer_width host_width_of(host_function *function)
{
    Dl_info where;
    int place = 0;
    if (!dladdr((void *)(uintptr_t)function, &where) || !where.dli_fname)
        return WIDTH_DETECTED;
    pthread_mutex_lock(&lock);
    while (place < LIBRARIES_MAX && known[place].base && known[place].base != where.dli_fbase)
        place++;
    const bool is_known = place < LIBRARIES_MAX && known[place].base;
    enum integer_width width = is_known ? known[place].width : WIDTH_DETECTED;
    pthread_mutex_unlock(&lock);
    if (is_known)
        return width;
    width = ask(where.dli_fname);
    pthread_mutex_lock(&lock);
    if (place < LIBRARIES_MAX && !known[place].base) {
        known[place].width = width;
        known[place].base = where.dli_fbase;
    }
    pthread_mutex_unlock(&lock);
    return width;
}
