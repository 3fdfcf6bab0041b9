/* Purchases take long: beside the program or by who needs them, once, and one call waits for all. */
#include "interpose/purchase/purchase.h"
#include "tap.h"
#include "unit_test.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static struct device *const some_device = (struct device *)(void *)&(char){0};
static sem_t begun, go_on;
static atomic_int gets;
static struct device *_Atomic given;

static bool get(struct device *device)
{
    given = device;
    atomic_fetch_add(&gets, 1);
    return true;
}

static bool get_slowly(struct device *device)
{
    sem_post(&begun);
    while (sem_wait(&go_on) != 0)
        continue;
    return get(device);
}

static void test_by_caller(void)
{
    static struct purchase purchase = PURCHASE(get);
    tap_ok(!purchase_times(&purchase).beside, "nothing is got that nobody has begun or needs");
    tap_ok(purchase_finish(&purchase, some_device) && gets == 1 && given == some_device,
           "who needs it gets it, where that is to be");
    tap_ok(!purchase_times(&purchase).beside, "which is not beside the program");
}

static void test_beside(void)
{
    static struct purchase purchase = PURCHASE(get_slowly);
    purchase_begin(&purchase, some_device);
    purchase_begin(&purchase, some_device);
    sem_wait(&begun);
    sem_post(&go_on);
    tap_ok(purchase_finish(&purchase, some_device) && gets == 2,
           "what is begun beside the program is waited for");
    tap_ok(purchase_times(&purchase).beside, "and told of");
    tap_ok(purchase_finish(&purchase, some_device) && gets == 2, "once");
}

static struct purchase awaited = PURCHASE(get_slowly);

static void *wait_alone(void *result)
{
    *(bool *)result = purchase_finish_alone(&awaited, some_device);
    return NULL;
}

static void test_alone(void)
{
    pthread_t thread;
    bool is_finished = false;
    if (pthread_create(&thread, NULL, wait_alone, &is_finished) != 0)
        abort();
    sem_wait(&begun);
    tap_ok(!purchase_finish_alone(&awaited, some_device), "while one call gets it the others go on");
    sem_post(&go_on);
    pthread_join(thread, NULL);
    tap_ok(is_finished && gets == 3, "and that one has it");
}

UNIT_TEST(test_purchase)
{
    if (sem_init(&begun, 0, 0) != 0 || sem_init(&go_on, 0, 0) != 0)
        abort();
    alarm(300); /* who waits for what nobody lets go on */
    test_by_caller();
    test_beside();
    test_alone();
    return tap_done();
}
