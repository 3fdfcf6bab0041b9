/* Blocks that wait for each other, all on one thread: a thread of the operating system for each would take the
 * processors from the tests beside. */
#include "emulated_driver/processor_state.h"

#include <stdlib.h>

/* A place for a block, in this launch and in later ones. */
struct place {
    struct processor *processor;
    struct fiber fiber, *at; /* which begins a block and ends it; where it goes on */
    unsigned block;
    bool has_ended;
};

/* Used under the driver's lock. */
static struct place **places;
static unsigned place_count;
static const struct launch *running;
static unsigned current, left; /* place; blocks that have not ended */
static struct fiber caller;

static void go_on_from(struct fiber *from)
{
    struct fiber *to = &caller;
    if (left > 0) {
        do
            current = (current + 1) % running->blocks;
        while (places[current]->has_ended);
        running_processor = places[current]->processor;
        to = places[current]->at;
    }
    if (to != from)
        fiber_switch(from, to);
}

static void place_main(void *argument)
{
    struct place *place = argument;
    fiber_entered(NULL);
    for (;;) {
        processor_run_from(place->processor, running, place->block, &place->fiber);
        place->has_ended = true;
        left--;
        go_on_from(&place->fiber);
    }
}

bool turns_pass(void)
{
    if (!running_processor->takes_turns)
        return false;
    places[current]->at = &running_processor->current->worker->fiber;
    go_on_from(places[current]->at);
    return true;
}

static void make_places(unsigned wanted)
{
    if (wanted <= place_count)
        return;
    places = realloc(places, wanted * sizeof *places);
    while (places && place_count < wanted) {
        struct place *place = calloc(1, sizeof *place);
        if (!place)
            emulated_abort("out of host memory");
        place->processor = processor_create(options()->seed + place_count + 1, true);
        place->processor->takes_turns = true;
        fiber_create(&place->fiber, place_count, true, place_main, place);
        places[place_count++] = place;
    }
    if (!places)
        emulated_abort("out of host memory");
}

void turns_run(const struct launch *launch, const unsigned *order)
{
    make_places(launch->blocks);
    for (unsigned i = 0; i < launch->blocks; i++) {
        places[i]->at = &places[i]->fiber;
        places[i]->block = order[i];
        places[i]->has_ended = false;
    }
    running = launch;
    left = launch->blocks;
    current = launch->blocks - 1;
    fiber_adopt_thread(&caller);
    go_on_from(&caller);
}
