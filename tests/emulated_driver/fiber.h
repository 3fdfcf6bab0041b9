/* fiber.h - stacks that are switched in assembly, known to the sanitizers. */
#ifndef MUBLAS_EMULATED_FIBER_H
#define MUBLAS_EMULATED_FIBER_H

#include <stdbool.h>
#include <stddef.h>

struct fiber {
    void *stack_pointer; /* while it does not run */
    unsigned char *stack;
    size_t stack_bytes;
    void *fake_stack;  /* AddressSanitizer */
    void *tsan_fiber;  /* ThreadSanitizer */
};

/* A fiber that will call function(argument), which must never return, at the first
 * switch to it. `number` staggers stacks so that their tops do not share cache sets. A page
 * that faults ends the stack; where there are `many` fibers, more than the kernel has
 * mappings for, only one in 16 has that. */
void fiber_create(struct fiber *fiber, unsigned number, bool many, void (*function)(void *), void *argument);

/* Call first in a new fiber's function. */
void fiber_entered(struct fiber *from);

/* Let `adopted` stand for the running thread's own stack, so that fibers can switch back. */
void fiber_adopt_thread(struct fiber *adopted);

/* Leave `from`, which runs, and go on with `to`. */
void fiber_switch(struct fiber *from, struct fiber *to);

/* True under ThreadSanitizer: then one fiber must not stand for two threads of a block. */
bool fibers_are_watched(void);

/* For ThreadSanitizer, to which fibers are threads without order between them: what was
 * done before a release of `token` comes before what follows a later acquire of it. */
void fiber_release(void *token);
void fiber_acquire(void *token);

#endif
