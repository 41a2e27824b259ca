/*
 * The table is all there is: a new monitor is a new row.  Without
 * "-name ...,debug-threads=on" QEMU calls every thread by its own name; then
 * only kvm_entry, kvm_exit or kvm_fpu tell which ones are vCPUs.
 */
#include "traces/vcpu_names.h"

#include <string.h>

#define INDEX_DIGITS_MAX 5

static const struct {
	const char *before;
	const char *after;
	const char *monitor;
} forms[] = {
	{ "CPU ", "/KVM", "QEMU, libvirt, StratoVirt" },
	{ "CPU ", "/TCG", "QEMU TCG" },
	{ "CPU ", "/HVF", "QEMU HVF" },
	{ "CPU ", "/WHPX", "QEMU WHPX" },
	{ "CPU ", "/MSHV", "QEMU MSHV" },
	{ "fc_vcpu ", "", "Firecracker" },
	{ "vcpu", "", "Cloud Hypervisor" },
	{ "crosvm_vcpu", "", "crosvm" },
	{ "kvm-vcpu-", "", "kvmtool" },
	{ "EMT-", "", "VirtualBox" },
	{ "vmx-vcpu-", "", "VMware" },
};

/* Return: what follows the digits at @p, NULL if there are none. */
static const char *vcpu_name_index(const char *p, u32 *index)
{
	u32 val = 0;
	int nr = 0;

	for (; *p >= '0' && *p <= '9' && nr <= INDEX_DIGITS_MAX; p++, nr++)
		val = val * 10 + (u32)(*p - '0');
	if (nr == 0 || nr > INDEX_DIGITS_MAX || val >= VCPU_MAX)
		return NULL;
	if (nr > 1 && p[-nr] == '0')
		return NULL;
	*index = val;
	return p;
}

const char *vcpu_name_match(const char *comm, u32 *index)
{
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		size_t len = strlen(forms[i].before);
		const char *rest;

		if (strncmp(comm, forms[i].before, len) != 0)
			continue;
		rest = vcpu_name_index(comm + len, index);
		if (rest && strcmp(rest, forms[i].after) == 0)
			return forms[i].monitor;
	}
	return NULL;
}
