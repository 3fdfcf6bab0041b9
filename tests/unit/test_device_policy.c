/* Which of several devices takes a call, and when another is woken. */
#include "interpose/purchase/ledger.h"
#include "tap.h"
#include "unit_test.h"

static void test_choices(void)
{
    static const struct {
        struct device_offer offers[3];
        int chosen;
        const char *what;
    } cases[] = {
        {{{true, true, 0, 10, 0}, {true, true, 0, 10, 0}, {true, true, 0, 10, 0}},
         0,
         "of equal ones the first"},
        {{{true, true, 50, 10, 0}, {true, true, 5, 10, 0}, {true, true, 7, 10, 0}},
         1,
         "the one with the least wait"},
        {{{true, true, 50, 10, 0}, {true, true, 0, 55, 0}, {true, true, 45, 20, 0}},
         1,
         "a slow one that is free, if it is done first"},
        {{{true, true, 50, 10, 0}, {true, true, 0, 70, 0}, {true, true, 55, 10, 0}},
         0,
         "not if it is done later"},
        {{{true, true, 50, 10, 0}, {true, true, 0, 10, 0}, {true, true, 90, 10, 800}},
         2,
         "where the matrix is, whoever waits there"},
        {{{true, true, 50, 10, 100}, {true, true, 0, 10, 200}, {true, true, 90, 10, 100}},
         1,
         "where most of it is"},
        {{{true, true, 9, 10, 800}, {true, true, 3, 10, 800}, {true, true, 0, 10, 0}},
         1,
         "of two that have it the one with less to wait for"},
        {{{true, false, 0, 10, 800}, {true, true, 900, 10, 0}, {true, true, 901, 10, 0}},
         1,
         "where it fits in"},
        {{{true, false, 50, 10, 0}, {true, false, 5, 10, 0}, {true, false, 7, 10, 0}},
         1,
         "where it fits in nowhere as otherwise"},
        {{{false, true, 0, 10, 800}, {true, true, 3, 10, 0}, {true, true, 2, 10, 0}},
         2,
         "none that is not usable"},
        {{{false, true, 0, 10, 0}, {false, true, 3, 10, 0}, {false, true, 2, 10, 0}},
         -1,
         "none where none is"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int chosen = device_policy_choose(cases[i].offers, 3);
        tap_ok(chosen == cases[i].chosen, "%s: %d", cases[i].what, chosen);
    }
    tap_ok(device_policy_choose(cases[0].offers, 0) < 0, "nor where there are none");
}

static void test_another(void)
{
    const double price_us = 300000;
    tap_ok(next_device_is_paid(OFFLOAD_AUTO, false, price_us, 0) == PURCHASE_NOT_YET,
           "calls that would gain nothing wake none");
    tap_ok(next_device_is_paid(OFFLOAD_AUTO, false, price_us, 1) == PURCHASE_SOON &&
               next_device_is_paid(OFFLOAD_AUTO, false, price_us, 1e9) == PURCHASE_SOON,
           "the first that would gain wakes one that was named, beside it");
    tap_ok(next_device_is_paid(OFFLOAD_AUTO, true, price_us, 299999) == PURCHASE_NOT_YET,
           "one that nobody named is not touched before all of its price is there");
    tap_ok(next_device_is_paid(OFFLOAD_AUTO, true, price_us, 300000) == PURCHASE_SOON &&
               next_device_is_paid(OFFLOAD_AUTO, true, price_us, 449999) == PURCHASE_SOON &&
               next_device_is_paid(OFFLOAD_AUTO, true, price_us, 450000) == PURCHASE_NOW,
           "then it is prepared, and used from half as much again on");
    tap_ok(next_device_is_paid(OFFLOAD_ALWAYS, false, price_us, 0) == PURCHASE_NOW, "always: at once");
    tap_ok(next_device_is_paid(OFFLOAD_NEVER, false, price_us, 1e9) == PURCHASE_NOT_YET, "never: never");
}

UNIT_TEST(test_device_policy)
{
    test_choices();
    test_another();
    return tap_done();
}
