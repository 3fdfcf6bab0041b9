/* A service and its client in one process, where ThreadSanitizer sees both: threads of a client have
 * a product of a matrix and a vector by a kernel, one of two matrices by cuBLAS, which another stream awaits, and a
 * factorisation by cuSOLVER, each with results that are right, while the service is asked how it does.
 *
 * Both sides map the control block, each at an address of its own; here both have the first one's, or
 * ThreadSanitizer would take it for two. */
#include "gpu/launch.h"
#include "gpu/vendor/solver_library.h"
#include "gpu/vendor/vendor_library.h"
#include "service/client/link.h"
#include "service/server/server.h"
#include "tap.h"

#include <math.h>
#include <poll.h>
#include <semaphore.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ORDER = 40, ELEMENTS = ORDER * ORDER, THREADS = 2, ROUNDS = 12 };
enum { WORKSPACE_BYTES = 1 << 20, COUNTER_BYTES = 4096, PATIENCE_MS = 60000 };

/* The linker leads every mmap and munmap of this program here (--wrap). */
void *__real_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset);
int __real_munmap(void *address, size_t bytes);
void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset);
int __wrap_munmap(void *address, size_t bytes);

static struct {
    pthread_mutex_t lock;
    ino_t inode;
    void *memory;
    int users;
} block = {.lock = PTHREAD_MUTEX_INITIALIZER};

void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset)
{
    struct stat state;
    if (file < 0 || bytes != sizeof(struct service_control) || fstat(file, &state) != 0)
        return __real_mmap(address, bytes, protection, flags, file, offset);
    pthread_mutex_lock(&block.lock);
    if (block.users == 0 || block.inode != state.st_ino)
        block.memory = __real_mmap(address, bytes, protection, flags, file, offset);
    block.inode = state.st_ino;
    block.users++;
    pthread_mutex_unlock(&block.lock);
    return block.memory;
}

int __wrap_munmap(void *address, size_t bytes)
{
    pthread_mutex_lock(&block.lock);
    const bool is_shared = block.users > 0 && address == block.memory && --block.users > 0;
    pthread_mutex_unlock(&block.lock);
    return is_shared ? 0 : __real_munmap(address, bytes);
}

static struct driver table;
static struct solver_functions {
    __typeof__(((struct solver_library *)0)->create) create;
    __typeof__(((struct solver_library *)0)->destroy) destroy;
    __typeof__(((struct solver_library *)0)->set_stream) set_stream;
    __typeof__(((struct solver_library *)0)->create_params) create_params;
    __typeof__(((struct solver_library *)0)->destroy_params) destroy_params;
    __typeof__(((struct solver_library *)0)->potrf_buffer) potrf_buffer;
    __typeof__(((struct solver_library *)0)->potrf) potrf;
} solver;

/* A thread of the client, and what it has. */
struct user {
    pthread_t thread;
    int number;
    const char *fault; /* NULL: none */
    CUstream first, second;
    CUevent event;
    CUdeviceptr a, c, x, y, workspace, counters, info;
    double *host; /* pinned: A, C, x, y */
    cusolverDnHandle_t handle;
    cusolverDnParams_t params;
};

#define TRY(user, call)                                \
    do {                                               \
        if (!(user)->fault && (call) != CUDA_SUCCESS) \
            (user)->fault = #call;                     \
    } while (0)

static double *matrix(const struct user *user) { return user->host; }
static double *product(const struct user *user) { return user->host + ELEMENTS; }
static double *vector(const struct user *user) { return user->host + 2 * ELEMENTS; }
static double *result(const struct user *user) { return user->host + 2 * ELEMENTS + ORDER; }

/* Symmetric and positive definite. */
static double element(const struct user *user, int round, int i, int j)
{
    return ((i + j) * 37 + i * j + 11 * round + user->number) % 101 * 0.01 + (i == j ? 2 * ORDER : 0);
}

static void begin(struct user *user)
{
    void *host = NULL;
    const size_t bytes = ELEMENTS * sizeof(double), vector_bytes = ORDER * sizeof(double);
    TRY(user, table.context_push(NULL));
    TRY(user, table.stream_create(&user->first, CU_STREAM_NON_BLOCKING));
    TRY(user, table.stream_create(&user->second, CU_STREAM_NON_BLOCKING));
    TRY(user, table.event_create(&user->event, CU_EVENT_DISABLE_TIMING));
    TRY(user, table.memory_allocate(&user->a, bytes));
    TRY(user, table.memory_allocate(&user->c, bytes));
    TRY(user, table.memory_allocate(&user->x, vector_bytes));
    TRY(user, table.memory_allocate(&user->y, vector_bytes));
    TRY(user, table.memory_allocate(&user->workspace, WORKSPACE_BYTES));
    TRY(user, table.memory_allocate(&user->counters, COUNTER_BYTES));
    TRY(user, table.memory_allocate(&user->info, sizeof(int)));
    TRY(user, table.memory_set_async(user->counters, 0, COUNTER_BYTES, user->first));
    TRY(user, table.pinned_allocate(&host, 2 * bytes + 2 * vector_bytes, 0));
    user->host = host;
    TRY(user, (CUresult)solver.create(&user->handle));
    TRY(user, (CUresult)solver.create_params(&user->params));
    TRY(user, (CUresult)solver.set_stream(user->handle, user->first));
}

