/* Names of all kinds, for test_object_symbols. */
int plain_name(void);
int weak_name(void);
int hidden_name(void);
int old_implementation(void);
int call_wanted(void);
extern int wanted_name(void) __attribute__((weak));

int plain_name(void)
{
    return 1;
}

__attribute__((weak)) int weak_name(void)
{
    return 2;
}

__attribute__((visibility("hidden"))) int hidden_name(void)
{
    return 3;
}

static int static_name(void)
{
    return 4;
}

__asm__(".symver old_implementation, old_name@OLD");
int old_implementation(void)
{
    return static_name();
}

int call_wanted(void)
{
    return wanted_name ? wanted_name() + hidden_name() : 0;
}
