/* Like libblastrampoline: has the names of BLAS and LAPACK itself, and passes calls on to the library that
 * lbt_forward was given. A BLAS behind it that takes it for a host gets its calls back. */
#define _GNU_SOURCE
#include <dlfcn.h>

#define FOR_EACH_NAME(DO) DO(isamax_) DO(zdotc_) DO(dgemm_) DO(dsyevd_) DO(ilaver_)

#define DEFINE(name)                                                                                       \
    __attribute__((visibility("hidden"))) void *to_##name, *to_##name##64_;                                \
    __asm__(".pushsection .text\n"                                                                         \
            ".globl " #name "\n" #name ": jmp *to_" #name "(%rip)\n"                                       \
            ".globl " #name "64_\n" #name "64_: jmp *to_" #name "64_(%rip)\n.popsection");
FOR_EACH_NAME(DEFINE)

int lbt_forward(const char *file, int clear, int verbose, const char *suffix);

int lbt_forward(const char *file, int clear, int verbose, const char *suffix)
{
    void *const library = dlopen(file, RTLD_LAZY | RTLD_DEEPBIND);
    int count = 0;
    (void)clear, (void)verbose;
    if (!library)
        return 0;
#define FORWARD(name)                                                                                      \
    count += (*(*suffix ? &to_##name##64_ : &to_##name) = dlsym(library, *suffix ? #name "64_" : #name)) != 0;
    FOR_EACH_NAME(FORWARD)
    return count;
}
