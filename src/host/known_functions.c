#include "host/known_functions.h"

static host_function *functions[SYMBOL_COUNT];
static bool are_by_caller[SYMBOL_COUNT];
static const struct known_functions_listener *listener;

host_function *known_function(enum symbol symbol)
{
    return __atomic_load_n(&functions[symbol], __ATOMIC_ACQUIRE);
}

bool known_function_is_by_caller(enum symbol symbol)
{
    return __atomic_load_n(&are_by_caller[symbol], __ATOMIC_ACQUIRE);
}

static const struct known_functions_listener *listener_now(void)
{
    return __atomic_load_n(&listener, __ATOMIC_SEQ_CST);
}

static void tell(enum symbol symbol)
{
    if (listener_now())
        listener_now()->serve(symbol, known_function(symbol), known_function_is_by_caller(symbol));
}

void known_function_set(enum symbol symbol, host_function *function, bool by_caller)
{
    __atomic_store_n(&are_by_caller[symbol], by_caller, __ATOMIC_SEQ_CST);
    __atomic_store_n(&functions[symbol], function, __ATOMIC_SEQ_CST);
    tell(symbol);
}

void known_functions_unbound(enum interface interface)
{
    if (listener_now())
        listener_now()->unbind(interface);
}

void known_functions_listen(const struct known_functions_listener *one)
{
    __atomic_store_n(&listener, one, __ATOMIC_SEQ_CST);
    for (int i = 0; i < SYMBOL_COUNT; i++)
        if (known_function((enum symbol)i) || known_function_is_by_caller((enum symbol)i))
            tell((enum symbol)i);
}