static void end(struct user *user)
{
    TRY(user, (CUresult)solver.destroy_params(user->params));
    TRY(user, (CUresult)solver.destroy(user->handle));
    TRY(user, table.pinned_free(user->host));
    TRY(user, table.memory_free(user->a));
    TRY(user, table.memory_free(user->c));
    TRY(user, table.event_destroy(user->event));
    TRY(user, table.stream_destroy(user->first));
    TRY(user, table.stream_destroy(user->second));
}

static void upload(struct user *user, int round)
{
    for (int j = 0; j < ORDER; j++) {
        vector(user)[j] = 1.0 / (j + 1 + round);
        for (int i = 0; i < ORDER; i++)
            matrix(user)[i + j * ORDER] = element(user, round, i, j);
    }
    TRY(user, table.copy_to_device_async(user->a, matrix(user), ELEMENTS * sizeof(double), user->first));
    TRY(user, table.copy_to_device_async(user->x, vector(user), ORDER * sizeof(double), user->first));
}

/* y = A x, as launch() does it. */
static void multiply_vector(struct user *user)
{
    const struct blas_call call = {.family = FAMILY_GEMV, .type = TYPE_D, .m = ORDER, .n = ORDER,
                                   .alpha = blas_scalar_of(TYPE_D, 1), .beta = blas_scalar_of(TYPE_D, 0),
                                   .a = {device_pointer(user->a), ORDER, ORDER, ORDER, PART_FULL},
                                   .x = {device_pointer(user->x), ORDER, 1},
                                   .y = {device_pointer(user->y), ORDER, 1}};
    struct launch_plan plan;
    CUfunction function = NULL;
    void *parameters[] = {&plan.arguments};
    if (launch_plan_make(&call, &plan) != STATUS_OK || plan.workspace_bytes > WORKSPACE_BYTES ||
        plan.counter_bytes > COUNTER_BYTES)
        user->fault = "a plan of a launch";
    plan.arguments.matrix_vector.partials = device_pointer(user->workspace);
    plan.arguments.matrix_vector.counters = device_pointer(user->counters);
    TRY(user, table.module_function(&function, NULL, kernel_name(plan.kernel)));
    TRY(user, table.launch_kernel(function, (unsigned)plan.items, 1, 1, plan.threads, 1, 1,
                                  (unsigned)plan.shared_bytes, user->first, parameters, NULL));
}

/* C = A A, in the first stream; the second brings it back. */
static void multiply_matrix(struct user *user)
{
    const struct blas_matrix a = {device_pointer(user->a), ORDER, ORDER, ORDER, PART_FULL};
    struct blas_matrix c = a;
    c.pointer = device_pointer(user->c);
    const struct blas_call call = {.family = FAMILY_GEMM, .type = TYPE_D, .m = ORDER, .n = ORDER, .k = ORDER,
                                   .alpha = blas_scalar_of(TYPE_D, 1), .a = a, .b = a, .c = c};
    TRY(user, service_vendor_provider.level3(user->first, &call));
    TRY(user, table.event_record(user->event, user->first));
    TRY(user, table.stream_wait_event(user->second, user->event, 0));
    TRY(user, table.copy_to_host_async(product(user), user->c, ELEMENTS * sizeof(double), user->second));
    TRY(user, table.copy_to_host_async(result(user), user->y, ORDER * sizeof(double), user->second));
    TRY(user, table.stream_synchronise(user->second));
}

static void check_products(struct user *user, int round)
{
    double worst = 0;
    for (int i = 0; i < ORDER; i++) {
        double of_vector = -result(user)[i];
        for (int k = 0; k < ORDER; k++)
            of_vector += element(user, round, i, k) * vector(user)[k];
        worst = isnan(of_vector) ? INFINITY : fmax(worst, fabs(of_vector));
        for (int j = 0; j < ORDER; j++) {
            double of_matrix = -product(user)[i + j * ORDER];
            for (int k = 0; k < ORDER; k++)
                of_matrix += element(user, round, i, k) * element(user, round, k, j);
            worst = isnan(of_matrix) ? INFINITY : fmax(worst, fabs(of_matrix));
        }
    }
    if (!user->fault && !(worst < 1e-9))
        user->fault = "a product is wrong";
}

