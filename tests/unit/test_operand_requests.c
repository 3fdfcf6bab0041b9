/* What calls on resident matrices ask the kernel for: how often, and about how much memory. */
#include "operand_table.h"

#include "mirror/kernel_interface.h"

#include <linux/userfaultfd.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

static struct {
    unsigned scans, changes; /* requests; changes of protection beside them */
    size_t scanned;          /* bytes */
} asked;

/* The C library's, counted. */
int ioctl(int descriptor, unsigned long request, ...)
{
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    if (request == PAGEMAP_SCAN_REQUEST) {
        const struct pagemap_scan_request *scan = argument;
        asked.scans++;
        asked.scanned += scan->end - scan->start;
    }
    asked.changes += request == UFFDIO_WRITEPROTECT;
    return (int)syscall(SYS_ioctl, descriptor, request, argument);
}

enum { BYTES = 160 << 10 }; /* of an operand */

/* The last of some calls with three operands of the memory, which follow each other after `distance`
 * bytes. */
static bool warm_call(unsigned char *memory, size_t distance, enum operand_access access, bool defer)
{
    struct operand operands[3];
    bool good = true, changed;
    for (int i = 0; i < 3; i++)
        operands[i] = whole(memory + (size_t)i * distance, BYTES, i < 2 ? OPERAND_READ : access);
    for (int i = 0; i < 3 && good; i++) {
        struct operands_hold *hold;
        memset(&asked, 0, sizeof asked);
        if (!defer)
            good = run_call(table, lane, operands, 3, &state, 0).equal;
        else if ((good = operands_hold_unproven(table, lane, operands, 3, 0, &hold) == STATUS_OK)) {
            good = operands_prove(hold, &changed) == STATUS_OK && lane_synchronise(lane, "uploading") == STATUS_OK &&
                   device_is_equal(&operands[0]) && operands_write_back(hold) == STATUS_OK;
            operands_release(hold, NULL);
        }
    }
    return good;
}

static void test_apart(void)
{
    const size_t distance = 40 * MIB, bytes = 2 * distance + MIB;
    unsigned char *memory = map(bytes);
    open_table(256 * MIB, 0);
    tap_ok(warm_call(memory, distance, OPERAND_READ, false) && asked.scans == 3 && asked.scanned <= 3 * 4 * MIB,
           "three matrices far apart in one mapping are three scans of %zu KiB", asked.scanned >> 10);
    tap_ok(warm_call(memory, distance, OPERAND_READ, true) && asked.scans == 3 && asked.scanned <= 3 * 4 * MIB,
           "also beside the kernel (%zu KiB)", asked.scanned >> 10);
    memory[distance + 5] ^= 1;
    tap_ok(warm_call(memory, distance, OPERAND_READ, false), "what is written to the middle one is seen");
    tap_ok(warm_call(memory, distance, OPERAND_UPDATE, false) && asked.scans == 4 && asked.changes == 1,
           "an updated one is opened and looked at again (%u, %u)", asked.scans, asked.changes);
    unmap(memory, bytes);
    mirror_table_destroy(table);
}

static void test_neighbours(void)
{
    unsigned char *memory = map(MIB);
    open_table(64 * MIB, 0);
    tap_ok(warm_call(memory, BYTES, OPERAND_READ, false) && asked.scans == 1, "neighbours are one scan");
    tap_ok(warm_call(memory, 2 * BYTES, OPERAND_READ, true) && asked.scans == 1, "with a little between them, too");
    unmap(memory, MIB);
    mirror_table_destroy(table);
}

int main(void)
{
    page = (size_t)1 << page_shift();
    lane = emulated_lane();
    unsigned char *memory = map(MIB);
    open_table(64 * MIB, 0);
    const bool tracked = call_read(memory, MIB) > 0 && is_resident(memory, MIB);
    unmap(memory, MIB);
    mirror_table_destroy(table);
    if (!tracked)
        tap_skip_all("host writes cannot be tracked here");
    test_apart();
    test_neighbours();
    lane_release(lane);
    return tap_done();
}
