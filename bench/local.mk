# bench programs: check_PROGRAMS, so that they are built with the tests.
