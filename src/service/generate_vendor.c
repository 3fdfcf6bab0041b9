/* generate_vendor.c - what follows from the parameters of gpu/vendor/solver.def, for the build: functions'
 * numbers, kinds of their words, where struct solver_library has them, and the client's stubs
 * (service/vendor_calls.inc). Runs on the machine that builds, and writes to standard output. Exit status: 0,
 * or 1. */
#include "service/generate_text.h"

#include <stdlib.h>

/* One of solver.def, for one type and width of integers. */
struct function {
    char symbol[WORD_MOST], place[WORD_MOST]; /* in struct solver_library */
    char type; /* 'S', 'D', 'C', 'Z'; 'N': none */
    const char *integer, *parameters;
};

enum { FUNCTIONS_MOST = 256 };
static struct function functions[FUNCTIONS_MOST];
static int function_count;

static void add(const char *member, const char *prefix, const char *name, const char *suffix, int type,
                const char *integer, const char *width, const char *parameters)
{
    static const char letters[] = "SDCZ";
    if (function_count == FUNCTIONS_MOST)
        exit(1);
    struct function *const function = &functions[function_count++];
    *function = (struct function){.type = type < 0 ? 'N' : letters[type], .integer = integer,
                                  .parameters = parameters};
    if (type < 0) {
        snprintf(function->symbol, WORD_MOST, "%s", name);
        snprintf(function->place, WORD_MOST, "%s", member);
    } else {
        snprintf(function->symbol, WORD_MOST, "%s%c%s%s", prefix, letters[type], name, suffix);
        snprintf(function->place, WORD_MOST, "%s%s[%d]", width, member, type);
    }
}

static void add_typed(const char *member, const char *prefix, const char *real, const char *complex,
                      const char *suffix, const char *integer, const char *width, const char *parameters)
{
    for (int type = 0; type < 4; type++)
        add(member, prefix, type < 2 ? real : complex, suffix, type, integer, width, parameters);
}

static void list_functions(void)
{
#define SOLVER_FUNCTION(member, symbol, need, parameters) \
    add(#member, "", symbol, "", -1, "int", "", #parameters);
#define SOLVER_TYPED(member, real, complex, need, parameters) \
    add_typed(#member, "cusolverDn", real, complex, "", "int", "", #parameters);
#define SOLVER_BLAS(member, real, complex, parameters)                                        \
    add_typed(#member, "cublas", real, complex, "_v2", "int", "narrow.", #parameters);        \
    add_typed(#member, "cublas", real, complex, "_v2_64", "int64_t", "wide.", #parameters);
#include "gpu/vendor/solver.def"
}

/* A letter for how a word travels (message.h). */
static char kind_of(const struct function *function, char *text, char *name)
{
    const bool is_result = take_word(text, "RESULT "), is_scalar = take_word(text, "REAL_SCALAR ");
    const bool is_typed_scalar = !is_scalar && take_word(text, "SCALAR "),
               is_buffer = take_word(text, "HOST_BUFFER ");
    const bool is_single = function->type == 'S' || function->type == 'C';
    if (!take_name(text, name))
        return '?';
    if (is_buffer)
        return 'w';
    if (is_scalar)
        return is_single ? '4' : '8';
    if (is_typed_scalar)
        return function->type == 'S' ? '4' : function->type == 'Z' ? '6' : '8';
    if (strncmp(text, "cusolverDnHandle_t", 18) == 0)
        return is_result ? 'H' : 'h';
    if (strncmp(text, "cusolverDnParams_t", 18) == 0)
        return is_result ? 'P' : 'p';
    if (strncmp(text, "cublasHandle_t", 14) == 0)
        return is_result ? 'B' : 'b';
    if (strncmp(text, "CUstream", 8) == 0)
        return 's';
    if (!is_result)
        return 'v';
    return strncmp(text, "int ", 4) == 0                                        ? 'i'
           : strncmp(text, "size_t", 6) == 0 || strncmp(text, "double", 6) == 0 ? 'z'
                                                                                : '?';
}

static void print_function(int number)
{
    const struct function *const function = &functions[number];
    char kinds[PARAMETERS_MOST + 1] = "", parameters[2048] = "", words[2048] = "", text[512];
    const char *at = function->parameters + 1;
    int count = 0;
    while (*at && *at != ')') {
        const size_t length = strcspn(at, ",)");
        char name[WORD_MOST];
        snprintf(text, sizeof text, "%.*s", (int)length, at);
        char *const integer = strstr(text, "INTEGER");
        trim(text);
        char shown[512];
        const char kind = kind_of(function, text, name);
        if (kind == '?' || count == PARAMETERS_MOST - 4)
            exit(1);
        kinds[count++] = kind;
        snprintf(shown, sizeof shown, "%s%.200s %s", count > 1 ? ", " : "",
                 integer ? function->integer : text, name);
        strcat(parameters, shown);
        snprintf(shown, sizeof shown, "%s(uintptr_t)%s", count > 1 ? ", " : "", name);
        strcat(words, shown);
        at += length + (at[length] == ',');
    }
    printf("VENDOR_FUNCTION(%d, \"%s\", %s, \"%s\", (%s), %d, (%s))\n", number, function->symbol,
           function->place, kinds, parameters, count, words);
}

int main(void)
{
    list_functions();
    for (int i = 0; i < function_count; i++)
        print_function(i);
    return 0;
}
