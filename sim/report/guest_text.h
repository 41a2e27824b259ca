/* Words for what a guest flushes, where it has PCIDs and global pages. */
#ifndef SIM_REPORT_GUEST_TEXT_H
#define SIM_REPORT_GUEST_TEXT_H

#include "sim/core/probe.h"

/**
 * struct guest_text - a few words
 * @text: to be put behind the name of an instruction; may be empty
 */
struct guest_text {
	char text[24];
};

/**
 * guest_flush_operand() - what a guest's instruction names
 * @r: FLUSH by the guest
 *
 * Return: " of PCID 1" or the like; empty for PCID 0 and where there is none.
 */
struct guest_text guest_flush_operand(const struct probe_rec *r);

/**
 * guest_mapping_text() - which mapping
 * @mapping: enum guest_mapping
 *
 * Return: a static string to be put behind a vCPU; empty for the first.
 */
const char *guest_mapping_text(u32 mapping);

/**
 * flush_op_is_guest() - is it an instruction that a guest executes?
 * @op: enum flush_op
 *
 * Return: false for what KVM or hardware does.
 */
bool flush_op_is_guest(u8 op);

#endif /* SIM_REPORT_GUEST_TEXT_H */
