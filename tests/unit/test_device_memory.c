/* Device memory and pins are shared with the program and with others, and given back when the
 * program's memory went away. */
#include "emulated_driver/emulated.h"
#include "gpu/device.h"
#include "operand_calls.h"
#include "unit_test.h"

#include <string.h>
#include <sys/mman.h>

#define MIB ((size_t)1 << 20)

static struct mirror_table *table;
static struct lane *lane;


/* Apart from its neighbours, so that it is a mirror of its own. */
static unsigned char *map_alone(size_t bytes)
{
    unsigned char *memory = mmap(NULL, bytes + 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + 4096, bytes, PROT_READ | PROT_WRITE) != 0)
        abort();
    memset(memory + 4096, 3, bytes);
    return memory + 4096;
}

/* Use all of it on the device, as an offloaded call does; false if that fails. */
static bool use_on_device(void *memory, size_t bytes, enum operand_access access)
{
    struct operand operand = operand_of(memory, 1024, (int64_t)(bytes / 8192), 1024, PART_FULL, access);
    struct operands_hold *hold;
    bool changed;
    if (operands_take_hold(table, lane, NULL, &operand, 1, 0, HOLD_UNPROVEN, &hold) != STATUS_OK)
        return false;
    bool good = operands_prove(hold, &changed) == STATUS_OK &&
                lane_synchronise(lane, "reading") == STATUS_OK && device_is_equal(&operand) &&
                operands_write_back(hold) == STATUS_OK;
    operands_release(hold, NULL);
    return good;
}

static bool read_on_device(void *memory, size_t bytes)
{
    return use_on_device(memory, bytes, OPERAND_READ);
}

/* MiB that mirrors have, and may have. */
struct use {
    size_t mirrors, taken, budget;
};
static struct use look(void)
{
    struct use use = {0};
    if (sscanf(mirror_table_description(table), "%zu %*[a-z], %zu of %zu MiB", &use.mirrors, &use.taken,
               &use.budget) != 3)
        abort();
    return use;
}

/* One call of eight looks at one mirror's memory, of which there are two. */
enum { FEW_CALLS = 16 };

static void test_gone(void)
{
    size_t pins = take_census().pinned;
    unsigned char *first = map_alone(32 * MIB), *second = map_alone(MIB);
    mirror_table_create(emulated_device, 100 * MIB, 100 * MIB, true, &table);
    bool good = read_on_device(first, 32 * MIB) && read_on_device(second, MIB);
    tap_ok(good && take_census().pinned == pins + 1 && look().taken > 32,
           "two matrices, the larger one pinned");
    munmap(first, 32 * MIB);
    for (int call = 0; call < FEW_CALLS; call++)
        good = good && read_on_device(second, MIB);
    tap_ok(good && take_census().pinned == pins && look().taken <= 4,
           "when it is unmapped the next few small calls give back pin and device memory");
    unsigned char *third = map_alone(32 * MIB);
    good = read_on_device(third, 32 * MIB) && read_on_device(second, MIB) && look().taken > 32;
    munmap(second, MIB);
    tap_ok(good && read_on_device(third, 32 * MIB) && look().mirrors == 1,
           "beside a large one the next call does");
    mirror_table_destroy(table);
    munmap(third, 32 * MIB);
}

/* Each in its turn, also when turns stood at mirrors that are no more: of four the pins in a call, of one the
 * memory in eight calls that read little. */
