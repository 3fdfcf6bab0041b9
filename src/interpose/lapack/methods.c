#include "interpose/lapack/call.h"
#include "interpose/entries/pack.h"

#include <pthread.h>

enum { ANSWER_BYTES = 16, ARGUMENTS_MAX = 5, SIZES = 4, WORKSPACES = 3, KEPT = 32 };

/* The numbers of a workspace's arguments, 0: there is none; and whether the first element tells a size. */
struct workspace {
    int array, length;
    bool tells;
};

static struct workspace workspace_of(const struct lapack_call *call, int number)
{
    const struct lapack_places *const places = &call->routine->places;
    const struct workspace workspaces[WORKSPACES] = {
        {places->work, places->lwork, places->lwork},
        {places->rwork, places->lrwork, places->lrwork || places->writes_rwork},
        {places->iwork, places->liwork, places->liwork || places->writes_iwork}};
    return workspaces[number];
}

bool workspace_is_asked(const struct lapack_call *call)
{
    for (int i = 0; i < WORKSPACES; i++)
        if (workspace_of(call, i).length && lapack_integer(call, workspace_of(call, i).length) == -1)
            return true;
    return false;
}

/* The arguments before the order, whose first bytes tell one from another, the order, and all sizes; not
 * addresses or leading dimensions. */
struct question {
    host_function *host;
    enum symbol symbol;
    int64_t arguments[ARGUMENTS_MAX], sizes[SIZES];
};

struct answer {
    struct question question;
    bool is_answered; /* the host's INFO was 0 */
    unsigned char first[WORKSPACES][ANSWER_BYTES];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct answer kept[KEPT];
static unsigned next_kept;

static struct question question_of(const struct lapack_call *call)
{
    const struct lapack_places *const places = &call->routine->places;
    const int sizes[SIZES] = {places->m, places->n, places->k, places->nrhs};
    struct question question;
    memset(&question, 0, sizeof question); /* compared as bytes */
    question.host = call->host;
    question.symbol = call->symbol;
    for (int i = 0; i < ARGUMENTS_MAX && i < call->routine->order; i++)
        question.arguments[i] =
            i + 1 == call->routine->order ? lapack_integer(call, i + 1) : lapack_letter(call, i + 1);
    for (int i = 0; i < SIZES; i++)
        question.sizes[i] = sizes[i] ? lapack_integer(call, sizes[i]) : 0;
    return question;
}

static bool find_answer(const struct question *question, struct answer *answer)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < KEPT && !found; i++)
        if (memcmp(&kept[i].question, question, sizeof *question) == 0) {
            *answer = kept[i];
            found = true;
        }
    pthread_mutex_unlock(&lock);
    return found;
}

static void keep_answer(const struct answer *answer)
{
    pthread_mutex_lock(&lock);
    kept[next_kept++ % KEPT] = *answer;
    pthread_mutex_unlock(&lock);
}

static void ask_host(const struct lapack_call *call, struct answer *answer)
{
    static const int64_t minus_one = -1;
    uint64_t words[LAPACK_WORDS_MAX];
    int64_t info = 0;
    /* Nothing else is referenced but what must be legal: flags, sizes, leading dimensions. */
    double unused[WORKSPACES][2];
    host_run_words(call, words);
    for (int i = 0; i < WORKSPACES; i++) {
        const struct workspace workspace = workspace_of(call, i);
        if (workspace.array)
            words[workspace.array - 1] =
                (uint64_t)(uintptr_t)(workspace.tells ? (void *)answer->first[i] : unused[i]);
        if (workspace.length)
            words[workspace.length - 1] = (uint64_t)(uintptr_t)&minus_one;
    }
    words[call->routine->places.info - 1] = (uint64_t)(uintptr_t)&info;
    host_run_with(call->host, words);
    answer->is_answered = info == 0;
}

static size_t element_bytes(const struct lapack_call *call, int number)
{
    const enum blas_type type = call->routine->type;
    const size_t bytes[WORKSPACES] = {blas_element_bytes(type), blas_is_single(type) ? 4 : 8,
                                                 (size_t)call->width / 8};
    return bytes[number];
}

void workspace_answers_write(const struct lapack_call *call)
{
    struct answer answer;
    memset(&answer, 0, sizeof answer);
    const struct question question = question_of(call);
    if (!find_answer(&question, &answer)) {
        answer.question = question;
        ask_host(call, &answer);
        keep_answer(&answer);
    }
    for (int i = 0; answer.is_answered && i < WORKSPACES; i++)
        if (workspace_of(call, i).tells)
            memcpy(lapack_address(call, workspace_of(call, i).array), answer.first[i], element_bytes(call, i));
}

bool lapack_read_matrix(const struct lapack_call *call, int number, int ld_number, int64_t ld_least,
                        struct blas_matrix *matrix)
{
    matrix->pointer = lapack_address(call, number);
    matrix->ld = lapack_integer(call, ld_number);
    return matrix->ld >= ld_least && matrix->pointer;
}

bool lapack_operands_meet(const struct lapack_call *call, const struct blas_matrix *const *matrices,
                          int matrix_count, const struct lapack_array *arrays, int array_count)
{
    struct operand_extents operands = {.count = 0};
    for (int i = 0; i < matrix_count; i++)
        if (matrices[i] && matrices[i]->pointer)
            operand_extents_add_matrix(&operands, matrices[i], blas_element_bytes(call->routine->type));
    for (int i = 0; i < array_count; i++)
        if (arrays[i].number)
            operand_extents_add_array(&operands, lapack_address(call, arrays[i].number), arrays[i].length,
                                      arrays[i].element_bytes);
    return operand_extents_meet(&operands);
}
