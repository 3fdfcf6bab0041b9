#include "factor_run.h"
#include "host_answer.h"
#include "host_lapack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void factor_begin(struct factor_run *run, const char *routine, char type)
{
    const int gap = run->gap;
    *run = (struct factor_run){.gap = gap};
    run->call = (struct lapack_call){.routine = lapack_routine(routine, type), .type = type, .info = -77};
    if (!run->call.routine)
        abort();
}

int factor_operand(const struct factor_run *run, struct fenced *operand, const double *matrix, int rows,
                   int columns, char part, char written)
{
    const int ld = (rows > 1 ? rows : 1) + run->gap;
    fenced_make(operand, run->call.type, rows, columns, ld);
    if (matrix)
        fenced_fill(operand, part, matrix);
    fenced_close(operand, written, columns);
    return ld;
}

int factor_triangle(const struct factor_run *run, struct fenced *operand, const double *matrix, int n, char part,
                    char written)
{
    if (lapack_position(run->call.routine, "lda"))
        return factor_operand(run, operand, matrix, n, n, part, written);
    const int elements = n * (n + 1) / 2;
    fenced_make(operand, run->call.type, elements, n > 0, elements);
    fenced_fill_packed(operand, part, n, matrix);
    fenced_close(operand, written == 'N' ? 'N' : 'F', 1);
    return 0;
}

void factor_vector(struct fenced *operand, char type, const void *values, int elements, char written)
{
    fenced_make(operand, type, 1, elements, 1);
    if (values)
        fenced_fill(operand, 'F', values);
    fenced_close(operand, written, elements);
}

static void set_memory(struct lapack_call *call, const struct factor_run *run, bool host)
{
    call->a = fenced_data(&run->a, host), call->b = fenced_data(&run->b, host),
    call->c = fenced_data(&run->c, host);
    call->d = fenced_data(&run->d, host), call->e = fenced_data(&run->e, host),
    call->s = fenced_data(&run->s, host);
    call->tau = fenced_data(&run->tau, host), call->u = fenced_data(&run->u, host);
    call->vt = fenced_data(&run->vt, host), call->w = fenced_data(&run->w, host);
    call->wi = fenced_data(&run->wi, host), call->left = fenced_data(&run->left, host);
    call->right = fenced_data(&run->right, host), call->ipiv = fenced_data(&run->ipiv, host);
    call->work = fenced_data(&run->work, host), call->rwork = fenced_data(&run->rwork, host);
    call->iwork = fenced_data(&run->iwork, host);
}

/* In memory of its own: the call has to tell sizes itself. */
static int query(struct lapack_call call, void *function)
{
    double work[2] = {0}, rwork[2] = {0};
    int iwork[2] = {0};
    call.lwork = -1, call.work = work, call.rwork = rwork, call.iwork = iwork;
    lapack_perform(&call, function);
    const int answer = (int)real_at(call.type, work, 0);
    return answer > 1 ? answer : 1;
}

/* A workspace that is an element too small is refused, or none at all, and nothing is touched. The least for
 * an empty matrix differs between releases of LAPACK. */
static bool small_work_is_refused(struct lapack_call call, int least)
{
    const int position = lapack_position(call.routine, "lwork");
    const bool is_empty = call.n == 0 || (call.m == 0 && lapack_position(call.routine, "m"));
    char name[16];
    int info;
    call.lwork = least > 0 && !is_empty ? least - 1 : 0;
    lapack_complaints(name, &info);
    lapack_perform(&call, lapack_linked(call.routine, call.type));
    return lapack_complaints(name, &info) == 1 && info == position && call.info == -position;
}

void factor_perform(struct factor_run *run)
{
    char name[16];
    lapack_name(run->call.routine, run->call.type, name);
    set_memory(&run->call, run, true);
    if (lapack_position(run->call.routine, "lwork")) {
        run->asked = query(run->call, host_function(name));
        run->call.lwork = run->least_work > 0 ? run->least_work : run->asked;
        factor_vector(&run->work, run->call.type, NULL, run->call.lwork, 'F');
    }
    run->host = run->call;
    set_memory(&run->call, run, false);
    set_memory(&run->host, run, true);
    if (run->asked) {
        run->answered = query(run->call, lapack_linked(run->call.routine, run->call.type));
        run->refuses = small_work_is_refused(run->call, run->least_work);
    }
    lapack_perform(&run->host, host_function(name));
    lapack_perform(&run->call, lapack_linked(run->call.routine, run->call.type));
}

