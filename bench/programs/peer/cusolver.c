/* cusolver.c - the peer that programs would have to be rewritten for: cuSOLVER.
 *
 *   cusolver PROGRAM [N [REPETITIONS]]
 *
 * solves the problem of a program (list below) from host memory to host memory, prints the same line and is
 * checked in the same way. Its operands lie in pinned memory, which and device memory and workspace are kept
 * for all repetitions (peer.h). The first one's time includes the CUDA context, the handle and all that
 * memory. dsyev is answered by Xsyevd, dgesdd by Xgesvdp, dsyevr by Xsyevdx, zhegvx by Zhegvdx, dgels by
 * DDgels. dsytrf and dgeevx have no program: they tell what cuSOLVER leaves in A (forms.c). Exit status: as the
 * programs', 3 without usable libraries and device, 4 where the library lacks the routine. */
#include "peer.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *program;
    void (*solve)(struct run *run);
} problems[] = {
    {"dsytrd", peer_dsytrd}, {"dsyevd", peer_dsyevd}, {"dsyev", peer_dsyevd},  {"dsyevr", peer_dsyevr},
    {"zheevd", peer_zheevd}, {"dsygvd", peer_dsygvd}, {"zhegvx", peer_zhegvx}, {"dgeev", peer_dgeev},
    {"dpotrf", peer_dpotrf}, {"dgetrf", peer_dgetrf}, {"dgesv", peer_dgesv},   {"dgeqrf", peer_dgeqrf},
    {"dgels", peer_dgels},   {"dgesdd", peer_dgesdd},
    {"dsytrf", peer_dsytrf}, {"dgeevx", peer_dgeevx},
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

int main(int count, char **arguments)
{
    for (size_t i = 0; count > 1 && i < PROBLEMS; i++) {
        if (strcmp(arguments[1], problems[i].program) != 0)
            continue;
        struct run run = run_begin(problems[i].program, count - 1, arguments + 1, 0);
        problems[i].solve(&run);
        return run_finish(&run);
    }
    fprintf(stderr, "usage: cusolver PROGRAM [N [REPETITIONS]], PROGRAM one of");
    for (size_t i = 0; i < PROBLEMS; i++)
        fprintf(stderr, " %s", problems[i].program);
    fprintf(stderr, "\n");
    return 2;
}
