/* The environment's requests to the emulated cuSOLVER; read at every call, so that a test may change it. */
#include "emulated_driver/cusolver.h"

#include <stdlib.h>
#include <string.h>

/* The function's value in a list FUNCTION:VALUE[,...]; 0: none. */
static int info_in(const char *variable, const char *function)
{
    const char *text = getenv(variable);
    const size_t length = strlen(function);
    while (text && *text) {
        const size_t item = strcspn(text, ",");
        char *end;
        const char *colon = memchr(text, ':', item);
        const long value = colon ? strtol(colon + 1, &end, 10) : 0;
        if (value <= 0 || end != text + item)
            solver_abort("bad %s '%s'", variable, text);
        if ((size_t)(colon - text) == length && memcmp(text, function, length) == 0)
            return (int)value;
        text += item + (text[item] == ',');
    }
    return 0;
}

int solver_requested_info(const char *function)
{
    return info_in("EMULATED_SOLVER_INFO", function);
}

int solver_reported_info(const char *function)
{
    return info_in("EMULATED_SOLVER_REPORTED_INFO", function);
}

/* Which of the words the variable has; 0: it is not set. */
static int chosen(const char *variable, const char *const *words, int count)
{
    const char *text = getenv(variable);
    if (!text || !*text)
        return 0;
    for (int i = 0; i < count; i++)
        if (strcmp(text, words[i]) == 0)
            return i + 1;
    solver_abort("bad %s '%s'", variable, text);
}

enum determinism solver_determinism(void)
{
    static const char *const words[] = {"missing", "refused"};
    return (enum determinism)chosen("EMULATED_SOLVER_DETERMINISM", words, 2);
}

int solver_tell_workspace(int64_t *size, int64_t limit)
{
    static const char *const words[] = {"negative", "fail", "huge"};
    const int choice = chosen("EMULATED_SOLVER_WORKSPACE", words, 3);
    if (choice == 2)
        return CUSOLVER_STATUS_INTERNAL_ERROR;
    if (choice == 1)
        *size = -8;
    else if (choice == 3)
        *size = limit;
    else if (*size > limit)
        return CUSOLVER_STATUS_INVALID_VALUE;
    return CUSOLVER_STATUS_SUCCESS;
}

double solver_sigma_error(void)
{
    const char *text = getenv("EMULATED_SOLVER_SIGMA_ERROR");
    return text && *text ? strtod(text, NULL) : 0;
}

bool solver_swaps_values(void)
{
    static const char *const words[] = {"swapped"};
    return chosen("EMULATED_SOLVER_VALUES", words, 1);
}
