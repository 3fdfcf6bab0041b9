#include "interpose/lapack/host_run.h"

/* Fortran compilers append a length for each string. */
enum { HIDDEN_MAX = 4 };

struct run {
    enum host_run_kind kind;
    const void *frame; /* deeper frames are inside */
    const struct run *outer;
};
static __thread const struct run *innermost __attribute__((tls_model("initial-exec")));

void host_run_words(const struct lapack_call *call, uint64_t words[LAPACK_WORDS_MAX])
{
    for (int i = 0; i < LAPACK_WORDS_MAX; i++)
        words[i] = i < call->routine->words + HIDDEN_MAX ? frame_word(call->frame, i + 1) : 0;
}

/* More arguments than a routine takes do not matter to it: callers clean the stack. */
void host_run_with(host_function *host, const uint64_t w[LAPACK_WORDS_MAX])
{
    typedef void routine(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                         uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                         uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                         uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
    ((routine *)host)(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13],
                      w[14], w[15], w[16], w[17], w[18], w[19], w[20], w[21], w[22], w[23], w[24], w[25],
                      w[26], w[27], w[28], w[29], w[30], w[31]);
}

void host_run(const struct lapack_call *call, enum host_run_kind kind)
{
    uint64_t words[LAPACK_WORDS_MAX];
    const enum host_run_kind here = host_run_kind_here();
    const struct run run = {kind > here ? kind : here, __builtin_frame_address(0), innermost};
    host_run_words(call, words);
    innermost = &run;
    host_run_with(call->host, words);
    innermost = run.outer;
}

/* Of a run that was left by longjmp the frame, and so the record, may be another function's by now: not
 * read. */
enum host_run_kind host_run_kind_here(void)
{
    const char *const here = __builtin_frame_address(0);
    while (innermost && (const char *)innermost < here)
        innermost = NULL;
    return innermost ? innermost->kind : HOST_RUN_PLAIN;
}
