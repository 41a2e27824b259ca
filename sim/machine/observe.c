/* Records and those who watch: the only way facts leave the machine. */
#include "sim/machine/observe.h"

#include <string.h>


struct probe_rec probe_make(const struct machine *m, enum probe_kind kind,
			    u32 pcpu, u64 time)
{
	struct probe_rec r;

	memset(&r, 0, sizeof(r));
	r.kind = (u8)kind;
	r.time = pcpu == IDX_NONE ? time :
		 min_u64(time, m->pcpu_time[pcpu].limit);
	r.cause = CAUSE_NONE;
	r.pcpu = pcpu;
	r.vm = r.vcpu = r.root = r.frame = r.page = r.id = IDX_NONE;
	return r;
}

/*
 * The text of one defect differs from use to use; keep the first per
 * invariant, kind and vCPU, so that one hole does not fill the store.
 */
static bool known_finding(const struct machine *m, const struct finding *f)
{
	for (u32 i = 0; i < m->nr_stored; i++)
		if (m->finding[i].real == f->real &&
		    m->finding[i].vcpu == f->vcpu &&
		    !strcmp(m->finding[i].invariant, f->invariant))
			return true;
	return false;
}

/* Member by member: no stack behind the text or between the members. */
static void store_finding(struct finding *to, const struct finding *f)
{
	memset(to, 0, sizeof(*to));
	to->invariant = f->invariant;
	to->real = f->real;
	to->time = f->time;
	to->vcpu = f->vcpu;
	to->pcpu = f->pcpu;
	memcpy(to->text, f->text, strnlen(f->text, sizeof(f->text) - 1));
}

static void take_finding(struct machine *m, const struct finding *f)
{
	u32 bit = 0;

	if (f->invariant[0] == 'I' && f->invariant[1] >= '1' &&
	    f->invariant[1] <= '8' && !f->invariant[2])
		bit = (u32)(f->invariant[1] - '0');
	m->nr_findings++;
	if (f->real)
		m->found_real |= VERDICT_BIT(bit);
	else
		m->found_possible |= VERDICT_BIT(bit);
	if (m->nr_stored < FINDINGS_STORED_MAX && !known_finding(m, f))
		store_finding(&m->finding[m->nr_stored++], f);
}

void probe_emit(struct machine *m, struct probe_rec *rec)
{
	struct finding f;

	if (!probe_on(m, rec->kind))
		return;
	/*
	 * An access that is under way when the scheduler or an interrupt asks
	 * for the pCPU ends a little late; what follows on that pCPU is seen
	 * after it.  A SPAN states recorded times and stays as it is.
	 */
	if (rec->pcpu != IDX_NONE && rec->kind != PROBE_SPAN) {
		rec->time = max_u64(rec->time, m->pcpu_time[rec->pcpu].last);
		m->pcpu_time[rec->pcpu].last = rec->time;
	}
	rec->seq = m->w->probe_seq++;
	if (m->cfg->tap && (m->cfg->tap_wants & BIT64(rec->kind)))
		m->cfg->tap(m->cfg->tap_arg, rec);
	for (u32 i = 0; i < m->cfg->nr_observers; i++) {
		const struct observer_ops *o = m->cfg->observers[i];

		if (!(o->wants & BIT64(rec->kind)))
			continue;
		if (o->on_probe(m->observer[i], &m->shape, rec, &f))
			take_finding(m, &f);
	}
}

void probe_vcpu(struct machine *m, enum probe_kind kind, u32 vcpu, u64 time,
		u64 a)
{
	struct probe_rec r;

	if (!probe_on(m, kind))
		return;
	r = probe_make(m, kind, m->task[vcpu].pcpu, time);
	r.vm = m->vcpu[vcpu].vm;
	r.vcpu = vcpu;
	r.a = a;
	probe_emit(m, &r);
}

bool machine_take_finding(struct machine *m, struct finding *f)
{
	if (!m->nr_findings)
		return false;
	*f = m->finding[0];
	m->nr_findings = m->nr_stored = 0;
	m->found_real = m->found_possible = 0;
	return true;
}

void machine_visit_observers(struct machine *m, struct codec *c)
{
	for (u32 i = 0; i < m->cfg->nr_observers; i++)
		m->cfg->observers[i]->visit(m->observer[i], &m->shape, c);
}

void observers_finish(struct machine *m, u64 now)
{
	struct finding f;

	for (u32 i = 0; i < m->cfg->nr_observers; i++) {
		const struct observer_ops *o = m->cfg->observers[i];

		if (o->finish && o->finish(m->observer[i], &m->shape, now,
					   &m->w->stats, &f))
			take_finding(m, &f);
	}
}
