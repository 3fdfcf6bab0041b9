#include "host/symbols.h"
#include "common/blas_call.h"
#include "common/loader.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* One block of text and offsets into it: pointers would be relocated in every
 * process that inherits LD_PRELOAD. */
static const struct names {
#define FORWARDED_SYMBOL(symbol, ...) char symbol[sizeof #symbol];
#define OFFLOADED_SYMBOL(symbol, ...) char symbol[sizeof #symbol];
#include "host/symbols.def"
} names = {
#define FORWARDED_SYMBOL(symbol, ...) #symbol,
#define OFFLOADED_SYMBOL(symbol, ...) #symbol,
#include "host/symbols.def"
};

static const struct {
    uint16_t name; /* offset in names */
    uint8_t interface;
    bool offloaded;
} symbols[SYMBOL_COUNT] = {
#define FORWARDED_SYMBOL(symbol, interface, ...) \
    {offsetof(struct names, symbol), INTERFACE_##interface, false},
#define OFFLOADED_SYMBOL(symbol, interface, ...) \
    {offsetof(struct names, symbol), INTERFACE_##interface, true},
#define ROUTE_SYMBOL OFFLOADED_SYMBOL
#include "host/symbols.def"
};
_Static_assert(sizeof names <= UINT16_MAX, "offsets have 16 bits");

static const struct {
    char form[24];
    uint16_t sentinel;
    uint8_t width;
} interfaces[INTERFACE_COUNT] = {
#define INTERFACE_ROW(prefix, suffix, width, ...) \
    {#prefix "NAME" #suffix, SYMBOL_##prefix##dgemm##suffix, WIDTH_##width},
    FORTRAN_INTERFACES(INTERFACE_ROW) CBLAS_INTERFACES(INTERFACE_ROW)
#undef INTERFACE_ROW
#define INTERFACE_ROW(prefix, suffix, width, ...) \
    {"LAPACK's " #prefix "NAME" #suffix, SYMBOL_##prefix##dsyevr##suffix, WIDTH_##width},
        LAPACK_INTERFACES(INTERFACE_ROW)
#undef INTERFACE_ROW
};

const char *symbol_name(enum symbol symbol)
{
    return (const char *)&names + symbols[symbol].name;
}

/* They stand last. */
bool symbol_name_is_lapack(const char *name)
{
    for (int i = SYMBOL_COUNT - 1; i >= 0 && interface_is_lapack(symbol_interface((enum symbol)i)); i--)
        if (strcmp(name, symbol_name((enum symbol)i)) == 0)
            return true;
    return false;
}

bool symbol_is_offloaded(enum symbol symbol)
{
    return symbols[symbol].offloaded;
}

enum interface symbol_interface(enum symbol symbol)
{
    return (enum interface)symbols[symbol].interface;
}

const char *interface_form(enum interface interface)
{
    return interfaces[interface].form;
}

enum interface interface_plain(enum interface interface)
{
    if (interface_is_lapack(interface))
        return INTERFACE_LAPACK_NAME_;
    return interface_is_cblas(interface) ? INTERFACE_cblas_NAME : INTERFACE_NAME_;
}

/* symbols.def has a routine's symbols one after the other, in the order of the interfaces. */
enum symbol symbol_plain(enum symbol symbol)
{
    const enum interface interface = symbol_interface(symbol);
    return symbol - (interface - interface_plain(interface));
}

enum integer_width interface_width(enum interface interface)
{
    return (enum integer_width)interfaces[interface].width;
}

enum symbol interface_sentinel(enum interface interface)
{
    return (enum symbol)interfaces[interface].sentinel;
}

/* A size that is 3 in 32 bits and negative in 64: of three elements the second is the
 * largest, of none there is none. libblastrampoline asks in the same way. */
static const int64_t telling_size = (int64_t)0xffffffff00000003;
static const float telling_elements[] = {1, 2, 1};

typedef int fortran_isamax(const int64_t *n, const float *x, const int64_t *incx);
typedef int cblas_isamax(int64_t n, const float *x, int64_t incx);

enum symbol width_telling_symbol(enum interface interface)
{
    return interface == INTERFACE_NAME_ ? SYMBOL_isamax_ : SYMBOL_cblas_isamax;
}

enum integer_width width_ask(enum interface interface, host_function *isamax)
{
    static const int64_t one = 1;
    /* Fortran counts from 1 and 0 is none; C counts from 0, which is none as well. */
    if (interface == INTERFACE_NAME_)
        return ((fortran_isamax *)isamax)(&telling_size, telling_elements, &one) == 2 ? WIDTH_32 : WIDTH_64;
    return ((cblas_isamax *)isamax)(telling_size, telling_elements, 1) == 1 ? WIDTH_32 : WIDTH_64;
}

enum { LIBRARIES_MAX = 16 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    const void *base;
    enum integer_width width;
} known[LIBRARIES_MAX];

typedef void ilaver(int64_t *major, int64_t *minor, int64_t *patch);

static const int64_t poison = INT64_C(0x5a5a5a5a5a5a5a5a);

/* A 32-bit integer leaves the upper half as it was; on both processors of ours that is the second half. */
static enum integer_width width_told(ilaver *function)
{
    int64_t version[3] = {poison, poison, poison};
    function(&version[0], &version[1], &version[2]);
    const int64_t upper = version[0] >> 32;
    if ((int32_t)version[0] == (int32_t)poison)
        return WIDTH_DETECTED;
    return upper == poison >> 32 ? WIDTH_32 : upper == 0 ? WIDTH_64 : WIDTH_DETECTED;
}

static enum integer_width ask_ilaver(const char *path)
{
    void *const library = loader_open(path, RTLD_LAZY | RTLD_NOLOAD);
    void *const function = library ? loader_symbol(library, "ilaver_") : NULL;
    const enum integer_width width = function ? width_told((ilaver *)(uintptr_t)function) : WIDTH_DETECTED;
    if (library)
        loader_close(library);
    return width;
}

/* Beside that by function, as an address and a width in one word: to ask the loader whose a function is takes
 * longer than a small call. */
enum { FUNCTIONS_REMEMBERED = 256, WIDTH_BITS = 8 };
static _Atomic uint64_t remembered[FUNCTIONS_REMEMBERED];

static _Atomic uint64_t *place_of(host_function *function)
{
    return &remembered[(uintptr_t)function / 16 % FUNCTIONS_REMEMBERED];
}

static enum integer_width remembered_width(host_function *function)
{
    const uint64_t word = atomic_load_explicit(place_of(function), memory_order_relaxed);
    return word >> WIDTH_BITS == (uintptr_t)function ? (enum integer_width)(word & ((1 << WIDTH_BITS) - 1))
                                                     : WIDTH_DETECTED;
}

static void remember(host_function *function, enum integer_width width)
{
    if (width != WIDTH_DETECTED)
        atomic_store_explicit(place_of(function),
                              (uint64_t)(uintptr_t)function << WIDTH_BITS | (uint64_t)width,
                              memory_order_relaxed);
}

static enum integer_width width_of_library(host_function *function)
{
    Dl_info where;
    int place = 0;
    if (!loader_address((void *)(uintptr_t)function, &where) || !where.dli_fname)
        return WIDTH_DETECTED;
    pthread_mutex_lock(&lock);
    while (place < LIBRARIES_MAX && known[place].base && known[place].base != where.dli_fbase)
        place++;
    const bool is_known = place < LIBRARIES_MAX && known[place].base;
    enum integer_width width = is_known ? known[place].width : WIDTH_DETECTED;
    pthread_mutex_unlock(&lock);
    if (is_known)
        return width;
    width = ask_ilaver(where.dli_fname);
    pthread_mutex_lock(&lock);
    if (place < LIBRARIES_MAX && !known[place].base) {
        known[place].width = width;
        known[place].base = where.dli_fbase;
    }
    pthread_mutex_unlock(&lock);
    return width;
}

/* A library that goes leaves its place to another only by chance at the same address, of the same kind
 * mostly; hosts are kept loaded (host_blas.h). */
enum integer_width width_of_lapack(host_function *function)
{
    enum integer_width width = remembered_width(function);
    if (width == WIDTH_DETECTED) {
        width = width_of_library(function);
        remember(function, width);
    }
    return width;
}

/* Fortran conventions pass everything by address. An integer of 64 bits stands for one of 32,
 * too: the lower half comes first on every machine that mublas runs on. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "integers of two widths share an address");

static const char *trans_letter(enum blas_trans trans)
{
    return trans == TRANS_NONE ? "N" : trans == TRANS_TRANSPOSE ? "T" : "C";
}

static const void *argument_address(const struct blas_call *call, enum blas_argument argument)
{
    switch (argument) {
    case ARGUMENT_SIDE: return call->side == SIDE_LEFT ? "L" : "R";
    case ARGUMENT_UPLO: return call->uplo == UPLO_LOWER ? "L" : "U";
    case ARGUMENT_TRANS: return trans_letter(call->trans);
    case ARGUMENT_TRANS_B: return trans_letter(call->trans_b);
    case ARGUMENT_DIAG: return call->diag == DIAG_UNIT ? "U" : "N";
    case ARGUMENT_M: return &call->m;
    case ARGUMENT_N: return &call->n;
    case ARGUMENT_K: return &call->k;
    case ARGUMENT_ALPHA: return &call->alpha;
    case ARGUMENT_BETA: return &call->beta;
    case ARGUMENT_A: return call->a.pointer;
    case ARGUMENT_B: return call->b.pointer;
    case ARGUMENT_C: return call->c.pointer;
    case ARGUMENT_LDA: return &call->a.ld;
    case ARGUMENT_LDB: return &call->b.ld;
    case ARGUMENT_LDC: return &call->c.ld;
    case ARGUMENT_X: return call->x.pointer;
    case ARGUMENT_Y: return call->y.pointer;
    case ARGUMENT_INCX: return &call->x.increment;
    case ARGUMENT_INCY: return &call->y.increment;
    }
    return NULL;
}

/* More arguments than a routine takes do not matter to it: callers clean the stack. */
enum { FLAGS_MOST = 4, WORDS_MOST = BLAS_ARGUMENTS_MOST + FLAGS_MOST };
typedef void word_function(const void *, const void *, const void *, const void *, const void *, const void *,
                           const void *, const void *, const void *, const void *, const void *, const void *,
                           const void *, const void *, const void *, const void *, const void *);

void routine_call(host_function *function, const struct blas_call *call)
{
    const struct blas_signature *signature = &blas_families[call->family].signature;
    const void *w[WORDS_MOST];
    for (int i = 0; i < WORDS_MOST; i++)
        w[i] = i < signature->argument_count
                   ? argument_address(call, (enum blas_argument)signature->arguments[i])
                   : (const void *)(uintptr_t)1; /* the length of a flag */
    ((word_function *)function)(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11],
                                w[12], w[13], w[14], w[15], w[16]);
}
