#include "common/program_state.h"

#if defined __x86_64__

/* The layout that fnstenv stores. */
struct x87_environment {
    uint16_t control, unused0, status, unused1;
    uint32_t others[5];
};

static void set_mxcsr(uint32_t mxcsr)
{
    __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
}

static void set_x87_control(uint16_t control)
{
    __asm__ volatile("fldcw %0" : : "m"(control));
}

void float_state_set_default(struct float_state *state)
{
    const uint32_t raised = state->mxcsr & FLOAT_MXCSR_FLAGS;
    float_state_read_flags(state);
    if (state->mxcsr != (FLOAT_MXCSR_DEFAULT | raised))
        set_mxcsr(FLOAT_MXCSR_DEFAULT | raised);
    if (state->x87_control != FLOAT_X87_DEFAULT)
        set_x87_control(FLOAT_X87_DEFAULT);
}

/* Only loading the whole environment puts flags back, which takes long. */
static void restore_x87_status(uint16_t status)
{
    struct x87_environment environment;
    __asm__ volatile("fnstenv %0" : "=m"(environment));
    environment.status = (uint16_t)((environment.status & ~FLOAT_X87_FLAGS) | (status & FLOAT_X87_FLAGS));
    __asm__ volatile("fldenv %0" : : "m"(environment));
}

void float_state_restore(const struct float_state *state)
{
    struct float_state now;
    float_state_read(&now);
    if ((now.x87_status ^ state->x87_status) & FLOAT_X87_FLAGS)
        restore_x87_status(state->x87_status);
    if (now.x87_control != state->x87_control)
        set_x87_control(state->x87_control);
    if (now.mxcsr != state->mxcsr)
        set_mxcsr(state->mxcsr);
}

void float_state_give_back(const struct float_state *state)
{
    (void)state;
}

#elif defined __aarch64__

static void set_control(uint64_t control)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(control) : "memory");
}

void float_state_set_default(struct float_state *state)
{
    float_state_read_flags(state);
    if (state->control != 0)
        set_control(0);
}

void float_state_restore(const struct float_state *state)
{
    struct float_state now;
    float_state_read(&now);
    if (now.status != state->status)
        __asm__ volatile("msr fpsr, %0" : : "r"(state->status) : "memory");
    if (now.control != state->control)
        set_control(state->control);
}

void float_state_give_back(const struct float_state *state)
{
    set_control(state->control);
}

#endif
