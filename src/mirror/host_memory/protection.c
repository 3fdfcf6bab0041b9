#include "mirror/host_memory/protection.h"

#include "mirror/host_memory/maps_file.h"
#include "mirror/host_memory/operand_memory.h"

/* One mapping. */
struct area {
    uintptr_t begin, end;
};

/* As the operand's use of it: what cannot be told is allowed. */
static bool allows(uintptr_t address, const struct operand *operand, struct area *area)
{
    struct mapping_query request = {.size = sizeof request, .query_address = address};
    const enum maps_answer answer = maps_file_ask(&request);
    if (answer != MAPS_FOUND) {
        *area = (struct area){0, UINTPTR_MAX};
        return answer == MAPS_UNKNOWN;
    }
    *area = (struct area){(uintptr_t)request.start, (uintptr_t)request.end};
    return (request.flags & MAPPING_READABLE || operand->access == OPERAND_OVERWRITE) &&
           (request.flags & MAPPING_WRITABLE || operand->access == OPERAND_READ);
}

/* Mappings without elements, which guard others, are not asked for. */
static bool runs_are_allowed(const struct operand *operand, struct area area)
{
    struct operand_runs runs = operand_runs_start(operand);
    struct byte_range run;
    while (operand_runs_next(&runs, &run))
        for (uintptr_t at = run.begin; at < run.end; at = area.end)
            if ((at < area.begin || at >= area.end) && !allows(at, operand, &area))
                return false;
    return true;
}

bool protection_allows(const struct operand *operand)
{
    const struct byte_range hull = operand_memory_hull(operand);
    struct area area;
    return operand_memory_is_empty(operand) || (allows(hull.begin, operand, &area) &&
                                           (hull.end <= area.end || runs_are_allowed(operand, area)));
}

bool protection_allows_all(const struct operand *operands, int count)
{
    bool allowed = true;
    for (int i = 0; i < count && allowed; i++)
        allowed = protection_allows(&operands[i]);
    return allowed;
}
