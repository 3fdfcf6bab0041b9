/* Queries, illegal arguments, and numbers that are the host's. */
#include "host_lapack.h"
#include "stedc_run.h"
#include "stedc_sections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER = 40, ROOM = 20000 };

/* Memory for calls that must touch none of it; T is one that a route would take. */
static double scratch[2 * ROOM], vectors[2 * ORDER], matrix[2 * ORDER * ORDER];
static int integers[ROOM];

static struct lapack_call plain_call(char type, char compz, int n)
{
    for (int i = 0; i < 2 * ORDER; i++)
        set_part(real_type(type), vectors, i, 0, 1);
    return (struct lapack_call){.routine = lapack_routine("stedc", type), .type = type, .compz = compz,
                                .n = n, .ldz = n > 1 ? n : 1, .lwork = ROOM, .lrwork = ROOM, .liwork = ROOM,
                                .d = vectors, .e = vectors + ORDER, .z = matrix, .work = scratch,
                                .rwork = scratch + ROOM, .iwork = integers, .info = -77};
}

struct answer {
    char work[16], rwork[16];
    int iwork, info;
};

/* With operands NULL. */
static struct answer ask(struct lapack_call call, void *function)
{
    struct answer answer;
    memset(&answer, 0x5a, sizeof answer);
    call.d = call.e = call.z = NULL;
    call.work = answer.work, call.rwork = answer.rwork, call.iwork = &answer.iwork;
    lapack_perform(&call, function);
    answer.info = call.info;
    return answer;
}

bool stedc_query(char type)
{
    static const int orders[] = {0, 1, 2, 25, 26, 300, 5000};
    int wrong = 0;
    char name[16];
    lapack_name(lapack_routine("stedc", type), type, name);
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        for (int which = 1; which < 8; which++) /* of LWORK, LRWORK, LIWORK those that are -1 */
            for (const char *compz = "NIV"; *compz; compz++) {
                struct lapack_call call = plain_call(type, *compz, orders[i]);
                call.lwork = which & 1 ? -1 : ROOM;
                call.lrwork = which & 2 ? -1 : ROOM;
                call.liwork = which & 4 ? -1 : ROOM;
                if (which == 2 && !is_complex(type))
                    continue;
                const struct answer host = ask(call, host_function(name)),
                                    ours = ask(call, lapack_linked(call.routine, type));
                wrong += memcmp(&host, &ours, sizeof host) != 0 || host.info != 0;
            }
    return wrong == 0;
}

static bool is_refused(struct lapack_call call, const char *parameter)
{
    char name[16];
    int blamed;
    lapack_complaints(name, &blamed);
    lapack_perform(&call, lapack_linked(call.routine, call.type));
    const int times = lapack_complaints(name, &blamed), position = lapack_position(call.routine, parameter);
    const bool right = times == 1 && blamed == position && call.info == -position;
    if (!right)
        printf("# %cstedc %c: illegal %s: info %d, %d calls of xerbla, the last with %d\n", call.type,
               call.compz, parameter, call.info, times, blamed);
    return right;
}

bool stedc_refuse(char type)
{
    int wrong = 0;
    for (const char *compz = "IV"; *compz; compz++) {
        const struct lapack_call plain = plain_call(type, *compz, ORDER);
        const struct stedc_workspaces least = stedc_least(type, *compz, ORDER);
        struct lapack_call letter = plain, order = plain, leading = plain, work = plain, rwork = plain,
                           iwork = plain;
        letter.compz = 'X', order.n = -1, leading.ldz = ORDER - 1;
        work.lwork = least.work - 1, rwork.lrwork = least.rwork - 1, iwork.liwork = least.iwork - 1;
        wrong += !is_refused(letter, "compz") + !is_refused(order, "n") + !is_refused(leading, "ldz") +
                 !is_refused(work, "lwork") + !is_refused(iwork, "liwork");
        wrong += is_complex(type) && !is_refused(rwork, "lrwork");
    }
    return wrong == 0;
}

/* One element of D (0), E or Z is `value`; the others are times `scale`. */
static bool number_is_right(char type, char compz, int operand, double value, double scale,
                            struct random *random)
{
    struct stedc_run run;
    double d[ORDER], e[ORDER];
    for (int i = 0; i < ORDER; i++) {
        set_part(real_type(type), d, i, 0, scale * random_value(random));
        set_part(real_type(type), e, i, 0, scale * random_value(random));
    }
    stedc_run_make(&run, type, compz, ORDER, d, e, true, 0, 0, random);
    const struct fenced *const operands[] = {&run.d, &run.e, &run.z};
    if (operand >= 0)
        stedc_run_set(operands[operand], ORDER / 2, value);
    stedc_run_perform(&run);
    const char *fault = stedc_run_fault(&run);
    if (!fault && operand < 0)
        fault = stedc_run_result_fault(&run);
    else if (!fault && run.call.info == 0 && !fenced_agrees(&run.d, INFINITY))
        fault = "D is NaN elsewhere than the host's";
    if (fault)
        printf("# %cstedc %c with %g in operand %d, times %g: %s (info %d, host %d)\n", type, compz, value,
               operand, scale, fault, run.call.info, run.host.info);
    stedc_run_free(&run);
    return !fault;
}

bool stedc_numbers(char type, struct random *random)
{
    static const double values[] = {NAN, INFINITY, -INFINITY};
    const double large = is_single(type) ? 1e30 : 1e200, little = is_single(type) ? 1e-30 : 1e-200;
    int wrong = 0;
    for (const char *compz = "IV"; *compz; compz++) {
        for (int i = 0; i < 3; i++)
            for (int operand = 0; operand < (*compz == 'V' ? 3 : 2); operand++)
                wrong += !number_is_right(type, *compz, operand, values[i], 1, random);
        wrong += !number_is_right(type, *compz, -1, 0, large, random) +
                 !number_is_right(type, *compz, -1, 0, little, random);
    }
    return wrong == 0;
}
