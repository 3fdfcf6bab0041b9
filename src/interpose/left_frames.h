/* left_frames.h - was a frame of this thread's left without a word: by a jump, by another task's stack?
 *
 * For what is found at the next call; a jump of the C library's is noticed at once (jumps.c). Addresses alone are
 * compared: the stack that the frame was on may be gone. */
#ifndef MUBLAS_LEFT_FRAMES_H
#define MUBLAS_LEFT_FRAMES_H

#include <stdbool.h>

/* FRAME_INSIDE: `here` is deeper, or in a handler with a stack of its own. FRAME_ELSEWHERE: on a stack of which
 * nobody can say whether it will be gone on with. */
enum frame_state { FRAME_INSIDE, FRAME_LEFT, FRAME_ELSEWHERE };

/* Compares two numbers, as a rule; a stack that is new to it is asked for, 1 us. */
enum frame_state left_frames_look(const void *frame, const void *here);

#endif
