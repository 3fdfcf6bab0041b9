/* unit_test.h - tests that share a program: UNIT_TEST(test_thing) in place of main, with its `count` and
 * `arguments`. The program is the test by whose name it is called, or the one that its first argument names. */
#ifndef MUBLAS_TESTS_UNIT_TEST_H
#define MUBLAS_TESTS_UNIT_TEST_H

#include <stddef.h>

struct unit_test {
    const char *name;
    int (*run)(int count, char **arguments);
    struct unit_test *next;
};

/* Constructors call it, before main. */
void unit_test_add(struct unit_test *test);

#define UNIT_TEST(test) UNIT_TEST_NAMED(test) /* expands the name */
#define UNIT_TEST_NAMED(test)                                                                                    \
    static int run_##test(int count, char **arguments);                                                         \
    __attribute__((constructor)) static void add_##test(void)                                                   \
    {                                                                                                            \
        static struct unit_test entry = {#test, run_##test, NULL};                                              \
        unit_test_add(&entry);                                                                                   \
    }                                                                                                            \
    static int run_##test(__attribute__((unused)) int count, __attribute__((unused)) char **arguments)

#endif
