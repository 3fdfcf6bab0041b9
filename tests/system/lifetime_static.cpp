// C++ objects whose constructors and destructors call BLAS.
#include "lifetime.h"

#include <thread>

namespace {

struct Caller {
    explicit Caller(const char *created, const char *gone) : gone(gone)
    {
        call_in(created);
    }
    ~Caller()
    {
        call_in(gone);
    }
    const char *gone;
};

Caller global("static initialiser", "static object's destructor");

void use_local()
{
    thread_local Caller local("thread-local initialiser", "thread-local object's destructor");
    (void)local;
}

} // namespace

void run_thread_with_local()
{
    std::thread(use_local).join();
}
