/* Queries and illegal arguments. */
#include "eigen_run.h"
#include "eigen_sections.h"
#include "host_lapack.h"

#include <stdio.h>
#include <ctype.h>
#include <string.h>

enum { ORDER = 40, GENEROUS = 8000 };

/* Memory for calls that touch none of it. A route would take the operands. */
static double scratch[2 * GENEROUS], operands[4][2 * ORDER * ORDER];
static int numbers[GENEROUS];

static struct lapack_call plain_call(const struct lapack_routine *routine, char type)
{
    return (struct lapack_call){.routine = routine,
                                .type = type,
                                .jobz = 'V',
                                .range = 'A',
                                .uplo = 'L',
                                .itype = 1,
                                .n = ORDER,
                                .lda = ORDER,
                                .ldb = ORDER,
                                .ldz = ORDER,
                                .vl = lapack_real_of(type, -1),
                                .vu = lapack_real_of(type, 1),
                                .abstol = lapack_real_of(type, 0),
                                .il = 1,
                                .iu = 2,
                                .lwork = GENEROUS,
                                .lrwork = GENEROUS,
                                .liwork = GENEROUS,
                                .info = -77,
                                .work = scratch,
                                .rwork = scratch + GENEROUS,
                                .iwork = numbers};
}

/* Bits of the first elements of the three workspaces, before and after a query with operands NULL. */
struct answer {
    char work[16], rwork[16];
    int iwork, info;
};

static struct answer ask(struct lapack_call call, void *function)
{
    struct answer answer;
    memset(&answer, 0x5a, sizeof answer);
    call.work = answer.work, call.rwork = answer.rwork, call.iwork = &answer.iwork;
    lapack_perform(&call, function);
    answer.info = call.info;
    return answer;
}

void eigen_query(const struct lapack_routine *routine, char type)
{
    static const int orders[] = {0, 1, 2, 31, 64, 300, 5000};
    int queries = 0, wrong = 0;
    char name[16];
    lapack_name(routine, type, name);
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        for (int which = 1; which < 8; which++) /* of LWORK, LRWORK, LIWORK those that are -1 */
            for (int flags = 0; flags < 4; flags++) {
                if ((which & 2 && !has(routine, "lrwork")) || (which & 4 && !has(routine, "liwork")))
                    continue;
                struct lapack_call call = plain_call(routine, type);
                const int order = orders[i];
                call.n = order;
                call.lda = call.ldb = call.ldz = order > 1 ? order : 1;
                call.lwork = which & 1 ? -1 : 60 * (order + 1) + 2 * order * order;
                call.lrwork = which & 2 ? -1 : 60 * (order + 1) + 2 * order * order;
                call.liwork = which & 4 ? -1 : 60 * (order + 1);
                call.jobz = "NV"[flags / 2], call.uplo = "UL"[flags % 2];
                const struct answer host = ask(call, host_function(name));
                const struct answer ours = ask(call, lapack_linked(routine, type));
                queries++;
                wrong += memcmp(&host, &ours, sizeof host) != 0 || host.info != 0;
            }
    eigen_line(name, wrong, queries, "workspace queries wrong");
}

/* An illegal value, and the parameter that is to be blamed. */
struct illegal {
    const char *parameter;
    void (*spoil)(struct lapack_call *call);
};

static void spoil_itype(struct lapack_call *call) { call->itype = 4; }
static void spoil_itype_low(struct lapack_call *call) { call->itype = 0; }
static void spoil_jobz(struct lapack_call *call) { call->jobz = 'X'; }
static void spoil_range(struct lapack_call *call) { call->range = 'X'; }
static void spoil_uplo(struct lapack_call *call) { call->uplo = 'X'; }
static void spoil_n(struct lapack_call *call) { call->n = -1; }
static void spoil_lda(struct lapack_call *call) { call->lda = ORDER - 1; }
static void spoil_ldb(struct lapack_call *call) { call->ldb = ORDER - 1; }
static void spoil_ldz(struct lapack_call *call) { call->ldz = ORDER - 1; }
static void spoil_ldz_none(struct lapack_call *call) { call->ldz = 0, call->jobz = 'N'; }
static void spoil_vu(struct lapack_call *call) { call->range = 'V', call->vu = call->vl; }
static void spoil_il(struct lapack_call *call) { call->range = 'I', call->il = 0; }
static void spoil_il_high(struct lapack_call *call) { call->range = 'I', call->il = call->iu = ORDER + 1; }
static void spoil_iu(struct lapack_call *call) { call->range = 'I', call->iu = ORDER + 1; }
static void spoil_iu_low(struct lapack_call *call) { call->range = 'I', call->il = 3, call->iu = 2; }

