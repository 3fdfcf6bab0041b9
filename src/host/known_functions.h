/* known_functions.h - what serves each symbol, as far as it is known, and who is told of that.
 * Thread-safe. */
#ifndef MUBLAS_KNOWN_FUNCTIONS_H
#define MUBLAS_KNOWN_FUNCTIONS_H

#include "host/symbols.h"

#include <stdbool.h>

/* What serves all calls of a symbol; NULL: none is known, or each caller's own host does. */
host_function *known_function(enum symbol symbol);
bool known_function_is_by_caller(enum symbol symbol);

/* `function` serves the symbol from now on, or each caller's own host does. Neither: its library has gone. */
void known_function_set(enum symbol symbol, host_function *function, bool by_caller);

/* All of an interface have gone with their library: after known_function_set for each. */
void known_functions_unbound(enum interface interface);

/* Who keeps tables of what serves symbols. */
struct known_functions_listener {
    void (*serve)(enum symbol symbol, host_function *function, bool by_caller); /* as known_function_set */
    void (*unbind)(enum interface interface);
};

/* Tell the listener of what is known already and of all that comes. Once, by the constructor. */
void known_functions_listen(const struct known_functions_listener *listener);

#endif
