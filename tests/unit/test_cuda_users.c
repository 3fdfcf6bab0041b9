/* Which loaded objects make a program one that uses CUDA itself? */
#include "mirror/cuda_users.h"
#include "tap.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

/* In a child: what is found stays. */
static bool present_with(const char *library)
{
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (cuda_users_present() || !dlopen(library, RTLD_NOW | RTLD_LOCAL))
            _exit(2);
        _exit(cuda_users_present());
    }
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) > 1)
        tap_ok(false, "%s can be loaded", library);
    return WEXITSTATUS(status) == 1;
}

int main(void)
{
    tap_ok(!cuda_users_present(), "this program does not use CUDA");
    tap_ok(!present_with("libcuda.so.1"), "nor does it when mublas loads the driver");
    tap_ok(!present_with("libcublas.so.13"), "or cuBLAS, which links the driver");
    tap_ok(!present_with("libm.so.6"), "or somebody another library");
    tap_ok(present_with("tests/unit/.libs/device_code.so"), "a library with device code tells");
    tap_ok(present_with("tests/unit/.libs/driver_user.so"), "so does one that links the driver");
    tap_ok(present_with("tests/unit/.libs/driver_opener.so"), "and one that opens it by its name");
    return tap_done();
}
