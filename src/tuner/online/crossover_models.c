/* The machine's model in other circumstances: a device that others use too, a service, an estimate (crossover.h). */
#include "mirror/ledger/account.h"
#include "tuner/online/crossover.h"

#include <math.h>

void crossover_share(struct machine_model *model, double sharing)
{
    double *const rates[] = {&model->device_bandwidth, &model->link_bandwidth, &model->staged_bandwidth,
                             &model->vector_bandwidth};
    double *const times[] = {&model->call_us,        &model->third_operand_us, &model->update_us,
                             &model->wake_us,        &model->level3_wake_us,   &model->level3_first_us,
                             &model->solver_wake_us, &model->sharing};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        *rates[i] /= sharing;
    for (int type = 0; type < TYPE_COUNT; type++)
        model->device_flops[type] /= sharing;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        *times[i] *= sharing;
}

/* Through a service (bench/service.sh): a connection with what the first call of a process makes; cuBLAS and
 * cuSOLVER are there with it, at a price above 0 since parts of it are counted. Copies by a thread, and by eight.
 * Clients' kernels run side by side: sixteen calls at once took twice as long as one under NVIDIA's MPS (dgemm of
 * order 300 on an H100: 470 us, 231). They share the link, both ways: sixteen bound ranks at once send and fetch
 * 2.2 MB each in 0.46 to 0.58 ms on an H200 (bench/service.sh), of which 0.11 are the call's own. */
static const double served_wake_us = 5e3, served_opening_us = 1;
static const double served_copy = 8.5e9, served_copies = 27e9;
static const double clients_side_by_side = 8, link_of_all = 70e9;

void crossover_serve(struct machine_model *model, int clients)
{
    const double link = clients > 1 ? link_of_all / clients : RESULT_PINNED_BANDWIDTH;
    crossover_share(model, fmax(1, clients / clients_side_by_side));
    model->is_served = true;
    model->staged_bandwidth = fmin(served_copy, link);
    model->link_bandwidth = fmin(fmin(served_copies, model->packers * served_copy), link);
    model->pin_us_per_byte = 0;
    model->wake_us = served_wake_us;
    model->level3_wake_us = model->level3_first_us = model->solver_wake_us = served_opening_us;
}

/* On an H100 most calls take longer than the built-in figures say, by what a call and its matrices cost
 * whatever their size; large products are faster. With these figures 90 of 100 calls that pay, or nearly so,
 * take 0.87 to 1.27 times what is foretold (bench/foretold with h100-crossovers/calls.csv). The way up of a
 * matrix that the program has just written follows from dgemm of order 2048 in h200-short.csv. */
void crossover_foretell_calls(struct machine_model *model)
{
    const double more_call_us = 5, more_third_operand_us = 12, more_update_us = 15, rate = 1.6;
    const double staged_bandwidth = 10e9;
    model->call_us += model->sharing * more_call_us;
    model->third_operand_us += model->sharing * more_third_operand_us;
    model->update_us += model->sharing * more_update_us;
    model->staged_bandwidth = staged_bandwidth / model->sharing;
    for (int type = 0; type < TYPE_COUNT; type++)
        model->device_flops[type] *= rate;
}
