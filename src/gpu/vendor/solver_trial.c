#include "gpu/vendor/solver_library.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER = 8, OTHER_TRIANGLE = 777, NOT_SET = 77 };
#define TOLERANCE 1e-12

/* The numbers that go up and come home: a matrix by columns, and a vector. */
struct numbers {
    double a[ORDER][ORDER], x[ORDER];
    int info;
};

struct trial {
    struct solver_handle handle;
    struct numbers numbers;
    CUdeviceptr device; /* the same */
    CUdeviceptr device_buffer;
    void *host_buffer;
    size_t device_bytes, host_bytes; /* of the buffers, the most that any routine wants */
    enum status status; /* of the step that failed: STATUS_OUT_OF_MEMORY says nothing of the library */
    char *fault;
};

/* In device memory. */
static void *at(const struct trial *trial, size_t offset)
{
    return device_pointer(trial->device + offset);
}

static void *workspace(const struct trial *trial)
{
    return device_pointer(trial->device_buffer);
}

static void *matrix(const struct trial *trial)
{
    return at(trial, offsetof(struct numbers, a));
}

static void *vector(const struct trial *trial)
{
    return at(trial, offsetof(struct numbers, x));
}

static int *information(const struct trial *trial)
{
    return at(trial, offsetof(struct numbers, info));
}

static bool is_near(double value, double wanted)
{
    return fabs(value - wanted) <= TOLERANCE; /* not where it is not a number */
}

/* The lower triangle; the other is nobody's. The vector: what solves to 1, 2, 3... */
static void set_numbers(struct numbers *numbers)
{
    for (int column = 0; column < ORDER; column++) {
        for (int row = 0; row < ORDER; row++)
            numbers->a[column][row] = row == column       ? 2
                                      : row == column + 1 ? -1
                                      : row > column      ? 0
                                                          : OTHER_TRIANGLE;
        numbers->x[column] = column + 2;
    }
    numbers->info = NOT_SET;
}

static int run_potrf(const struct trial *trial)
{
    const struct solver_handle *with = &trial->handle;
    return with->library->potrf(with->solver, with->params, CUBLAS_FILL_MODE_LOWER, ORDER, CUDA_R_64F,
                                matrix(trial), ORDER, CUDA_R_64F, workspace(trial), trial->device_bytes,
                                trial->host_buffer, trial->host_bytes, information(trial));
}

static bool is_factor(const struct numbers *numbers)
{
    bool good = numbers->info == 0;
    for (int column = 0; column < ORDER; column++) {
        const double diagonal = sqrt((column + 2.) / (column + 1.));
        for (int row = column; row < ORDER; row++)
            good = good && is_near(numbers->a[column][row], row == column       ? diagonal
                                                            : row == column + 1 ? -1 / diagonal
                                                                                : 0);
    }
    return good;
}

static int run_syevd(const struct trial *trial)
{
    const struct solver_handle *with = &trial->handle;
    return with->library->syevd(with->solver, with->params, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER,
                                ORDER, CUDA_R_64F, matrix(trial), ORDER, CUDA_R_64F, vector(trial),
                                CUDA_R_64F, workspace(trial), trial->device_bytes, trial->host_buffer,
                                trial->host_bytes, information(trial));
}

/* True where v has length 1, and the matrix times v is `value` times v. */
static bool is_eigenvector(const double *v, double value)
{
    double squares = 0;
    bool good = true;
    for (int row = 0; row < ORDER; row++) {
        const double before = row > 0 ? v[row - 1] : 0, after = row < ORDER - 1 ? v[row + 1] : 0;
        good = good && is_near(2 * v[row] - before - after, value * v[row]);
        squares += v[row] * v[row];
    }
    return good && is_near(squares, 1);
}

static bool are_eigenvectors(const struct numbers *numbers)
{
    bool good = numbers->info == 0;
    for (int k = 0; k < ORDER; k++) {
        const double value = 2 - 2 * cos((k + 1) * M_PI / (ORDER + 1));
        good = good && is_near(numbers->x[k], value) && is_eigenvector(numbers->a[k], value);
    }
    return good;
}

static int run_trsm(const struct trial *trial)
{
    const double one = 1;
    return solver_trsm(&trial->handle, TYPE_D, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                       CUBLAS_DIAG_NON_UNIT, ORDER, 1, &one, matrix(trial), ORDER, vector(trial), ORDER);
}

static bool is_solution(const struct numbers *numbers)
{
    bool good = true;
    for (int row = 0; row < ORDER; row++)
        good = good && is_near(numbers->x[row], row + 1);
    return good;
}

static const struct question {
    const char *name;
    int (*run)(const struct trial *trial);
    bool (*is_right)(const struct numbers *numbers);
} pair_questions[] = {
    {"cusolverDnXpotrf", run_potrf, is_factor},
    {"cublasDtrsm", run_trsm, is_solution},
    {NULL, NULL, NULL},
}, eigen_questions[] = {
    {"cusolverDnXsyevd", run_syevd, are_eigenvectors},
    {NULL, NULL, NULL},
};

