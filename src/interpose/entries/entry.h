/* entry.h - what entries_fortran.c and entries_cblas.c share: ENTRY defines the function
 * entry32_SYMBOL or entry64_SYMBOL that forward.S jumps to, where the interface's width
 * is this inclusion's; see entry.inc. */
#ifndef MUBLAS_ENTRY_H
#define MUBLAS_ENTRY_H

#include "host/interfaces.h"
#include "interpose/entries/arguments.h"
#include "interpose/entries/pack.h"
#include "interpose/entries/forwarding.h"
#include "interpose/known_shapes.h"
#include "interpose/offload.h"
#include "interpose/purchase/model_in_force.h"

/* A handler that moved the stack by 8 leaves it so for its thread; many hosts need none that is aligned. */
#if defined __x86_64__
#define ALIGNS_STACK __attribute__((force_align_arg_pointer))
#else
#define ALIGNS_STACK
#endif

#define ENTRY(prefix, suffix, width, name) ENTRY_OF_WIDTH(width, prefix##name##suffix)
#define ENTRY_OF_WIDTH(width, symbol) JOIN(ENTRY_, INTEGER_BITS, _##width)(symbol)
#define ENTRY_32_DETECTED(symbol) DEFINE_ENTRY(entry32_##symbol, SYMBOL_##symbol)
#define ENTRY_32_32(symbol) DEFINE_ENTRY(entry32_##symbol, SYMBOL_##symbol)
#define ENTRY_32_64(symbol)
#define ENTRY_64_DETECTED(symbol) DEFINE_ENTRY(entry64_##symbol, SYMBOL_##symbol)
#define ENTRY_64_32(symbol)
#define ENTRY_64_64(symbol) DEFINE_ENTRY(entry64_##symbol, SYMBOL_##symbol)

#define DEFINE_ENTRY(entry, number)                                                                          \
    void entry(PARAMETERS HIDDEN_PARAMETERS);                                                                \
    void entry(PARAMETERS HIDDEN_PARAMETERS)                                                                 \
    {                                                                                                        \
        const uint64_t shape = KNOWN_SHAPE(number, SHAPE);                                                   \
        host_function *host;                                                                                 \
        if (known_shapes_look_up(shape, model_in_force()) == SHAPE_NEVER_PAYS) {                             \
            host = forwarding_pass_on(number, __builtin_return_address(0));                                  \
        } else {                                                                                             \
            if (LOCAL(perform, ROUTINE)(number, shape, __builtin_return_address(0),                          \
                                        ARGUMENTS HIDDEN_ARGUMENTS))                                         \
                return;                                                                                      \
            offload_count_rejected(number, __builtin_return_address(0));                                     \
            host = host_blas_function(number, __builtin_return_address(0));                                  \
        }                                                                                                    \
        ((LOCAL(signature, ROUTINE) *)host)(ARGUMENTS HIDDEN_ARGUMENTS);                                     \
    }

#endif
