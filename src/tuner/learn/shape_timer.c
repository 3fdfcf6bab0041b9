#include "tuner/learn/shape_timer.h"
#include "common/text.h"
#include "gpu/launch.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void write_head(FILE *stream, const struct recipe *recipe)
{
    const struct recipe_signature *signature = &recipe->signature;
    fprintf(stream, "mublas recipe %d\n", RECIPE_FORMAT);
    fprintf(stream, "kernels %s\ndevice %s\nmultiprocessors %d\ndriver %d\nhost %s\nmade %s\n",
            signature->kernels, signature->device, signature->multiprocessors, signature->driver,
            *signature->host ? signature->host : "none", recipe->made);
    fprintf(stream, "warps %d\nblocks %d\n", recipe->resident_warps, recipe->resident_blocks);
}

static void write_shape(FILE *stream, const struct launch_shape *shape)
{
    char text[RECIPE_SHAPE_BYTES];
    recipe_shape_text(shape, text);
    fprintf(stream, " %s", text);
}

static void write_occupancy(FILE *stream, const struct class_recipe *rules)
{
    fprintf(stream, "occupancy %.6f %.6f %u %.6f\nbase", rules->occupancy.warp_min,
            rules->occupancy.block_min, rules->occupancy.threads_min, rules->occupancy.ty_per_tx_max);
    write_shape(stream, &rules->base);
    for (int i = 0; i < SHAPE_EDGES; i++) {
        fprintf(stream, "\nactive %u", shape_edges[i]);
        for (int warps = 1; warps <= BLOCK_WARPS_MAX; warps++)
            fprintf(stream, " %u", rules->figures.of_edge[i].active[warps]);
    }
    fputc('\n', stream);
}

static void write_class(FILE *stream, int class, enum tuning_form form, const struct class_recipe *rules)
{
    fprintf(stream, "class %s %s %s\n", tuning_class_name(class), tuning_form_name(form),
            rules->by_occupancy ? "occupancy" : "rules");
    for (int i = 0; i < rules->interval_count; i++) {
        if (rules->intervals[i].upto == INT64_MAX)
            fputs("beyond", stream);
        else
            fprintf(stream, "upto %" PRId64, rules->intervals[i].upto);
        if (rules->intervals[i].shape.edge == 0)
            fputs(" built-in", stream);
        else
            write_shape(stream, &rules->intervals[i].shape);
        fputc('\n', stream);
    }
    if (rules->has_occupancy)
        write_occupancy(stream, rules);
}

/* Ends a stream of open_memstream, which has *text and *bytes. NULL: out of memory. */
static char *end_with_hash(FILE *stream, char **text, size_t *bytes)
{
    fflush(stream);
    if (!ferror(stream))
        fprintf(stream, "hash %016" PRIx64 "\n", recipe_hash(*text, *bytes));
    if (fclose(stream) == 0)
        return *text;
    free(*text);
    return NULL;
}

static char *write_all(const struct recipe *recipe, size_t *bytes)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, bytes);
    if (!stream)
        return NULL;
    write_head(stream, recipe);
    for (int class = 0; class < TUNING_CLASSES; class++)
        for (int form = 0; form < TUNING_FORMS; form++)
            if (recipe->classes[class][form].interval_count > 0)
                write_class(stream, class, (enum tuning_form)form, &recipe->classes[class][form]);
    if (recipe->crossover)
        fprintf(stream, "crossover\n%s", recipe->crossover);
    return end_with_hash(stream, &text, bytes);
}

char *recipe_text(const struct recipe *recipe, size_t *bytes)
{
    const locale_t locale = plain_locale_begin();
    char *const text = write_all(recipe, bytes);
    plain_locale_end(locale);
    return text;
}

void tuning_data_begin(FILE *stream, const struct recipe_signature *signature, const char *made)
{
    fprintf(stream, "%s\n# device %s\n# made %s\n%s\n", TUNING_DATA_FIRST_LINE, signature->device, made,
            TUNING_DATA_COLUMNS);
}

