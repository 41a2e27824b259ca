#include "sim/report/guest_text.h"

#include <stdio.h>

struct guest_text guest_flush_operand(const struct probe_rec *r)
{
	struct guest_text t = { "" };

	switch (r->op) {
	case FLUSH_INVPCID_ADDR:
	case FLUSH_INVPCID_SINGLE:
		snprintf(t.text, sizeof(t.text), " of PCID %u", r->id);
		break;
	case FLUSH_MOV_CR3:
		if (r->id)
			snprintf(t.text, sizeof(t.text), " to PCID %u", r->id);
		break;
	case FLUSH_INVLPG:
		if (r->page == ADDRESS_GLOBAL)
			snprintf(t.text, sizeof(t.text), " of a global page");
		break;
	default:
		break;
	}
	return t;
}

const char *guest_mapping_text(u32 mapping)
{
	static const char *const texts[MAPPING_NR] = {
		[MAPPING_PCID0] = "", [MAPPING_PCID1] = " under PCID 1",
		[MAPPING_GLOBAL] = ", a global one",
	};

	return mapping < MAPPING_NR ? texts[mapping] : "";
}

bool flush_op_is_guest(u8 op)
{
	switch (op) {
	case FLUSH_MOV_CR3:
	case FLUSH_INVLPG:
	case FLUSH_INVPCID_ADDR:
	case FLUSH_INVPCID_SINGLE:
	case FLUSH_INVPCID_ALL:
	case FLUSH_INVPCID_NONGLOBAL:
		return true;
	default:
		return false;
	}
}
