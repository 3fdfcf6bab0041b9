#include "host/symbols.h"

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
