#include "tests/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/base/rng.h"
#include "sim/check/list.h"

static void set_tlb(struct hw_geometry *g, u32 level, u32 side, u32 entries,
		    u32 ways)
{
	struct tlb_struct_geometry *s = &g->tlb[g->nr_structs++];

	snprintf(s->name, sizeof(s->name), "t%u", g->nr_structs);
	s->level = level;
	s->side = side;
	s->entries = entries;
	s->ways = ways;
	s->holds_4k = s->holds_2m = true;
}

void fixture_init(struct fixture *f, u32 nr_pcpus, u32 nr_vms, u32 vcpus_per_vm)
{
	memset(f, 0, sizeof(*f));
	set_tlb(&f->geometry, 1, TLB_SIDE_DATA, 16, 4);
	set_tlb(&f->geometry, 1, TLB_SIDE_INSTR, 16, 4);
	set_tlb(&f->geometry, 2, TLB_SIDE_BOTH, 128, 8);
	f->geometry.psc_pml4e = f->geometry.psc_pdpte = 4;
	f->geometry.psc_pde = f->geometry.guest_phys_entries = 16;
	f->geometry.guest_levels = f->geometry.ept_levels = 4;

	f->costs.clock_khz = 1000000;
	for (u32 k = 0; k < COST_NR; k++) {
		f->costs.row[k].applies = true;
		f->costs.row[k].cycles = 100 + k;
		f->costs.row[k].lo_cycles = 50;
		f->costs.row[k].hi_cycles = 200;
	}
	f->workload = (struct workload_params){
		.working_set_pages = 40, .shared_pages = 10,
		.code_permille = 125, .hot_pages = 8, .hot_permille = 800,
		.locality = LOCALITY_HOT, .accesses_per_us = 10,
		.strict_per_s = 20000, .upgrade_per_s = 3000,
		.accessed_clear_per_s = 3000, .guest_flush_per_s = 20000,
		.guest_flush_full_permille = 300, .root_reload_per_s = 3000,
		.nested_per_s = 3000, .nested_epts = 2, .memslot_delete_per_s = 500,
		.exit_per_s = 20000,
	};
	for (u32 v = 0; v < nr_vms * vcpus_per_vm; v++) {
		f->vm_of_vcpu[v] = v / vcpus_per_vm;
		f->vcpu[v].vm = v / vcpus_per_vm;
		f->vcpu[v].index = v % vcpus_per_vm;
	}
	for (u32 i = 0; i < nr_vms; i++)
		f->workloads[i] = &f->workload;
	f->config = (struct machine_config){
		.nr_pcpus = nr_pcpus, .nr_vms = nr_vms,
		.nr_vcpus = nr_vms * vcpus_per_vm,
		.vm_of_vcpu = f->vm_of_vcpu, .geometry = &f->geometry,
		.costs = &f->costs, .l0 = &f->l0, .workload = f->workloads,
		.access_model = ACCESS_TOUCH, .seed = 1, .policy = &f->policy,
		.duration = 1000000,
	};
	fixture_policy(f, "global-flush");
}

void fixture_quiet(struct fixture *f)
{
	f->workload.strict_per_s = f->workload.upgrade_per_s = 0;
	f->workload.accessed_clear_per_s = f->workload.guest_flush_per_s = 0;
	f->workload.root_reload_per_s = f->workload.nested_per_s = 0;
	f->workload.memslot_delete_per_s = f->workload.exit_per_s = 0;
	f->workload.prefault = true;
}

void fixture_policy(struct fixture *f, const char *spec)
{
	struct err err;

	if (!flush_policy_parse(spec, strlen(spec), &f->policy, &err))
		return;
	fprintf(stderr, "%s\n", err.msg);
	abort();
}

void fixture_ops(struct fixture *f, const struct flush_policy_ops *ops)
{
	memset(&f->policy, 0, sizeof(f->policy));
	f->policy.ops = ops;
	snprintf(f->policy.spelling, sizeof(f->policy.spelling), "%s", ops->name);
}

void fixture_checkers(struct fixture *f)
{
	f->config.observers = checker_list;
	f->config.nr_observers = CHECKERS_NR;
}

void fixture_hyperv(struct fixture *f)
{
	f->l0 = (struct l0_params){
		.kind = L0_HYPERV, .serial_teardown = true, .shared_fill = true,
		.shadow_shared = true, .flush_hypercall = true,
	};
}

/* A vCPU that is on no pCPU at the moment, or IDX_NONE. */
static u32 pick(const struct fixture *f, const u32 *where, struct rng *r)
{
	u32 n = f->config.nr_vcpus, v = (u32)rng_below(r, n);

	for (u32 k = 0; k < n; k++, v = (v + 1) % n)
		if (where[v] == IDX_NONE)
			return v;
	return IDX_NONE;
}