static struct workspace least(const struct lapack_call *call)
{
    return eigen_least_workspace(call->routine, call->type, call->jobz, call->n);
}

static void spoil_lwork(struct lapack_call *call) { call->lwork = least(call).work - 1; }
static void spoil_lwork_none(struct lapack_call *call)
{
    call->jobz = 'N', call->lwork = least(call).work - 1;
}
static void spoil_lrwork(struct lapack_call *call) { call->lrwork = least(call).rwork - 1; }
static void spoil_liwork(struct lapack_call *call) { call->liwork = least(call).iwork - 1; }
/* The first illegal one is named; a query does not excuse it. */
static void spoil_two(struct lapack_call *call) { call->n = -1, call->lda = 0, call->lwork = -1; }

static const struct illegal illegals[] = {
    {"itype", spoil_itype}, {"itype", spoil_itype_low}, {"jobz", spoil_jobz},     {"range", spoil_range},
    {"uplo", spoil_uplo},   {"n", spoil_n},             {"lda", spoil_lda},       {"ldb", spoil_ldb},
    {"ldz", spoil_ldz},     {"ldz", spoil_ldz_none},    {"vu", spoil_vu},         {"il", spoil_il},
    {"il", spoil_il_high},  {"iu", spoil_iu},           {"iu", spoil_iu_low},     {"lwork", spoil_lwork},
    {"lwork", spoil_lwork_none}, {"lrwork", spoil_lrwork}, {"liwork", spoil_liwork}, {"n", spoil_two},
};

/* spgvx compares IL with nothing but 1. */
static const char *blamed(const struct lapack_call *call, const struct illegal *illegal)
{
    return illegal->spoil == spoil_il_high && has(call->routine, "bp") ? "iu" : illegal->parameter;
}

/* A and B are the identity, in the storage that the routine takes. */
static void add_operands(struct lapack_call *call)
{
    const bool is_packed = !has(call->routine, "lda");
    memset(operands, 0, sizeof operands);
    for (int j = 0; j < ORDER; j++)
        for (int i = 0; i < 2; i++)
            set_part(call->type, operands[i], is_packed ? j * ORDER - j * (j - 1) / 2 : j * (ORDER + 1), 0, 1);
    call->a = operands[0], call->b = operands[1], call->w = operands[2], call->z = operands[3];
    call->isuppz = call->ifail = numbers + GENEROUS / 2;
}

static bool is_refused(struct lapack_call call, const char *name, const struct illegal *illegal)
{
    char complained[16], upper[16] = "";
    int times, info;
    add_operands(&call);
    illegal->spoil(&call);
    lapack_complaints(complained, &info);
    lapack_perform(&call, lapack_linked(call.routine, call.type));
    times = lapack_complaints(complained, &info);
    for (int i = 0; name[i]; i++)
        upper[i] = (char)toupper(name[i]), upper[i + 1] = 0;
    const int position = lapack_position(call.routine, blamed(&call, illegal));
    const bool right = times == 1 && info == position && call.info == -position &&
                       strcmp(complained, upper) == 0;
    if (!right)
        printf("# %s: illegal %s: info %d, %d calls of xerbla, the last for %s with %d\n", name,
               illegal->parameter, call.info, times, complained, info);
    return right;
}

void eigen_refuse(const struct lapack_routine *routine, char type)
{
    int calls = 0, wrong = 0;
    char name[16];
    lapack_name(routine, type, name);
    for (size_t i = 0; i < sizeof illegals / sizeof *illegals; i++)
        if (has(routine, illegals[i].parameter)) {
            calls++;
            wrong += !is_refused(plain_call(routine, type), name, &illegals[i]);
        }
    eigen_line(name, wrong, calls, "illegal arguments not refused as LAPACK does");
}
