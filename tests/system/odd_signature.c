/* Calls a routine that only fake_blas has, with more arguments of both kinds than
 * there are registers, through whatever the process finds under its name: three
 * times, through resolver and stub. With an argument: calls that routine instead. */
#include <dlfcn.h>
#include <stdio.h>

typedef double odd_function(int, double, long, double, int, double, long, double, int, double, long, double,
                            int, double, long, double, int, double);

int main(int count, char **arguments)
{
    const char *name = count > 1 ? arguments[1] : "drotmg_";
    odd_function *odd = (odd_function *)dlsym(RTLD_DEFAULT, name);
    int good = 0;
    if (!odd) {
        fprintf(stderr, "no %s in this process\n", name);
        return 2;
    }
    for (int i = 0; i < 3; i++) {
        double sum = odd(2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61);
        good += sum == 2 + 2 * 3 + 3 * 5 + 5 * 7 + 7 * 11 + 11 * 13 + 13 * 17 + 17 * 19 + 19 * 23 + 23 * 29 +
                           29 * 31 + 31 * 37 + 37 * 41 + 41 * 43 + 43 * 47 + 47 * 53 + 53 * 59 + 59 * 61;
    }
    printf("%d of 3 calls right\n", good);
    return good != 3;
}
