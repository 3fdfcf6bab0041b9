libmublas_core_la_SOURCES += src/tuner/crossover.c src/tuner/crossover.h