static bool has_copied(struct trial *trial, CUresult result)
{
    trial->status = device_check(trial->handle.library->device, result, "trying cuSOLVER");
    if (trial->status == STATUS_OK)
        return true;
    snprintf(trial->fault, SOLVER_FAULT_BYTES, "its trial failed on the device (%s)",
             driver_error_name(result));
    return false;
}

static bool is_answered(struct trial *trial, const struct question *question)
{
    CUstream stream = trial->handle.stream;
    set_numbers(&trial->numbers);
    if (!has_copied(trial, driver()->copy_to_device_async(trial->device, &trial->numbers,
                                                          sizeof trial->numbers, stream)))
        return false;
    const int result = question->run(trial);
    if (result != 0) {
        trial->status = result == CUSOLVER_STATUS_ALLOC_FAILED ? STATUS_OUT_OF_MEMORY : STATUS_UNSUPPORTED;
        snprintf(trial->fault, SOLVER_FAULT_BYTES, "its trial failed, %s (status %d)", question->name,
                 result);
        return false;
    }
    if (!has_copied(trial, driver()->copy_to_host_async(&trial->numbers, trial->device, sizeof trial->numbers,
                                                        stream)) ||
        !has_copied(trial, driver()->stream_synchronise(stream)))
        return false;
    if (!question->is_right(&trial->numbers)) {
        trial->status = STATUS_UNSUPPORTED;
        snprintf(trial->fault, SOLVER_FAULT_BYTES, "%s computes wrong numbers", question->name);
        return false;
    }
    return true;
}

static int ask_workspace(struct trial *trial)
{
    const struct solver_handle *with = &trial->handle;
    size_t device[2] = {0, 0}, host[2] = {0, 0};
    int result = with->library->potrf_buffer(with->solver, with->params, CUBLAS_FILL_MODE_LOWER, ORDER,
                                             CUDA_R_64F, matrix(trial), ORDER, CUDA_R_64F, &device[0],
                                             &host[0]);
    if (result == CUSOLVER_STATUS_SUCCESS)
        result = with->library->syevd_buffer(with->solver, with->params, CUSOLVER_EIG_MODE_VECTOR,
                                             CUBLAS_FILL_MODE_LOWER, ORDER, CUDA_R_64F, matrix(trial), ORDER,
                                             CUDA_R_64F, vector(trial), CUDA_R_64F, &device[1], &host[1]);
    trial->device_bytes = device[0] > device[1] ? device[0] : device[1];
    trial->host_bytes = host[0] > host[1] ? host[0] : host[1];
    return result;
}

static bool has_memory(struct trial *trial)
{
    struct device *device = trial->handle.library->device;
    if (device_allocate(device, sizeof trial->numbers, &trial->device) == STATUS_OK) {
        const int result = ask_workspace(trial);
        if (result != CUSOLVER_STATUS_SUCCESS) {
            trial->status = STATUS_UNSUPPORTED;
            snprintf(trial->fault, SOLVER_FAULT_BYTES, "it does not tell its workspace (status %d)", result);
            return false;
        }
        trial->host_buffer = malloc(trial->host_bytes + 1);
        if (trial->host_buffer &&
            device_allocate(device, trial->device_bytes + 1, &trial->device_buffer) == STATUS_OK)
            return true;
    }
    trial->status = STATUS_OUT_OF_MEMORY;
    snprintf(trial->fault, SOLVER_FAULT_BYTES, "there is no memory for its trial");
    return false;
}

static bool has_handle(const struct solver_library *library, struct trial *trial, CUstream *stream)
{
    trial->status = device_check(library->device, driver()->stream_create(stream, CU_STREAM_NON_BLOCKING),
                                 "creating a stream");
    if (trial->status == STATUS_OK)
        trial->status = solver_handle_make(library, *stream, &trial->handle, trial->fault);
    else
        snprintf(trial->fault, SOLVER_FAULT_BYTES, "there is no stream for its trial");
    return trial->status == STATUS_OK;
}

static enum status try_questions(const struct solver_library *library, const struct question *questions,
                                 char fault[SOLVER_FAULT_BYTES])
{
    struct trial trial = {.fault = fault};
    CUstream stream = NULL;
    bool good = has_handle(library, &trial, &stream) && has_memory(&trial);
    for (const struct question *question = questions; question->name && good; question++)
        good = is_answered(&trial, question);
    /* The copies and routines may still be at work on what goes now. */
    if (stream && device_is_usable(library->device))
        driver()->stream_synchronise(stream);
    solver_handle_destroy(&trial.handle);
    device_free(library->device, trial.device_buffer);
    device_free(library->device, trial.device);
    free(trial.host_buffer);
    if (stream && device_is_usable(library->device))
        driver()->stream_destroy(stream);
    return good ? STATUS_OK : trial.status;
}

bool solver_trial_passes(const struct solver_library *library, char fault[SOLVER_FAULT_BYTES])
{
    return try_questions(library, pair_questions, fault) == STATUS_OK;
}

enum status solver_trial_of_eigensolvers(const struct solver_library *library, char fault[SOLVER_FAULT_BYTES])
{
    return try_questions(library, eigen_questions, fault);
}
