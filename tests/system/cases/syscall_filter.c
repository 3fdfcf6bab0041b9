/* A worker that permits itself memory, open streams and exit only, any other system call being fatal, and
 * then computes. Right: 8, no signal. "first": a call comes before the filter, too. syscall_filter [first] */
#include "case.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char **arguments)
{
    enum { N = 8 };
    static const unsigned permitted[] = {SYS_read,  SYS_write,      SYS_mmap,         SYS_munmap,
                                         SYS_brk,   SYS_mprotect,   SYS_mremap,       SYS_madvise,
                                         SYS_exit,  SYS_exit_group, SYS_futex,        SYS_newfstatat,
                                         SYS_fstat, SYS_getrandom,  SYS_rt_sigreturn, SYS_clock_gettime};
    enum { PERMITTED = sizeof permitted / sizeof *permitted };
    static double a[N * N];
    struct sock_filter filter[PERMITTED + 3];
    struct sock_fprog program = {PERMITTED + 3, filter};
    (void)arguments;
    for (int i = 0; i < N * N; i++)
        a[i] = 1;
    if (count > 1)
        first_row_sum(a, N, N, N);
    filter[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < PERMITTED; i++)
        filter[i + 1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, permitted[i],
                                                     (unsigned char)(PERMITTED - i), 0);
    filter[PERMITTED + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    filter[PERMITTED + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return perror("seccomp"), 2;
    const int bad = verdict("sum", first_row_sum(a, N, N, N), N);
    fflush(stdout);
    _exit(bad);
}