void fixture_schedule(struct fixture *f, u64 seed, u64 duration_ns, u64 slice_ns)
{
	u32 pcpus = f->config.nr_pcpus, where[64], on[64];
	u64 room = 16 + pcpus + 4 * pcpus * duration_ns / slice_ns, now = 0;
	struct schedule *s = &f->schedule;
	struct rng r;

	rng_init(&r, seed, 99, 0);
	s->event = calloc(room, sizeof(*s->event));
	s->vcpu = f->vcpu;
	s->nr_vcpus = f->config.nr_vcpus;
	s->vm = f->vm;
	s->nr_vms = f->config.nr_vms;
	s->nr_pcpus = pcpus;
	s->duration_ns = duration_ns;
	memset(where, 0xff, sizeof(where));
	memset(on, 0xff, sizeof(on));
	while (s->event && s->nr_events < room) {
		struct schedule_event *e = &s->event[s->nr_events];
		u32 p = (u32)rng_below(&r, pcpus), v;

		now += rng_exp(&r, slice_ns / pcpus);
		if (now >= duration_ns)
			break;
		if (on[p] != IDX_NONE)
			where[on[p]] = IDX_NONE;
		v = rng_below(&r, 8) ? pick(f, where, &r) : IDX_NONE;
		e->ns = now;
		e->pcpu = p;
		e->vcpu = on[p] = v;
		e->what = v != IDX_NONE ? SCHEDULE_VCPU :
			  rng_below(&r, 2) ? SCHEDULE_IDLE : SCHEDULE_HOST;
		if (v != IDX_NONE)
			where[v] = p;
		s->nr_events++;
	}
	f->config.duration = duration_ns;
}

void fixture_brackets(struct fixture *f, u64 seed, u64 every_ns)
{
	struct schedule *s = &f->schedule;
	u64 room = s->nr_events + 16 + 4 * s->duration_ns / every_ns, nr = 0;
	struct schedule_event *to = calloc(room, sizeof(*to));
	u64 at, next = 0;
	bool outside[FIXTURE_VCPUS_MAX] = { false };
	struct rng r;

	if (!to)
		abort();
	rng_init(&r, seed, 98, 0);
	at = rng_exp(&r, every_ns);
	while (nr < room) {
		u32 v = (u32)rng_below(&r, s->nr_vcpus);
		struct schedule_event *e;

		while (next < s->nr_events && s->event[next].ns <= at && nr < room)
			to[nr++] = s->event[next++];
		if (at >= s->duration_ns || nr == room)
			break;
		e = &to[nr++];
		e->ns = at;
		e->pcpu = IDX_NONE;
		e->vcpu = v;
		e->what = outside[v] ? SCHEDULE_RUN_BEGIN : SCHEDULE_RUN_END;
		outside[v] = !outside[v];
		at += rng_exp(&r, every_ns);
	}
	free(s->event);
	s->event = to;
	s->nr_events = nr;
	s->has_brackets = true;
}

void fixture_release(struct fixture *f)
{
	free(f->schedule.event);
	memset(&f->schedule, 0, sizeof(f->schedule));
}

void fixture_play(struct fixture *f, struct run_result *out)
{
	struct clock_run run = { .config = &f->config, .schedule = &f->schedule };
	struct err err;

	memset(out, 0, sizeof(*out));
	if (!clock_play(&run, out, &err))
		return;
	fprintf(stderr, "%s\n", err.msg);
	abort();
}

struct machine *fixture_machine(const struct fixture *f)
{
	struct machine *m;
	struct err err;

	if (!machine_create(&f->config, &m, &err))
		return m;
	fprintf(stderr, "%s\n", err.msg);
	abort();
}

u32 fixture_step(struct machine *m, u64 until)
{
	u64 best = TIME_NEVER;
	u32 actor = IDX_NONE;

	for (u32 a = 0; a < machine_nr_actors(m); a++) {
		u64 at = machine_next_time(m, a);

		if (at >= best)
			continue;
		best = at;
		actor = a;
	}
	if (best >= until)
		return IDX_NONE;
	machine_step(m, actor, 0);
	while (machine_changed(m) != IDX_NONE)
		;
	return actor;
}

void fixture_run(struct machine *m, u64 until)
{
	while (fixture_step(m, until) != IDX_NONE)
		;
}

static void take(void *arg, const struct probe_rec *rec)
{
	struct recording *r = arg;

	if (r->nr == r->room) {
		r->room = r->room ? 2 * r->room : 1024;
		r->rec = realloc(r->rec, r->room * sizeof(*r->rec));
		if (!r->rec)
			abort();
	}
	r->rec[r->nr++] = *rec;
}

void fixture_record(struct fixture *f, struct recording *r, u64 wants)
{
	f->config.tap = take;
	f->config.tap_arg = r;
	f->config.tap_wants = wants;
}

u64 recording_find(const struct recording *r, u64 from, u32 kind)
{
	while (from < r->nr && r->rec[from].kind != kind)
		from++;
	return from;
}

u64 recording_count(const struct recording *r, u32 kind)
{
	u64 n = 0;

	for (u64 i = 0; i < r->nr; i++)
		n += r->rec[i].kind == kind;
	return n;
}

void recording_release(struct recording *r)
{
	free(r->rec);
	memset(r, 0, sizeof(*r));
}

u64 fixture_seeds(u64 few, u64 many)
{
	const char *on = getenv("EPTSIM_LONG");

	return on && !strcmp(on, "1") ? many : few;
}
