/* learned_model.h - bring the learned times of a recipe into the machine model of this process. */
#ifndef MUBLAS_LEARNED_MODEL_H
#define MUBLAS_LEARNED_MODEL_H

#include "tuner/online/crossover.h"

/* Let `model` go by a recipe's crossover section (NULL: it has none) for a host BLAS at the
 * resolved path `host` ("": not known), with as many threads as the environment gives it. `times` keeps
 * what is read, and has to live as long as the model. False: nothing was learned; the model is as it
 * was, but for huge_pages. */
bool learned_model_use(struct machine_model *model, struct learned_times *times, const char *section,
                       const char *host);

/* The model of a device beside the first and unlike it: `built_in`, with what a recipe says that fits it, if
 * there is one, which also shapes its launches. NULL: out of memory. Lives as long as the process. Once. */
const struct machine_model *learned_model_of_other(const struct device *device,
                                                   const struct machine_model *built_in, const char *host);

/* The resolved path of the host BLAS that this process's calls have: of `bound`, or where that is NULL what
 * is found without loading anything that is not loaded yet; "" if that is not known. To find it takes the
 * loader's lock: not for constructors, nor for threads that one may wait for. */
void learned_model_host(const char *bound, char *path, size_t room);

#endif
