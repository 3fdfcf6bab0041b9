/* A candidate of test_vendor_library.c: CREATION is the status of its creation; POOR: it has nothing else. */
int vendor_create(void);
int vendor_work(void);

int vendor_create(void)
{
    return CREATION;
}

#ifndef POOR
int vendor_work(void)
{
    return 42;
}
#endif