static void test_turns(void)
{
    enum { MANY = 11, CALLS = 8 * MANY };
    unsigned char *memory[MANY];
    bool good = true;
    mirror_table_create(emulated_device, 100 * MIB, 0, true, &table);
    for (int i = 0; i < MANY; i++)
        good = read_on_device(memory[i] = map_alone(MIB), MIB) && good;
    for (int i = 1; i < MANY; i++)
        munmap(memory[i] + MIB - 4096, 4096);
    for (int call = 0; call < CALLS; call++)
        good = read_on_device(memory[0], MIB) && good;
    tap_ok(good && look().mirrors == 1, "of %d mirrors those whose last page is gone go, all of them", MANY);
    for (int i = 1; i < MANY; i++) {
        munmap(memory[i], MIB - 4096);
        good = read_on_device(memory[i] = map_alone(MIB), MIB) && good;
    }
    good = read_on_device(memory[0], MIB) && good && look().mirrors == MANY;
    for (int i = 1; i < MANY; i++)
        munmap(memory[i], MIB);
    unsigned char *another = map_alone(MIB);
    good = read_on_device(another, MIB) && good && look().mirrors == 2; /* a new one lets all others go */
    munmap(another, MIB);
    for (int call = 0; call < 16; call++)
        good = read_on_device(memory[0], MIB) && good;
    tap_ok(good && look().mirrors == 1, "and turns go on among the two that are left");
    mirror_table_destroy(table);
    munmap(memory[0], MIB);
}

/* Operands that are copied for one call take nothing for good. */
static void test_stateless(void)
{
    unsigned char *memory = map_alone(72 * MIB);
    size_t before = take_census().used_bytes;
    mirror_table_create(emulated_device, 100 * MIB, 0, false, &table);
    bool good = read_on_device(memory, 72 * MIB);
    size_t during = take_census().used_bytes;
    lane_release(lane);
    size_t after = take_census().used_bytes;
    good = lane_acquire(emulated_device, &lane) == STATUS_OK && good;
    tap_ok(good && during >= before + 72 * MIB && after <= before,
           "72 MiB copied for a call go back with the lane: %zu, %zu, %zu bytes", before, during, after);
    tap_ok(read_on_device(memory, 72 * MIB) && read_on_device(memory, 72 * MIB), "and can be had again");
    mirror_table_destroy(table);
    munmap(memory, 72 * MIB);
    lane_release(lane);
    if (lane_acquire(emulated_device, &lane) != STATUS_OK)
        abort();
}

/* The setting bounds what is pinned at a time. */
static void test_pins_bounded(void)
{
    size_t pins = take_census().pinned;
    unsigned char *first = map_alone(32 * MIB), *second = map_alone(32 * MIB);
    mirror_table_create(emulated_device, 100 * MIB, 40 * MIB, true, &table);
    bool good = read_on_device(first, 32 * MIB) && read_on_device(second, 32 * MIB);
    tap_ok(good && take_census().pinned == pins + 1, "of two matrices one fits what may be pinned");
    munmap(first, 32 * MIB);
    for (int round = 0; round < 2; round++)
        good = use_on_device(second, 32 * MIB, OPERAND_UPDATE) && good;
    tap_ok(good && take_census().pinned == pins + 1, "the other is pinned when the first went away");
    mirror_table_destroy(table);
    tap_ok(take_census().pinned == pins, "and no longer than the mirrors live");
    munmap(second, 32 * MIB);
}

/* The policy's questions before a call, on a thread without a context. */
static void test_gone_between_calls(void)
{
    size_t pins = take_census().pinned;
    unsigned char *first = map_alone(32 * MIB), *second = map_alone(MIB);
    mirror_table_create(emulated_device, 100 * MIB, 100 * MIB, true, &table);
    tap_ok(read_on_device(first, 32 * MIB) && take_census().pinned == pins + 1, "a pinned matrix");
    munmap(first, 32 * MIB);
    struct operand operand = operand_of(second, 1024, 128, 1024, PART_FULL, OPERAND_READ);
    device_leave(emulated_device, &emulated_scope);
    struct residency residency = operands_residency(table, &operand, 1, NULL);
    device_enter(emulated_device, &emulated_scope);
    tap_ok(residency.trackable && take_census().pinned == pins && look().taken == 0,
           "a look at another is enough, whatever context is current");
    mirror_table_destroy(table);
    munmap(second, MIB);
}

