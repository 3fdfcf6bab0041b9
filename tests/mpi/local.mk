# A parallel program as a user has it: ScaLAPACK's eigensolver, every rank with the shim.
plain_tests += tests/mpi/scalapack.sh
EXTRA_DIST += tests/mpi/scalapack.sh
# Reports of parallel routines, and their check against the host's.
plain_tests += tests/mpi/parallel_reports.sh
plain_tests += tests/mpi/verify.sh
EXTRA_DIST += tests/mpi/parallel_reports.sh tests/mpi/verify.sh
# The bench of parallel routines, in small.
plain_tests += tests/mpi/bench.sh
plain_tests += tests/mpi/served.sh
EXTRA_DIST += tests/mpi/served.sh
tests/mpi/served.log: tests/mpi/symmetric$(EXEEXT)
EXTRA_DIST += tests/mpi/bench.sh
# Linked with -lmublas.
plain_tests += tests/mpi/linked.sh
EXTRA_DIST += tests/mpi/linked.sh
# Any program's reports.
plain_tests += tests/mpi/reports.sh
EXTRA_DIST += tests/mpi/reports.sh
tests/mpi/reports.log: tests/system/counted$(EXEEXT)
# Ranks that share a device.
sanitizer_tests += tests/mpi/sharing.sh
EXTRA_DIST += tests/mpi/sharing.sh
tests/mpi/sharing.log: tests/system/learned$(EXEEXT) tests/system/make_recipe$(EXEEXT)
# And with MPS.
plain_tests += tests/mpi/mps.sh
EXTRA_DIST += tests/mpi/mps.sh tests/mpi/nvidia-cuda-mps-control
tests/mpi/mps.log: tests/system/counted$(EXEEXT)
# And with a service.
plain_tests += tests/mpi/service_run.sh
EXTRA_DIST += tests/mpi/service_run.sh
tests/mpi/service_run.log: tests/system/counted$(EXEEXT)

# Every parallel routine of the engine (src/scalapack).
long_plain_tests += tests/mpi/parallel_properties.sh
EXTRA_DIST += tests/mpi/mpi.sh tests/mpi/parallel_properties.sh
# And where something goes wrong.
long_plain_tests += tests/mpi/parallel_faults.sh
EXTRA_DIST += tests/mpi/parallel_faults.sh
CLEANFILES += tests/mpi/alone.lock
# ScaLAPACK's own testers, with Open MPI and with MPICH.
long_plain_tests += tests/mpi/scalapack_testers.sh
EXTRA_DIST += tests/mpi/scalapack_testers.sh tests/mpi/thin/INV.dat tests/mpi/thin/LLT.dat tests/mpi/thin/LU.dat \
	tests/mpi/thin/SEP.dat tests/mpi/thin/SEPR.dat
parallel_headers = tests/mpi/dense.h tests/mpi/spread.h tests/mpi/parallel_problem.h tests/mpi/parallel_draw.h \
	tests/mpi/parallel_judge.h tests/unit/documented_lists.h

if SCALAPACK
plain_programs += tests/mpi/symmetric
plain_programs += tests/mpi/symmetric_linked
tests_mpi_symmetric_linked_SOURCES = tests/mpi/symmetric.c
tests_mpi_symmetric_linked_LDADD = libmublas.la $(SCALAPACK_LIBS) $(BLAS_LIBS) -lm
tests_mpi_symmetric_linked_LDFLAGS = $(AM_LDFLAGS) -no-install
tests/mpi/linked.log: tests/mpi/symmetric_linked$(EXEEXT)
tests_mpi_symmetric_LDADD = $(SCALAPACK_LIBS) $(BLAS_LIBS) -lm
tests/mpi/scalapack.log: tests/mpi/symmetric$(EXEEXT)
tests/mpi/parallel_reports.log: tests/mpi/symmetric$(EXEEXT)
tests/mpi/bench.log: bench/programs/scalapack$(EXEEXT)
plain_programs += tests/mpi/parallel_properties
tests_mpi_parallel_properties_SOURCES = tests/mpi/parallel_properties.c $(parallel_headers)
tests_mpi_parallel_properties_LDADD = $(SCALAPACK_LIBS) -lm
tests/mpi/parallel_properties.log: tests/mpi/parallel_properties$(EXEEXT)
plain_programs += tests/mpi/parallel_faults
tests_mpi_parallel_faults_LDADD = $(SCALAPACK_LIBS) -lm -ldl -lpthread
# Libraries call its mmap.
tests_mpi_parallel_faults_LDFLAGS = $(AM_LDFLAGS) -rdynamic
else
EXTRA_DIST += tests/mpi/symmetric.c tests/mpi/parallel_faults.c tests/mpi/parallel_properties.c $(parallel_headers)
endif
