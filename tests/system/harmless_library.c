/* A library to be loaded under another name. */
int harmless_library(void);

int harmless_library(void)
{
    return 0;
}
