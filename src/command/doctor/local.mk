mublas_SOURCES += src/command/doctor/doctor.c src/command/doctor/doctor.h \
	src/command/doctor/machine_checks.c
