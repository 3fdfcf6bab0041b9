mublas_SOURCES += src/command/doctor/doctor.c src/command/doctor/checks.h \
	src/command/doctor/device_checks.c src/command/doctor/library_checks.c \
	src/command/doctor/parallel_checks.c src/command/doctor/recipe_checks.c \
	src/command/doctor/process_checks.c src/command/doctor/product_check.c \
	src/command/doctor/findings.c src/command/doctor/findings.h
