#include "interpose/call_offer.h"

#include "mirror/host_memory/operand_memory.h"

struct device_offer call_offer(const void *context, const struct device_use *use)
{
    const struct program_call *call = context;
    struct device_offer offer = {.is_usable = true,
                                 .fits = operands_fit(use->mirrors, call->operands, call->operand_count)};
    uint64_t missing_bytes = 0;
    struct predicted_times times = crossover_times(device_use_model(use), &call->blas);
    for (int i = 0; i < call->operand_count; i++) {
        const uint64_t bytes = operand_memory_bytes(&call->operands[i]);
        const bool is_resident = operands_are_resident(use->mirrors, &call->operands[i]);
        offer.resident_bytes += is_resident ? bytes : 0;
        missing_bytes += is_resident || call->operands[i].access == OPERAND_OVERWRITE ? 0 : bytes;
    }
    crossover_place(device_use_model(use), &call->blas, missing_bytes, true, &times);
    offer.work_us = times.resident_us + times.upload_us;
    return offer;
}
