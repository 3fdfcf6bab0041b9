/* Links the driver. */
int cuInit(unsigned flags);
int driver_user(void);

int driver_user(void)
{
    return cuInit(0);
}