void tuning_data_line(FILE *stream, int class, const struct blas_call *call, const char *stage,
                      const struct launch_shape *shape, const struct tuning_time *time)
{
    const int64_t m = call->family == FAMILY_GEMV ? call->m : call->n;
    if (!stream)
        return;
    const locale_t locale = plain_locale_begin();
    fprintf(stream, "%s,%s,%" PRId64 ",%" PRId64 ",%s,%u,%u,%u,%u,%u,%s,%u,%s,%.4f,%.4f,%.4f,%d\n",
            tuning_class_name(class), tuning_form_name(tuning_form_of(call)), m, call->n, stage, shape->edge,
            shape->threads_x, shape->threads_y, shape->leaf_columns, shape->blocks_per_multiprocessor,
            recipe_orders[shape->order], shape->team_groups, recipe_variants[shape->variant],
            1e6 * time->seconds, 1e6 * time->low, 1e6 * time->high, time->rounds);
    plain_locale_end(locale);
}

enum { CALLS_MOST = 24 };

/* Seconds from which on a call outlasts its launch so clearly that it needs no graph, which takes longer to
 * make than to play. */
static const double LAUNCHED_SECONDS = 9e-6;

static enum status queue_call_of(void *context, int number)
{
    const struct shape_field *field = context;
    const struct blas_call call = tuning_pool_deal(field->timer->pool, field->call);
    (void)number;
    return launch(field->timer->lane, &call);
}

static enum status queue_contestant(void *context, int number)
{
    struct shape_field *field = context;
    const struct contestant *contestant = &field->contestants[field->who[number]];
    enum status status = STATUS_OK;
    if (field->by_graphs)
        return graph_replay_launch(&contestant->graph, field->timer->lane);
    launch_shape_override(*contestant->shape);
    for (int i = 0; i < field->calls && status == STATUS_OK; i++)
        status = queue_call_of(field, i);
    launch_shape_override((struct launch_shape){.edge = 0});
    return status;
}

static enum status admit(struct shape_field *field, struct contestant *contestant,
                         const struct launch_shape *shape)
{
    enum status status = STATUS_OK;
    contestant->shape = shape;
    launch_shape_override(*shape);
    if (field->by_graphs)
        status = graph_replay_capture(&contestant->graph, field->timer->lane, field->calls, queue_call_of,
                                      field);
    launch_shape_override((struct launch_shape){.edge = 0});
    contestant->in = status == STATUS_OK;
    return status;
}

/* About what a call takes. */
static double guess_of(const struct blas_call *call, double bandwidth)
{
    return 4e-6 + (double)tuning_pool_matrix_bytes(call) / (0.7 * bandwidth);
}

/* So many that their beginning does not count. */
static void choose_calls(struct shape_field *field, double played)
{
    const double guess = guess_of(field->call, field->timer->bandwidth), calls = ceil(played / guess);
    field->calls = calls > CALLS_MOST ? CALLS_MOST : (int)calls;
    field->by_graphs = guess < LAUNCHED_SECONDS;
}

/* A launch cannot be called back, and on a slow device a round of many shapes takes long: what one call
 * takes tells whether the limit will be kept. If not, it is reached now. */
static enum status foresee(struct shape_field *field, const struct timing_plan *plan)
{
    struct shape_timer *timer = field->timer;
    const double calls = (double)field->count * (field->calls + !plan->unverified), started = clock_seconds();
    if (timer->limit <= 0)
        return STATUS_OK;
    enum status status = queue_call_of(field, 0);
    if (status == STATUS_OK)
        status = lane_synchronise(timer->lane, "looking how long a call takes");
    const double now = clock_seconds();
    if (now + calls * (now - started) > timer->limit && timer->limit > now)
        timer->limit = now;
    return status;
}