/* A = L L^T, by a thread of the service's own. */
static void factor(struct user *user, int round)
{
    static char host[THREADS][WORKSPACE_BYTES];
    void *const a = device_pointer(user->a);
    size_t device_bytes = 0, host_bytes = 0;
    double worst = 0;
    TRY(user, (CUresult)solver.potrf_buffer(user->handle, user->params, CUBLAS_FILL_MODE_LOWER, ORDER,
                                            CUDA_R_64F, a, ORDER, CUDA_R_64F, &device_bytes, &host_bytes));
    if (device_bytes > WORKSPACE_BYTES || host_bytes > WORKSPACE_BYTES)
        user->fault = "a workspace";
    TRY(user, (CUresult)solver.potrf(user->handle, user->params, CUBLAS_FILL_MODE_LOWER, ORDER, CUDA_R_64F, a,
                                     ORDER, CUDA_R_64F, device_pointer(user->workspace), device_bytes,
                                     host[user->number], host_bytes, device_pointer(user->info)));
    TRY(user, table.copy_to_host_async(matrix(user), user->a, ELEMENTS * sizeof(double), user->first));
    TRY(user, table.stream_synchronise(user->first));
    for (int i = 0; i < ORDER; i++)
        for (int j = 0; j <= i; j++) {
            double sum = -element(user, round, i, j);
            for (int k = 0; k <= j; k++)
                sum += matrix(user)[i + k * ORDER] * matrix(user)[j + k * ORDER];
            worst = isnan(sum) ? INFINITY : fmax(worst, fabs(sum));
        }
    if (!user->fault && !(worst < 1e-9))
        user->fault = "a factor is wrong";
}

static void *use(void *argument)
{
    struct user *const user = argument;
    begin(user);
    for (int round = 0; round < ROUNDS && !user->fault; round++) {
        upload(user, round);
        multiply_vector(user);
        multiply_matrix(user);
        check_products(user, round);
        factor(user, round);
    }
    end(user);
    return NULL;
}

static void find(const char *name, void *place)
{
    void *const address = service_vendor_provider.symbol(name);
    if (!address)
        tap_ok(false, "there is no %s", name);
    memcpy(place, &address, sizeof address);
}

static bool open_libraries(void)
{
    if (!service_vendor_provider.open("cuBLAS") || !service_vendor_provider.open("cuSOLVER"))
        return false;
    find("cusolverDnCreate", &solver.create);
    find("cusolverDnDestroy", &solver.destroy);
    find("cusolverDnSetStream", &solver.set_stream);
    find("cusolverDnCreateParams", &solver.create_params);
    find("cusolverDnDestroyParams", &solver.destroy_params);
    find("cusolverDnXpotrf_bufferSize", &solver.potrf_buffer);
    find("cusolverDnXpotrf", &solver.potrf);
    return tap_failures == 0;
}

/* The first line of the answer of the service; "": none came. */
static const char *ask(enum service_request request)
{
    static struct service_identity identity;
    static char text[8192];
    const char *why = NULL;
    const int socket = service_identity_make(&identity) ? service_connect_socket(&identity, &why) : -1;
    struct pollfd waits = {.fd = socket, .events = POLLIN};
    const bool is_told =
        socket >= 0 && service_greet(socket, &identity, request) && poll(&waits, 1, PATIENCE_MS) > 0;
    const ssize_t got = is_told ? recv(socket, text, sizeof text - 1, MSG_DONTWAIT) : 0;
    text[got > 0 ? got : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    if (socket >= 0)
        close(socket);
    return text;
}

static sem_t is_ready;
static int status = -1;

static void say_ready(void *context)
{
    sem_post(context);
}

static void *serve(void *unused)
{
    (void)unused;
    status = server_run(true, say_ready, &is_ready);
    sem_post(&is_ready); /* where it never was */
    return NULL;
}

static void use_service(void)
{
    static struct user users[THREADS];
    service_fill_table(&table);
    tap_ok(open_libraries(), "a client has the service's libraries");
    for (int i = 0; i < THREADS; i++) {
        users[i].number = i;
        pthread_create(&users[i].thread, NULL, use, &users[i]);
    }
    tap_ok(strstr(ask(REQUEST_STATUS), " to 1 client;"), "meanwhile the service says whom it serves");
    for (int i = 0; i < THREADS; i++) {
        pthread_join(users[i].thread, NULL);
        tap_ok(!users[i].fault, "thread %d has right results%s%s", i, users[i].fault ? ": " : "",
               users[i].fault ? users[i].fault : "");
    }
}

int main(void)
{
    char folder[] = "/tmp/mublas-loopback-XXXXXX";
    const char *why = NULL;
    pthread_t server;
    if (!mkdtemp(folder))
        return 1;
    setenv("XDG_RUNTIME_DIR", folder, 1);
    setenv("EMULATED_DMA", "0", 1); /* copies that ThreadSanitizer sees */
    sem_init(&is_ready, 0, 0);
    pthread_create(&server, NULL, serve, NULL);
    sem_wait(&is_ready);
    if (tap_ok(link_open(&why), "a client of this process connects%s%s", why ? ": " : "", why ? why : "")) {
        use_service();
        link_close();
        tap_ok(strstr(ask(REQUEST_STOP), "ends with the last"), "the service is told to end");
    }
    pthread_join(server, NULL);
    tap_ok(status == 0, "it ends well");
    tap_ok(rmdir(folder) == 0, "and nothing is left of it");
    return tap_done();
}
