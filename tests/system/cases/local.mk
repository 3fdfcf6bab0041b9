# Small programs, each of a kind that went wrong (case.h); cases.sh has the table of those that run. Each also
# linked with -lmublas, in linked/. direct_read_beside is for trying by hand.
case_programs = direct_read_beside error_number fetched_on_access filter_probe float_status found_values guarded_triangle \
	inexact_trap locale_report odd_stack own_descriptor_two received_packets syscall_filter $(handler_programs)
# handlers.sh runs these.
handler_programs = child_filter filled_on_access interrupted_task jumped_out jumped_transfer jumped_within \
	large_storage protected_results
plain_programs += tests/system/cases/direct_read_beside tests/system/cases/error_number \
	tests/system/cases/fetched_on_access tests/system/cases/filter_probe tests/system/cases/float_status \
	tests/system/cases/found_values tests/system/cases/guarded_triangle tests/system/cases/inexact_trap \
	tests/system/cases/odd_stack tests/system/cases/own_descriptor_two tests/system/cases/syscall_filter
check_PROGRAMS += tests/system/cases/locale_report tests/system/cases/received_packets
tests_system_cases_found_values_LDADD = $(LAPACK_LIBS) $(system_test_libraries)
tests_system_cases_locale_report_LDADD = $(LAPACK_LIBS) $(system_test_libraries)
tests_system_cases_odd_stack_LDADD = $(LAPACK_LIBS) $(system_test_libraries)

check_PROGRAMS += tests/system/cases/child_filter tests/system/cases/filled_on_access \
	tests/system/cases/interrupted_task tests/system/cases/jumped_out \
	tests/system/cases/jumped_transfer tests/system/cases/jumped_within tests/system/cases/large_storage \
	tests/system/cases/protected_results
tests_system_cases_filled_on_access_LDADD = $(LAPACK_LIBS) $(system_test_libraries)
tests_system_cases_interrupted_task_LDADD = $(LAPACK_LIBS) $(system_test_libraries)
tests_system_cases_jumped_out_LDADD = $(LAPACK_LIBS) $(system_test_libraries)
tests_system_cases_protected_results_LDADD = $(LAPACK_LIBS) $(system_test_libraries)

if SANITIZED
linked_cases = tests/system/cases/linked/locale_report
else
linked_cases = $(case_programs:%=tests/system/cases/linked/%)
endif
check_SCRIPTS += $(linked_cases)
tests/system/cases/linked/%: tests/system/cases/%.$(OBJEXT) libmublas.la
	@$(MKDIR_P) $(@D)
	$(AM_V_CCLD)$(tests_system_linked_arithmetic_LINK) $< libmublas.la -lm
plain_tests += tests/system/cases.sh
TESTS += tests/system/handlers.sh
sanitizer_tests += tests/system/locale.sh
tests/system/locale.log: libmublas_shim.la $(linked_cases)
EXTRA_DIST += tests/system/cases.sh tests/system/handlers.sh tests/system/locale.sh tests/comma_locale.sh
CLEANFILES += $(linked_cases)
# Headers of these programs.
EXTRA_DIST += tests/system/cases/case.h