/* Finds which shapes may play. */
static enum status look_at(struct shape_field *field, const struct launch_shape *shapes,
                           const struct timing_plan *plan, enum shape_outcome *outcomes)
{
    enum status status = shape_verify_prepare(field->timer, field->call, shapes, field->count);
    if (status == STATUS_OK)
        status = foresee(field, plan);
    if (status == STATUS_OK && shape_timer_is_over(field->timer)) {
        for (size_t i = 0; i < field->count; i++)
            outcomes[i] = SHAPE_CANNOT;
        return STATUS_OK;
    }
    if (status == STATUS_OK && !plan->unverified)
        return shape_verify(field->timer, field->call, shapes, field->count, plan->partial, outcomes);
    for (size_t i = 0; i < field->count; i++)
        outcomes[i] = launch_shape_fault(field->call, &shapes[i]) ? SHAPE_CANNOT : SHAPE_RIGHT;
    return status;
}

static enum status enter(struct shape_field *field, const struct launch_shape *shapes,
                         const struct timing_plan *plan)
{
    const bool partial = plan->partial;
    enum shape_outcome *outcomes = calloc(field->count + 1, sizeof *outcomes);
    enum status status = outcomes ? look_at(field, shapes, plan, outcomes) : STATUS_OUT_OF_MEMORY;
    field->built_in = launch_shape_built_in(field->call);
    for (size_t i = 0; i < field->count && status == STATUS_OK; i++)
        if (i > 0 && (partial ? shape_timer_should_end : shape_timer_is_over)(field->timer))
            break;
        else if (outcomes[i] == SHAPE_RIGHT)
            status = admit(field, &field->contestants[i], &shapes[i]);
        else if (outcomes[i] == SHAPE_WRONG)
            field->contestants[i].rounds = TUNING_WRONG;
    if (status == STATUS_OK)
        status = admit(field, &field->contestants[field->count], &field->built_in);
    free(outcomes);
    return status;
}

static void shuffle(struct shape_timer *timer, size_t *who, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        timer->random_state = timer->random_state * 6364136223846793005u + 1442695040888963407u;
        const size_t other = (size_t)((timer->random_state >> 33) % i), kept = who[i - 1];
        who[i - 1] = who[other];
        who[other] = kept;
    }
}

/* One round of all that are in; `counted` says whether it was kept. The reference comes first (that waits for
 * the host), by graphs, whose times are short, once more, and last. */
static enum status play(struct shape_field *field, bool *counted)
{
    struct shape_timer *timer = field->timer;
    const size_t ahead = field->by_graphs ? AHEAD : 1;
    size_t count = ahead;
    for (size_t i = 0; i < field->count; i++)
        if (field->contestants[i].in)
            field->who[count++] = i;
    shuffle(timer, field->who + ahead, count - ahead);
    field->who[0] = field->who[ahead - 1] = field->who[count++] = field->count;
    const enum status status =
        graph_replay_sequence((int)count, timer->lane, queue_contestant, field, field->times);
    if (status != STATUS_OK)
        return status;
    timer->rounds++;
    const double last = field->times[count - 1];
    *counted = shape_field_is_steady(field, field->by_graphs ? fmin(field->times[1], last) : last);
    for (size_t i = ahead; i < count && *counted; i++) { /* the reference by its last time */
        struct contestant *contestant = &field->contestants[field->who[i]];
        if (contestant->rounds < SHAPE_ROUNDS_MOST)
            contestant->times[contestant->rounds++] = field->times[i];
    }
    return STATUS_OK;
}

/* Rounds that were kept since the device last changed its pace: the reference is always in. */
static int rounds_kept(const struct shape_field *field)
{
    return field->contestants[field->count].rounds;
}

