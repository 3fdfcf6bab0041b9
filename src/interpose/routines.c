#include "interpose/routines.h"

static const struct {
    const char *name;
    int offloaded;
} routines[ROUTINE_COUNT] = {
#define FORWARDED(name) {#name, 0},
#define OFFLOADED(name, gate) {#name, 1},
#include "interpose/routines.def"
#undef FORWARDED
#undef OFFLOADED
};

const char *routine_name(enum routine routine)
{
    return routines[routine].name;
}

int routine_is_offloaded(enum routine routine)
{
    return routines[routine].offloaded;
}
