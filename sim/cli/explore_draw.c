#include "sim/cli/explore_draw.h"

#include <stdio.h>
#include <string.h>

#include "models/l0/l0.h"
#include "sim/cli/explore_told.h"

static u32 host_lane(const struct draw *d)
{
	return d->r->machine.config.nr_pcpus;
}

void draw_begin(struct draw *d, struct lanes *picture,
		const struct explore_run *r)
{
	u32 pcpus = r->machine.config.nr_pcpus;

	lanes_init(picture, pcpus + 1);
	memset(d, 0xff, sizeof(*d));	/* IDX_NONE everywhere */
	d->picture = picture;
	d->r = r;
	d->rows_before = 0;
	for (u32 p = 0; p < pcpus; p++)
		snprintf(picture->name[p], sizeof(picture->name[p]), "pCPU %u", p);
	snprintf(picture->name[pcpus], sizeof(picture->name[pcpus]),
		 "host, on no pCPU");
}

static u32 begin_bar(struct draw *d, u32 lane, u32 from, u8 kind, u32 task)
{
	bool vcpu = task < d->r->machine.config.nr_vcpus;
	struct lanes_bar bar = {
		.lane = lane, .from = from, .to = UINT32_MAX, .kind = kind,
		.colour = vcpu ? task % LANES_COLOURS : LANES_GREY,
	};

	/* The host thread of a VM also stands in for that of hotplug. */
	if (vcpu)
		snprintf(bar.text, sizeof(bar.text), "vCPU %u", task);
	else
		snprintf(bar.text, sizeof(bar.text), "host thread");
	return lanes_add_bar(d->picture, &bar);
}

/* An action that brings a thread or takes it away belongs to its stay. */
void draw_threads(struct draw *d, const struct machine *m)
{
	const struct machine_config *c = &d->r->machine.config;
	u32 rows = d->picture->nr_steps;

	for (u32 t = 0; t < c->nr_vcpus + c->nr_vms; t++) {
		u32 pcpu = machine_task_pcpu(m, t);

		if (pcpu == d->where[t])
			continue;
		if (d->where[t] != IDX_NONE)
			lanes_end_bar(d->picture, d->slice[t], 2 * rows);
		if (pcpu != IDX_NONE)
			d->slice[t] = begin_bar(d, pcpu, 2 * d->rows_before,
						LANES_SLICE, t);
		d->where[t] = pcpu;
	}
	d->rows_before = rows;
}

void draw_step(struct draw *d, u32 row, u32 pcpu, const char *brief)
{
	struct lanes_step step = {
		.nr = row + 1, .lane = pcpu == IDX_NONE ? host_lane(d) : pcpu,
	};

	snprintf(step.text, sizeof(step.text), "%s", brief);
	lanes_add_step(d->picture, &step);
}

static void acknowledged(struct draw *d, const struct probe_rec *r, u32 row)
{
	u32 sender = (u32)r->a, *sent = &d->sent[r->pcpu][sender];

	if (*sent != IDX_NONE)
		lanes_add_arrow(d->picture, &(struct lanes_arrow){
				.from_lane = sender, .from_row = *sent,
				.to_lane = r->pcpu, .to_row = row,
				.kind = LANES_SIGNAL });
	*sent = IDX_NONE;
}

void draw_record(struct draw *d, const struct probe_rec *r)
{
	u32 row = d->picture->nr_steps - 1;

	switch (r->kind) {
	case PROBE_CONTEXT:
		if (d->inside[r->pcpu] == IDX_NONE)
			d->inside[r->pcpu] = begin_bar(d, r->pcpu, 2 * row + 1,
						       LANES_INSIDE, r->vcpu);
		break;
	case PROBE_EXIT:
		if (d->inside[r->pcpu] != IDX_NONE)
			lanes_end_bar(d->picture, d->inside[r->pcpu],
				      2 * row + 1);
		d->inside[r->pcpu] = IDX_NONE;
		break;
	case PROBE_IPI:
		d->sent[r->a][r->pcpu] = row;
		break;
	case PROBE_IPI_ACK:
		acknowledged(d, r, row);
		break;
	default:
		break;
	}
}

static void add_lost(struct draw *d)
{
	u32 nr = host_lane(d);

	for (u32 to = 0; to < nr; to++)
		for (u32 from = 0; from < nr; from++)
			if (d->sent[to][from] != IDX_NONE)
				lanes_add_arrow(d->picture, &(struct lanes_arrow){
						.from_lane = from, .to_lane = to,
						.from_row = d->sent[to][from],
						.to_row = d->sent[to][from],
						.kind = LANES_LOST_SIGNAL });
}

static void add_verdict(struct draw *d, const struct explored *e,
			const struct draw_cause *cause)
{
	u32 pcpu = e->finding.pcpu;
	struct lanes_step step = {
		.lane = pcpu == IDX_NONE ? host_lane(d) : pcpu,
		.mark = LANES_VERDICT,
	};
	u32 row;

	snprintf(step.text, sizeof(step.text), "%s: %s", e->finding.invariant,
		 e->finding.text);
	row = lanes_add_step(d->picture, &step);
	lanes_add_arrow(d->picture, &(struct lanes_arrow){
			.from_lane = d->picture->step[cause->step].lane,
			.from_row = cause->step, .to_lane = step.lane,
			.to_row = row, .kind = LANES_CAUSE });
}

static void add_words(struct draw *d, const struct told *t,
		      const struct explored *e, u32 kind)
{
	const struct machine_config *c = &d->r->machine.config;
	struct lanes *l = d->picture;
	u32 each = c->nr_vcpus / c->nr_vms;

	snprintf(l->title, sizeof(l->title), "%s: %s broken in %u steps",
		 c->policy->spelling, e->finding.invariant, t->nr);
	snprintf(l->note, sizeof(l->note), "%u pCPU%s, %u VM%s of %u vCPU%s, %s below.%s Found in a model of KVM v6.12, unconfirmed upstream.",
		 c->nr_pcpus, c->nr_pcpus > 1 ? "s" : "", c->nr_vms,
		 c->nr_vms > 1 ? "s" : "", each, each > 1 ? "s" : "",
		 c->l0->kind == L0_BARE ? "bare metal" : "Hyper-V",
		 e->shortest ? " No schedule is shorter." : "");
	l->legend[LANES_SIGNAL] = "IPI, to where it is acknowledged";
	l->legend[LANES_LOST_SIGNAL] = "IPI that nobody has acknowledged yet";
	l->legend[LANES_CAUSE] = kind == PROBE_ACK || kind == PROBE_GUEST_FLUSH ?
		"from the flush that has returned to the use it should have prevented" :
		"from what may have been cached to the use of it";
}

void draw_end(struct draw *d, const struct told *t, const struct explored *e,
	      const struct draw_cause *cause)
{
	struct lanes *l = d->picture;
	bool hosts = false;

	if (l->failed)
		return;
	for (u32 i = 0; i < t->nr; i++)
		l->step[i].mark = i == t->broken ? LANES_BREAKS :
				  t->step[i].essential ? LANES_MATTERS :
							 LANES_PLAIN;
	add_words(d, t, e, cause->kind);
	add_lost(d);
	add_verdict(d, e, cause);
	for (u32 i = 0; i < l->nr_steps && !l->failed; i++)
		hosts |= l->step[i].lane == host_lane(d);
	if (!hosts)
		l->nr_lanes--;
}
