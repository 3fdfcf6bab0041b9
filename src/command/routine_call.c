#include "command/routine_call.h"
#include "common/blas_call.h"
#include "host/symbols.h"
#include "tuner/online/tuning_class.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

double random_part(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

void random_flags(struct blas_call *call, uint64_t *seed)
{
    const int class = timed_class_of(call);
    const enum blas_family family = call->family;
    flag_set_apply((int)(random_part(seed) * flag_sets_of(class)), call);
    call->family = family; /* HEMM is a set of SYMM's class */
}

/* Routines are numbered in the order of families, then of types. */
static void find_routine(int routine, enum blas_family *family, enum blas_type *type)
{
    int number = 0;
    for (int f = 0; f < FAMILY_COUNT; f++)
        for (int t = TYPE_S; t <= TYPE_Z; t++)
            if (blas_family_has_type((enum blas_family)f, (enum blas_type)t) && number++ == routine) {
                *family = (enum blas_family)f;
                *type = (enum blas_type)t;
                return;
            }
    *family = FAMILY_COUNT;
    *type = TYPE_COUNT;
}

enum blas_family routine_family(int routine)
{
    enum blas_family family;
    enum blas_type type;
    find_routine(routine, &family, &type);
    return family;
}

enum blas_type routine_type(int routine)
{
    enum blas_family family;
    enum blas_type type;
    find_routine(routine, &family, &type);
    return type;
}

const char *routine_name(int routine, char name[ROUTINE_NAME])
{
    snprintf(name, ROUTINE_NAME, "%c%s", "sdcz"[routine_type(routine)],
             blas_families[routine_family(routine)].name);
    return name;
}

int routine_of(enum blas_family family, enum blas_type type)
{
    for (int routine = 0; routine < ROUTINES; routine++)
        if (routine_family(routine) == family && routine_type(routine) == type)
            return routine;
    return -1;
}

/* Rank-k updates have the transposition or, Hermitian, the conjugate one. */
static bool next_trans(const struct blas_call *call, enum blas_trans *trans)
{
    const bool adjoint = call->family == FAMILY_HERK || call->family == FAMILY_HER2K;
    const bool update = adjoint || call->family == FAMILY_SYRK || call->family == FAMILY_SYR2K;
    const enum blas_trans last =
        adjoint || (blas_is_complex(call->type) && !update) ? TRANS_CONJUGATE : TRANS_TRANSPOSE;
    *trans = *trans == last ? TRANS_NONE : adjoint ? TRANS_CONJUGATE : (enum blas_trans)(*trans + 1);
    return *trans != TRANS_NONE;
}

static bool has_argument(const struct blas_call *call, enum blas_argument wanted)
{
    const struct blas_signature *signature = &blas_families[call->family].signature;
    return memchr(signature->arguments, (int)wanted, signature->argument_count);
}

bool routine_next_flags(struct blas_call *call)
{
    if (has_argument(call, ARGUMENT_DIAG) && (call->diag = !call->diag) != DIAG_NON_UNIT)
        return true;
    if (has_argument(call, ARGUMENT_TRANS_B) && next_trans(call, &call->trans_b))
        return true;
    if (has_argument(call, ARGUMENT_TRANS) && next_trans(call, &call->trans))
        return true;
    if (has_argument(call, ARGUMENT_UPLO) && (call->uplo = !call->uplo) != UPLO_LOWER)
        return true;
    return has_argument(call, ARGUMENT_SIDE) && (call->side = !call->side) != SIDE_LEFT;
}

int routine_named(const char *wanted)
{
    char name[ROUTINE_NAME];
    for (int routine = 0; routine < ROUTINES; routine++)
        if (strcmp(routine_name(routine, name), wanted) == 0)
            return routine;
    return -1;
}

static bool names_routine(int routine, const char *word, size_t length)
{
    char name[ROUTINE_NAME];
    routine_name(routine, name);
    return strlen(name) == length && strncmp(name, word, length) == 0;
}

bool routine_is_listed(int routine, const char *list)
{
    if (!list)
        return true;
    for (;;) {
        size_t length = strcspn(list, ",");
        if (names_routine(routine, list, length))
            return true;
        if (!list[length])
            return false;
        list += length + 1;
    }
}

const char *routine_list_error(const char *list, int *length)
{
    for (;;) {
        bool known = false;
        *length = (int)strcspn(list, ",");
        for (int routine = 0; routine < ROUTINES; routine++)
            known |= names_routine(routine, list, (size_t)*length);
        if (!known)
            return list;
        if (!list[*length])
            return NULL;
        list += *length + 1;
    }
}

static const char *routine_symbol(int routine, char symbol[ROUTINE_NAME + 1])
{
    char name[ROUTINE_NAME];
    snprintf(symbol, ROUTINE_NAME + 1, "%s_", routine_name(routine, name));
    return symbol;
}

/* The shim's names come first in a process that preloads it; this command has none itself. */
host_function *routine_in_shim(int routine)
{
    char symbol[ROUTINE_NAME + 1];
    if (!dlsym(RTLD_DEFAULT, HOST_LIBRARY_MARKER))
        return NULL;
    return (host_function *)dlsym(RTLD_DEFAULT, routine_symbol(routine, symbol));
}

host_function *routine_in_host(int routine, const struct host_library *host)
{
    char symbol[ROUTINE_NAME + 1];
    return host_library_function(host, routine_symbol(routine, symbol));
}
