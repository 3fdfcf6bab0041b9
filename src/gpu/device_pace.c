#include "gpu/device_pace.h"

/* After ten pieces a change of pace has been followed for the most part. */
static const double KEPT = 0.8;

/* How much the guess's ratio of link and products weighs beside the pieces. */
static const double STIFFNESS = 1e-3;

struct device_pace device_pace_guess(double link, double products)
{
    return (struct device_pace){.link = link, .products = products};
}

static void follow(double *sum, double value)
{
    *sum = KEPT * *sum + value;
}

void device_pace_note(struct device_pace *pace, double bytes, double operations, double seconds)
{
    const double guess = bytes / pace->link + operations / pace->products;
    if (!(seconds > 0) || !(guess > 0))
        return;
    const double up = bytes / pace->link / guess, work = operations / pace->products / guess,
                 time = seconds / guess;
    follow(&pace->weight, 1);
    follow(&pace->time, time);
    follow(&pace->up_up, up * up);
    follow(&pace->up_work, up * work);
    follow(&pace->work_work, work * work);
    follow(&pace->up_time, up * time);
    follow(&pace->work_time, work * time);
}

/* By what the guessed times of link and products are to be multiplied: first both by one factor, then each by
 * its own, of which none may become negative. */
static void solve(const struct device_pace *pace, double *link, double *products)
{
    const double scale = pace->weight > 0 ? pace->time / pace->weight : 1;
    const double stiffness = STIFFNESS * pace->weight;
    const double a = pace->up_up + stiffness, b = pace->up_work, c = pace->work_work + stiffness;
    const double right_up = pace->up_time + stiffness * scale,
                 right_work = pace->work_time + stiffness * scale;
    const double determinant = a * c - b * b;
    *link = *products = scale;
    if (determinant > 0) {
        *link = (right_up * c - right_work * b) / determinant;
        *products = (right_work * a - right_up * b) / determinant;
    }
    if (*link < 0) {
        *link = 0;
        *products = right_work / c;
    } else if (*products < 0) {
        *products = 0;
        *link = right_up / a;
    }
}

double device_pace_seconds(const struct device_pace *pace, double bytes, double operations)
{
    double link, products;
    solve(pace, &link, &products);
    return bytes / pace->link * link + operations / pace->products * products;
}