const char *factor_fault(const struct factor_run *run, double tolerance)
{
    const struct {
        const struct fenced *operand;
        const char *written, *differs;
    } operands[] = {
        {&run->a, "A is written where it must not be", "A differs"},
        {&run->b, "B is written where it must not be", "B differs"},
        {&run->c, "C is written where it must not be", "C differs"},
        {&run->d, "D is written outside", "D differs"},
        {&run->e, "E is written outside", "E differs"},
        {&run->s, "S is written outside", "S differs"},
        {&run->tau, "TAU is written outside", "TAU differs"},
        {&run->u, "U is written outside", "U differs"},
        {&run->vt, "VT is written outside", "VT differs"},
        {&run->w, "W is written outside", "W differs"},
        {&run->wi, "WI is written outside", "WI differs"},
        {&run->left, "VL is written outside", "VL differs"},
        {&run->right, "VR is written outside", "VR differs"},
    };
    if (run->call.info != run->host.info)
        return "INFO is not the host's";
    if (run->answered != run->asked)
        return "a query's answer is not the host's";
    if (run->asked && !run->refuses)
        return "a workspace that is too small is not refused";
    for (size_t i = 0; i < sizeof operands / sizeof *operands; i++) {
        if (!fenced_is_clean(operands[i].operand))
            return operands[i].written;
        if (tolerance >= 0 && !fenced_agrees(operands[i].operand, tolerance))
            return operands[i].differs;
    }
    if (!fenced_is_clean(&run->work) || !fenced_is_clean(&run->rwork) || !fenced_is_clean(&run->iwork))
        return "a workspace is overrun";
    const size_t pivots = (size_t)run->ipiv.memory.columns * sizeof(int);
    if (run->call.ipiv && memcmp(run->call.ipiv, run->host.ipiv, pivots) != 0)
        return "IPIV differs";
    if (run->call.lwork > 0 && !host_answer_is(&run->call, &run->host))
        return "WORK(1) is neither what the host leaves nor what it answers";
    return NULL;
}

enum { ROUTINES_MAX = 128 };
static struct tally {
    char name[16];
    int calls;
} tallies[ROUTINES_MAX];

static void count_for_device(const struct lapack_call *call)
{
    char name[16];
    struct tally *tally = tallies;
    lapack_name(call->routine, call->type, name);
    while (tally->calls && strcmp(tally->name, name) != 0)
        tally++;
    memcpy(tally->name, name, sizeof name);
    tally->calls++;
}

void factor_tell_calls(void)
{
    for (const struct tally *tally = tallies; tally->calls; tally++)
        printf("# device %s %d\n", tally->name, tally->calls);
}

void factor_end(struct factor_run *run)
{
    const bool has_rows = run->call.m > 1 || !lapack_position(run->call.routine, "m");
    if (run->call.info == 0 && run->call.n > 1 && has_rows && !run->for_host)
        count_for_device(&run->call);
    struct fenced *const operands[] = {
        &run->a, &run->b,  &run->c,    &run->d,     &run->e,    &run->s,    &run->tau,   &run->u,    &run->vt,
        &run->w, &run->wi, &run->left, &run->right, &run->ipiv, &run->work, &run->rwork, &run->iwork};
    for (size_t i = 0; i < sizeof operands / sizeof *operands; i++)
        fenced_free(operands[i]);
}

void factor_host(struct lapack_call *call, const char *routine)
{
    char name[16];
    call->routine = lapack_routine(routine, call->type);
    lapack_name(call->routine, call->type, name);
    call->lwork = lapack_position(call->routine, "lwork") ? query(*call, host_function(name)) : 0;
    call->work = dense_make(call->type, call->lwork, 1);
    lapack_perform(call, host_function(name));
    free(call->work);
    call->work = NULL;
}

const char *factor_words(const struct factor_run *run)
{
    static char words[200];
    const struct lapack_call *call = &run->call;
    const char flags[] = {call->jobz, call->uplo,  call->side,  call->trans, call->diag,
                          call->jobu, call->jobvt, call->jobvl, call->jobvr, call->vect, call->balanc,
                          call->sense};
    char name[16];
    int length;
    lapack_name(call->routine, call->type, name);
    length = snprintf(words, sizeof words, "%s", name);
    for (size_t i = 0; i < sizeof flags; i++)
        if (flags[i])
            length += snprintf(words + length, sizeof words - (size_t)length, " %c", flags[i]);
    snprintf(words + length, sizeof words - (size_t)length,
             " itype %d m %d n %d k %d nrhs %d gap %d, info %d, host %d", call->itype, call->m, call->n,
             call->k, call->nrhs, run->gap, call->info, run->host.info);
    return words;
}
