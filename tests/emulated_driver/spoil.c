/* Wrong results of the emulated libraries, as the environment asks for them; read at every call. */
#include "emulated_driver/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Is FUNCTION:OPERAND in the list? */
static bool is_asked_for(const char *list, const char *function, const char *operand)
{
    const size_t function_length = strlen(function), operand_length = strlen(operand);
    while (list && *list) {
        const size_t item = strcspn(list, ",");
        if (item == function_length + 1 + operand_length && memcmp(list, function, function_length) == 0 &&
            list[function_length] == ':' && memcmp(list + function_length + 1, operand, operand_length) == 0)
            return true;
        list += item + (list[item] == ',');
    }
    return false;
}

EXPORT void emulated_spoil(const char *function, const char *operand, int64_t rows, void *element,
                           bool is_single)
{
    const double units = 1 << 20;
    if (rows < 16 || !is_asked_for(getenv("EMULATED_WRONG"), function, operand))
        return;
    if (is_single)
        *(float *)element += (float)(units * 0x1p-23) * (1 + fabsf(*(float *)element));
    else
        *(double *)element += units * 0x1p-52 * (1 + fabs(*(double *)element));
}
