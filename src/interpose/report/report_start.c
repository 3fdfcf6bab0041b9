#include "interpose/report/report_start.h"

#include <limits.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[PATH_MAX];
static long faults_of_children;

/* No program runs without page faults. */
static long children_faults(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_CHILDREN, &usage) == 0 ? usage.ru_minflt + usage.ru_majflt : 0;
}

void report_start_note(void)
{
    faults_of_children = children_faults();
    if (!getcwd(folder, sizeof folder))
        folder[0] = '\0';
}

const char *report_start_folder(void)
{
    return folder[0] ? folder : NULL;
}

bool report_start_others_since(void)
{
    return children_faults() > faults_of_children;
}

bool report_start_others_left(void)
{
    siginfo_t child;
    return waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) == 0;
}
