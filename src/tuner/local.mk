libmublas_core_la_SOURCES += src/tuner/crossover.c src/tuner/crossover.h

# Launch shapes at run time.
libmublas_core_la_SOURCES += \
	src/tuner/occupancy.c src/tuner/occupancy.h \
	src/tuner/optimizer.c src/tuner/optimizer.h
