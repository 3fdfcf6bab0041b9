/* object_loads.h - has anything been loaded since? */
#ifndef MUBLAS_OBJECT_LOADS_H
#define MUBLAS_OBJECT_LOADS_H

/* How many shared objects the loader has brought into this process so far, those that
 * went again included. Costs a lock of the loader's, no system call. Thread-safe. */
unsigned long long object_loads(void);

#endif