static enum status compete(struct shape_field *field, const struct timing_plan *plan)
{
    struct shape_timer *timer = field->timer;
    enum status status = STATUS_OK;
    double took = 0; /* the last round */
    for (int round = 0; round < 2 * plan->rounds_most + 4 && rounds_kept(field) < plan->rounds_most;
         round++) {
        bool counted;
        const double started = clock_seconds();
        if (round > 0 &&
            (shape_timer_should_end(timer) || (timer->limit > 0 && started + took > timer->limit)))
            break;
        status = play(field, &counted);
        took = clock_seconds() - started;
        if (status != STATUS_OK)
            break;
        if (!counted)
            continue;
        const int kept = rounds_kept(field);
        const double within = plan->within[kept < 4 ? kept - 1 : 3];
        if (shape_field_narrow(field, within) < 2 && within > 0 && kept >= plan->rounds_least - 1)
            break; /* nobody left to be told from */
        if (kept >= plan->rounds_least && shape_field_is_settled(field, plan->equal))
            break;
    }
    return status;
}

enum status shape_timer_time(struct shape_timer *timer, const struct blas_call *call,
                             const struct launch_shape *shapes, size_t count, const struct timing_plan *plan,
                             struct tuning_time *times, struct tuning_time *reference)
{
    struct shape_field field = {.timer = timer, .call = call};
    enum status status = STATUS_OUT_OF_MEMORY;
    choose_calls(&field, plan->played);
    if (shape_field_make(&field, count))
        status = enter(&field, shapes, plan);
    if (status == STATUS_OK)
        status = compete(&field, plan);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        times[i] = contestant_time(&field.contestants[i], field.calls);
    if (reference && status == STATUS_OK)
        *reference = contestant_time(&field.contestants[count], field.calls);
    timer->shapes_timed += (long)count;
    shape_field_free(&field);
    return status;
}

/* One look of a few calls is off by 10% and more; who is behind by more than this has no hope. */
static const double HOPELESS = 1.4;
/* Not so few that a lucky look of one leaves the others out. */
enum { FINISH_LEAST = 12 };

static const struct timing_plan scout = {.rounds_least = 1, .rounds_most = 1, .played = 14e-6,
                                         .unverified = true};
static const struct timing_plan race = {3, 5, {1.2, 1.1, 1.06, 1.04}, 0.005, 40e-6, false, false};

struct ranked {
    struct launch_shape shape;
    struct tuning_time time;
};

static int by_time(const void *one, const void *other)
{
    const struct ranked *a = one, *b = other;
    return (a->time.seconds > b->time.seconds) - (a->time.seconds < b->time.seconds);
}

static bool sort_by_time(struct launch_shape *shapes, struct tuning_time *times, size_t count)
{
    struct ranked *ranked = calloc(count, sizeof *ranked);
    if (!ranked)
        return false;
    for (size_t i = 0; i < count; i++)
        ranked[i] = (struct ranked){shapes[i], times[i]};
    qsort(ranked, count, sizeof *ranked, by_time);
    for (size_t i = 0; i < count; i++) {
        shapes[i] = ranked[i].shape;
        times[i] = ranked[i].time;
    }
    free(ranked);
    return true;
}

static enum status rank(struct shape_timer *timer, const struct blas_call *call, struct launch_shape *shapes,
                        size_t count, struct timing_plan plan, bool partial, struct tuning_time *times)
{
    plan.partial = partial;
    const enum status status = shape_timer_time(timer, call, shapes, count, &plan, times, NULL);
    return status == STATUS_OK && !sort_by_time(shapes, times, count) ? STATUS_OUT_OF_MEMORY : status;
}

static size_t hopeful(const struct tuning_time *times, size_t count)
{
    size_t kept = 0;
    while (kept < count && isfinite(times[kept].seconds) &&
           (kept < FINISH_LEAST || times[kept].seconds < HOPELESS * times[0].seconds))
        kept++;
    return kept;
}

enum status shape_race_run(struct shape_timer *timer, const struct blas_call *call,
                           struct launch_shape *shapes, size_t count, struct tuning_time *times,
                           size_t *finished, bool partial)
{
    enum status status = rank(timer, call, shapes, count, scout, partial, times);
    *finished = status == STATUS_OK ? hopeful(times, count) : 0;
    if (*finished > 0)
        status = rank(timer, call, shapes, *finished, race, partial, times);
    while (status == STATUS_OK && *finished > 0 && !isfinite(times[*finished - 1].seconds))
        --*finished;
    return status;
}
