/* A preloaded library whose constructor leaves no key of thread-specific data for which a thread has room at
 * hand. */
#include <pthread.h>

__attribute__((constructor)) static void take_keys(void)
{
    pthread_key_t key;
    for (int i = 0; i < 64; i++)
        pthread_key_create(&key, NULL);
}
