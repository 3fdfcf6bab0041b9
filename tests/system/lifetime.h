/* lifetime.h - BLAS calls at every point of a process's life, each checked. */
#ifndef MUBLAS_TESTS_LIFETIME_H
#define MUBLAS_TESTS_LIFETIME_H

#ifdef __cplusplus
extern "C" {
#endif

/* Calls several routines and writes "WHEN: right" or "WHEN: wrong" to standard output. */
void call_in(const char *when);

/* lifetime_static.cpp: run a thread whose C++ thread-local object calls BLAS when it goes. */
void run_thread_with_local(void);

/* lifetime_library.c: anything, so that the library is linked. */
int lifetime_library_calls(void);

#ifdef __cplusplus
}
#endif

#endif
