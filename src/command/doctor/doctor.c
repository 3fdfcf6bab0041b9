#include "command/commands.h"
#include "command/doctor/checks.h"

#include <stdio.h>
#include <stdlib.h>

int doctor_run(char **arguments)
{
    struct patient patient = {.has_driver = false};
    if (*arguments) {
        fprintf(stderr, "mublas doctor: '%s': it takes no arguments\n", *arguments);
        return EXIT_BAD_COMMAND_LINE;
    }
    /* The lines say what the log would. */
    setenv("MUBLAS_VERBOSE", "0", 0);
    findings_begin(&patient.findings);
    check_settings(&patient);
    check_driver(&patient);
    check_device(&patient);
    check_kernels(&patient);
    check_links(&patient);
    check_tracking(&patient);
    check_container(&patient);
    check_host(&patient);
    check_cublas(&patient);
    check_cusolver(&patient);
    check_scalapack(&patient);
    check_mps(&patient);
    check_ranks(&patient);
    check_recipe(&patient);
    check_product(&patient);
    if (!patient.has_device)
        return EXIT_NO_DEVICE;
    return patient.findings.wrong > 0;
}