static void test_program_takes_memory(void)
{
    CUdeviceptr program;
    enum { COUNT = 4 };
    unsigned char *matrices[COUNT];
    mirror_table_create(emulated_device, 0, 0, true, &table);
    mirror_table_follow(table, 50);
    struct use before = look();
    bool good = before.budget > 50 && before.budget <= 64;
    for (int i = 0; i < COUNT; i++)
        good = read_on_device(matrices[i] = map_alone(12 * MIB), 12 * MIB) && good;
    tap_ok(good && look().taken >= 48, "mirrors fill most of %zu MiB, half of what is free", before.budget);
    if (driver()->memory_allocate(&program, 56 * MIB) != CUDA_SUCCESS)
        abort();
    for (int call = 0; call < 256; call++)
        good = read_on_device(matrices[0], 12 * MIB) && good;
    struct use after = look();
    tap_ok(good && after.taken <= after.budget && after.budget <= before.budget - 20 && after.taken >= 12,
           "the program takes 56 MiB: mirrors give way, to %zu of %zu MiB", after.taken, after.budget);
    driver()->memory_free(program);
    for (int call = 0; call < 256; call++)
        good = read_on_device(matrices[0], 12 * MIB) && good;
    tap_ok(good && look().budget == before.budget, "and gives it back: they may have %zu MiB again",
           look().budget);
    mirror_table_destroy(table);
    for (int i = 0; i < COUNT; i++)
        munmap(matrices[i], 12 * MIB);
}

static void test_allocation_fails(void)
{
    CUdeviceptr others;
    unsigned char *first = map_alone(40 * MIB), *second = map_alone(40 * MIB);
    mirror_table_create(emulated_device, 110 * MIB, 0, true, &table);
    bool good = read_on_device(first, 40 * MIB);
    if (driver()->memory_allocate(&others, 50 * MIB) != CUDA_SUCCESS)
        abort();
    good = good && read_on_device(second, 40 * MIB);
    struct use after = look();
    tap_ok(good && after.budget < 80 && after.taken < 50,
           "others have taken memory: what was used least makes room, %zu of %zu MiB", after.taken,
           after.budget);
    tap_ok(read_on_device(first, 40 * MIB) && read_on_device(second, 40 * MIB),
           "and comes back when it is used");
    driver()->memory_free(others);
    mirror_table_destroy(table);
    munmap(first, 40 * MIB);
    munmap(second, 40 * MIB);
}

/* Not only of what is called with. Its device stays shared: the last test. */
static void test_program_uses_cuda(void)
{
    enum { PINNED = 5 };
    size_t pins = take_census().pinned;
    unsigned char *large[PINNED], *small = map_alone(MIB);
    bool good = true;
    mirror_table_create(emulated_device, 110 * MIB, 110 * MIB, true, &table);
    for (int i = 0; i < PINNED; i++)
        good = read_on_device(large[i] = map_alone(17 * MIB), 17 * MIB) && good;
    good = read_on_device(small, MIB) && good && take_census().pinned == pins + PINNED;
    CUcontext primary = NULL, popped;
    good = driver()->context_current(&primary) == CUDA_SUCCESS && primary && good;
    device_leave(emulated_device, &emulated_scope);
    driver()->context_push(primary);
    device_enter(emulated_device, &emulated_scope);
    for (int call = 0; call < 2; call++)
        good = read_on_device(small, MIB) && good;
    tap_ok(good && device_is_shared(emulated_device) && take_census().pinned == pins,
           "two calls after the program began to use CUDA none of five pins is left");
    mirror_table_destroy(table);
    device_leave(emulated_device, &emulated_scope);
    driver()->context_pop(&popped);
    device_enter(emulated_device, &emulated_scope);
    for (int i = 0; i < PINNED; i++)
        munmap(large[i], 17 * MIB);
    munmap(small, MIB);
}

UNIT_TEST(test_device_memory)
{
    setenv("EMULATED_DEVICE_MEMORY", "128M", 1);
    lane = emulated_lane();
    struct emulated_census before = take_census();
    test_gone();
    test_turns();
    test_pins_bounded();
    test_stateless();
    test_gone_between_calls();
    test_program_takes_memory();
    test_allocation_fails();
    test_program_uses_cuda();
    struct emulated_census after = take_census();
    tap_ok(after.physical == 0 && after.mappings == 0 && after.pinned == before.pinned,
           "everything was given back");
    lane_release(lane);
    return tap_done();
}
