/* crossover.h - predicted times on host and device, of a BLAS call and of a LAPACK routine.
 *
 * The built-in model of calls is computed from the device's properties, the number of host cores and
 * figures measured on an H100 and its host. The times that the tuner learned on this machine
 * (learned_times.h) stand before it, curve by curve. A routine's times were measured on one machine (an
 * H100 beside 16 cores), and are powers of the order between its orders; the tuner's factors
 * (learned_times.h) multiply them. Predictions decide nothing by themselves: see interpose/policy.h. All
 * functions here are pure, but for crossover_model_here, which asks the system. */
#ifndef MUBLAS_CROSSOVER_H
#define MUBLAS_CROSSOVER_H

#include "common/blas_call.h"
#include "gpu/device.h"
#include "tuner/online/learned_times.h"
#include "tuner/online/tuning_class.h"

#include <stdint.h>

/* Rates in bytes or operations per second, times in microseconds. */
struct machine_model {
    double host_cores; /* that the host BLAS of this process may use */
    double packers;    /* that may pack what goes to the device */
    double host_bandwidth;
    double host_flops[TYPE_COUNT], host_symmetric_flops[TYPE_COUNT]; /* the second of symv and hemv */
    double host_half_rate[TYPE_COUNT]; /* cube root of the products of level 3 that run at half of that */
    double host_start_us;              /* threads beginning and ending together */
    double cache_bandwidth, cache_bytes; /* of the host, for operands that stay in its cache, */
    double near_bandwidth, near_bytes;   /* ... and in those beside its cores */
    double device_bandwidth;
    double device_flops[TYPE_COUNT];
    double link_bandwidth;   /* pinned transfers */
    double staged_bandwidth; /* matrices through staging memory, to the device */
    double vector_bandwidth; /* long vectors */
    double call_us;          /* launch, synchronise, small vectors up and down */
    double third_operand_us, update_us; /* what level 3 takes more with three matrices; rank-k updates */
    double scan_us_per_byte; /* dirty scan of tracked memory */
    double pin_us_per_byte;  /* pinning pages of 4 KiB */
    double wake_us; /* context creation and kernel loading */
    double level3_wake_us; /* opening cuBLAS */
    double level3_first_us; /* the first call of each of its routines: loading its kernels */
    double solver_wake_us;  /* the first use of cuSOLVER: its handle, and a routine's kernels */
    bool is_in_use; /* of a device on which operands may be, and not of one that may come */
    bool is_served; /* the device is another process's (crossover_serve) */
    double sharing; /* how many times as long the device takes, since others are at work on it: that is in all
                     * figures above, and multiplies what was learned; 1: it is this process's alone */
    const struct learned_times *learned; /* settled; NULL: nothing */
    bool has_reference_host; /* learned_times.c has the host's times of LAPACK that were not learned */
    bool huge_pages; /* the program's large matrices lie on huge pages from the start */
};

/* Let `learned`, settled, which must live as long as the model, go before the model's own
 * figures. */
void crossover_use_learned(struct machine_model *model, const struct learned_times *learned);

/* The built-in model. `device` NULL stands for the reference device (H100 SXM),
 * used until a device is awake. host_cores >= 1. */
struct machine_model crossover_builtin_model(const struct device_properties *device, int host_cores);

/* Abilities of the host's processors besides their number: bytes of their widest vectors, 64, 32
 * or 16, and of their last-level cache, or 0. */
void crossover_use_processors(struct machine_model *model, int widest_vector, size_t cache_bytes);

/* Both for the processors that this process may use, as many as its host BLAS has threads. */
struct machine_model crossover_model_here(const struct device_properties *device);

/* The host's BLAS is Netlib's reference (host_library_is_reference): one thread, whose rates are in
 * learned_times.c. */
void crossover_use_reference_host(struct machine_model *model);

/* Others share the device (gpu/device_sharing.h): whatever it does takes `sharing` times as long, copies over
 * its link and the prices of opening it, cuBLAS and cuSOLVER included. Once, before crossover_use_learned. */
void crossover_share(struct machine_model *model, double sharing);

/* The device is that of a service (service/), which `clients` processes of this job use side by side: to wake is to
 * connect, cuBLAS and cuSOLVER are open, and what goes up is staged by this process's threads. Once, in the stead of
 * crossover_share. */
void crossover_serve(struct machine_model *model, int clients);

/* Change the built-in figures of a model of the reference device, which are made for choices near the border,
 * into such as foretell the times of calls there on average; what was learned stays. For estimates alone. */
void crossover_foretell_calls(struct machine_model *model);

struct predicted_times {
    double host_us;
    double resident_us; /* on the device with every matrix operand resident */
    double upload_us;   /* additional cost of making the missing bytes resident */
    double new_output_us; /* of an output that was not on the device before: that is not pinned */
    double kept_us;       /* of sending a resident output again */
    struct timed_call timed; /* the rest is of the call, for who charges it for what is missing */
    struct call_work work;
};

/* Times of `call` as if all of its matrix operands were resident. Then, for who learns only later where they
 * are: `missing_bytes` of them are not on the device. `trackable`: they could stay there (and be pinned);
 * otherwise each call pays for staged copies, as it does for an output too small to be pinned. */
struct predicted_times crossover_times(const struct machine_model *model, const struct blas_call *call);
void crossover_charge_missing(const struct machine_model *model, const struct blas_call *call,
                              uint64_t missing_bytes, bool trackable, struct predicted_times *times);

/* All of that for who knows where they are. */
struct residency;
void crossover_charge_residency(const struct machine_model *model, const struct blas_call *call,
                                const struct residency *residency, struct predicted_times *times);

/* Additional microseconds of a call whose output was not on the device before: that is not pinned. */
double crossover_new_output_us(const struct machine_model *model, const struct blas_call *call);

/* Microseconds to bring bytes to the device: for the first time to trackable memory; otherwise, or where they
 * have been there before and were rewritten since, by staging, without pinning and gathering into huge
 * pages. */
double crossover_copies_us(const struct machine_model *model, double bytes, bool trackable);

/* A size (call_gated_size) below which the host always wins; a lower bound, so that the entry's gate never
 * keeps a profitable call. UINT64_MAX: never pays. */
uint64_t crossover_floor(const struct machine_model *model, enum blas_family family, enum blas_type type);

/* Below this order no route pays: the device needs some milliseconds for any. */
enum { ROUTE_ORDER_LEAST = 96 };

struct route_times {
    double host_us;    /* as many threads as the model has cores */
    double compute_us; /* on the device */
    double moving_us;  /* up and down */
    double kept_us;    /* of that, the way up of what stays on the device */
    bool own;          /* on the device by mublas' own eigensolver, if that is able to do it */
};

/* Seconds of a routine over the reference BLAS. */
double reference_host_seconds(const struct route_shape *shape, double operations);

struct route_times route_times_predict(const struct machine_model *model, const struct route_shape *shape);

/* Floating-point operations of a call by the usual counts: LAPACK's own for factorisations, solves and
 * reductions; of an eigenproblem or singular values those of the reduction and of applying it to the vectors,
 * without what depends on the values (route_times.c). A complex one counts as four real multiplications and
 * additions. */
double route_operations(const struct route_shape *shape);

/* Times of factorisations and what follows from them, by their operation counts and the measured times of
 * potrf, getrf and geqrf (route_times.c): true, and seconds in double precision on the machine measured,
 * where the family is one of these. */
bool factor_times_find(const struct route_shape *shape, double *host_seconds, double *device_seconds);

#endif
