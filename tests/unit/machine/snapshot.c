/*
 * The world is one flat block: a copy of it is the whole state, wherever it
 * lies; and its canonical form holds what decides the future and nothing else.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/machine/world.h"
#include "tests/fixture.h"
#include "tests/suite.h"

#define ALL_KINDS	(BIT64(PROBE_KIND_NR) - 1)

/* Switches every @slice cycles, round robin; a plain schedule by hand. */
static void churn(struct machine *m, const struct fixture *f, u64 from, u64 to)
{
	u32 pcpus = f->config.nr_pcpus, vcpus = f->config.nr_vcpus;
	const u64 slice = 7000;

	for (u64 now = from; now < to; now += slice) {
		u64 turn = now / slice;

		fixture_run(m, now);
		for (u32 p = 0; p < pcpus; p++)
			machine_switch(m, now, p, MACHINE_IDLE, IDX_NONE);
		for (u32 p = 0; p < pcpus && p < vcpus; p++)
			machine_switch(m, now, p, MACHINE_VCPU,
				       (u32)((turn + p) % vcpus));
	}
	fixture_run(m, to);
}

static void setup(struct fixture *f)
{
	fixture_init(f, 2, 2, 2);
	fixture_policy(f, flush_policy_get((u32)0)->name);
}

static void use_policy(struct fixture *f, int i, bool hyperv)
{
	fixture_init(f, 2, 2, 2);
	fixture_policy(f, flush_policy_get((u32)i)->name);
	if (hyperv || f->policy.ops->needs_hypercall)
		fixture_hyperv(f);
	fixture_checkers(f);
}

static void same_records(const struct recording *a, const struct recording *b)
{
	ck_assert_uint_eq(a->nr, b->nr);
	for (u64 i = 0; i < a->nr; i++)
		ck_assert_msg(!memcmp(&a->rec[i], &b->rec[i], sizeof(a->rec[i])),
			      "record %lu: %s and %s", (unsigned long)i,
			      probe_kind_name(a->rec[i].kind),
			      probe_kind_name(b->rec[i].kind));
}

START_TEST(a_restored_world_goes_on_byte_for_byte)
{
	struct recording a = { 0 }, b = { 0 };
	struct machine *m;
	struct fixture f;
	void *saved, *end;

	use_policy(&f, _i, false);
	fixture_record(&f, &a, ALL_KINDS);
	m = fixture_machine(&f);
	saved = malloc(machine_bytes(m));
	end = malloc(machine_bytes(m));
	ck_assert(saved && end);
	churn(m, &f, 0, 300000);
	machine_save(m, saved);
	a.nr = 0;
	churn(m, &f, 300000, 600000);
	machine_save(m, end);

	machine_restore(m, saved);
	b = a;
	memset(&a, 0, sizeof(a));
	churn(m, &f, 300000, 600000);
	ck_assert_uint_gt(a.nr, 100);
	same_records(&a, &b);
	machine_save(m, saved);
	ck_assert_mem_eq(saved, end, machine_bytes(m));
	free(saved);
	free(end);
	recording_release(&a);
	recording_release(&b);
	machine_destroy(m);
}
END_TEST

START_TEST(a_world_goes_on_in_another_machine)
{
	struct machine *m, *other;
	struct fixture f;
	void *saved, *end;

	use_policy(&f, _i, true);
	m = fixture_machine(&f);
	saved = malloc(machine_bytes(m));
	end = malloc(machine_bytes(m));
	ck_assert(saved && end);
	churn(m, &f, 0, 300000);
	machine_save(m, saved);
	churn(m, &f, 300000, 500000);
	machine_save(m, end);
	machine_destroy(m);

	/* Something in between, so that the other lies elsewhere. */
	m = fixture_machine(&f);
	other = fixture_machine(&f);
	ck_assert_uint_ne(machine_bytes(other), 0);
	machine_restore(other, saved);
	churn(other, &f, 300000, 500000);
	machine_save(other, saved);
	ck_assert_mem_eq(saved, end, machine_bytes(other));
	free(saved);
	free(end);
	machine_destroy(m);
	machine_destroy(other);
}
END_TEST

static bool same_hash(struct machine *a, struct machine *b)
{
	struct machine_hash x = machine_hash(a), y = machine_hash(b);

	return x.lo == y.lo && x.hi == y.hi;
}

START_TEST(machines_at_different_addresses_hash_alike)
{
	struct machine *a, *b;
	struct fixture f;

	use_policy(&f, _i, false);
	a = fixture_machine(&f);
	b = fixture_machine(&f);
	ck_assert(same_hash(a, b));
	churn(a, &f, 0, 200000);
	churn(b, &f, 0, 200000);
	ck_assert(same_hash(a, b));
	machine_destroy(a);
	machine_destroy(b);
}
END_TEST

START_TEST(hashing_changes_nothing)
{
	struct machine *m;
	struct fixture f;
	void *before, *after;

	use_policy(&f, _i, false);
	m = fixture_machine(&f);
	before = malloc(machine_bytes(m));
	after = malloc(machine_bytes(m));
	ck_assert(before && after);
	churn(m, &f, 0, 100000);
	machine_save(m, before);
	machine_hash(m);
	machine_save(m, after);
	ck_assert_mem_eq(before, after, machine_bytes(m));
	free(before);
	free(after);
	machine_destroy(m);
}
END_TEST

/* --- field by field --- */

/* A machine in the middle of things, and a twin to poke. */
struct twins {
	struct fixture f;
	struct machine *a;
	struct machine *b;
};

static void twins_init(struct twins *t, const char *policy)
{
	void *saved;

	setup(&t->f);
	fixture_policy(&t->f, policy);
	t->a = fixture_machine(&t->f);
	t->b = fixture_machine(&t->f);
	churn(t->a, &t->f, 0, 250000);
	saved = malloc(machine_bytes(t->a));
	ck_assert_ptr_nonnull(saved);
	machine_save(t->a, saved);
	machine_restore(t->b, saved);
	free(saved);
	ck_assert(same_hash(t->a, t->b));
}

static void twins_release(struct twins *t)
{
	machine_destroy(t->a);
	machine_destroy(t->b);
}

/* The pokes: each changes one thing and is undone by its own inverse. */
#define POKE(field, to)							\
	do {								\
		__typeof__(field) old = (field);			\
									\
		(field) = (__typeof__(field))(to);			\
		ck_assert_msg(same_hash(t.a, t.b) == expected,		\
			      "%s", #field);				\
		(field) = old;						\
		ck_assert(same_hash(t.a, t.b));				\
	} while (0)

START_TEST(what_only_times_and_counts_is_not_hashed)
{
	const bool expected = true;
	struct machine *b;
	struct twins t;

	twins_init(&t, "per-root-gen");
	b = t.b;
	POKE(b->w->now, 1);
	POKE(b->w->probe_seq, 1);
	POKE(b->w->next_plan, 77);
	POKE(b->w->next_obligation, 77);
	POKE(b->w->l0_busy_until, 77);
	POKE(b->w->fill_busy_until, 77);
	POKE(b->w->stats.count[COUNT_IPIS][0], 77);
	POKE(b->w->stats.cycles[CYC_WALK], 77);
	POKE(b->w->stats.charged[0], 77);
	POKE(b->w->stats.overrun_cycles, 77);
	POKE(b->task_time[0].clock, 77);
	POKE(b->task_time[0].next, 77);
	POKE(b->pcpu_time[0].span_start, 77);
	POKE(b->pcpu_time[0].cycles[CYC_WALK], 77);
	POKE(b->vcpu_time[0].env_left, 77);
	POKE(b->vcpu_time[0].accesses, 77);
	POKE(b->vm_time[0].change_at, 77);
	POKE(b->ipi_next[0], 77);
	POKE(b->task[0].plan.serial, 77);
	twins_release(&t);
}
END_TEST

START_TEST(a_version_enters_by_its_standing_and_not_by_its_number)
{
	const bool expected = true;
	struct machine *b;
	struct twins t;

	twins_init(&t, "global-flush");
	b = t.b;
	POKE(b->s2_version[0], b->s2_version[0] + 1000);
	POKE(b->s1_version[0], b->s1_version[0] + 1000);
	POKE(b->root[0].incarnation, b->root[0].incarnation + 1000);
	twins_release(&t);
}
END_TEST

START_TEST(what_decides_the_future_is_hashed)
{
	const bool expected = false;
	struct machine *b;
	struct twins t;

	twins_init(&t, "per-root-mask-clear");
	b = t.b;
	POKE(b->pcpu[0].occupant, OCCUPANT_HOST);
	POKE(b->pcpu[0].host_task, 5);
	POKE(b->pcpu[0].preempt_off, 3);
	POKE(b->pcpu[0].irq_off, !b->pcpu[0].irq_off);
	POKE(b->pcpu[0].online, false);
	POKE(b->ipi_pending[0], 2);
	POKE(b->ipi_mask[0], 2);
	POKE(b->vcpu[1].vmcs_cpu[0], b->vcpu[1].vmcs_cpu[0] + 1);
	POKE(b->vcpu[1].cpu, b->vcpu[1].cpu + 1);
	POKE(b->vcpu[1].requests, b->vcpu[1].requests ^ 16);
	POKE(b->vcpu[1].mode, b->vcpu[1].mode + 1);
	POKE(b->vcpu[1].role, b->vcpu[1].role ^ 1);
	POKE(b->vcpu[1].exit_reason, b->vcpu[1].exit_reason + 1);
	POKE(b->vcpu[1].in_run, !b->vcpu[1].in_run);
	POKE(b->vcpu[1].virtual_apic, !b->vcpu[1].virtual_apic);
	POKE(b->vcpu[1].mmu[0].root, 9);
	POKE(b->vcpu[1].mmu[0].prev[2], 9);
	POKE(b->vcpu[1].mmu[1].prev[0], 9);
	POKE(b->task[1].step, b->task[1].step + 1);
	POKE(b->task[1].waiting, !b->task[1].waiting);
	POKE(b->task[1].loading, !b->task[1].loading);
	POKE(b->task[1].arriving, b->task[1].arriving + 1);
	POKE(b->vm[1].change_taken, !b->vm[1].change_taken);
	POKE(b->vm[1].root[0], 9);
	POKE(b->s2_present[0], !b->s2_present[0]);
	POKE(b->root[0].refs, b->root[0].refs + 1);
	POKE(b->root[0].state, (b->root[0].state + 1) % 3);
	POKE(b->root[0].role, b->root[0].role ^ 1);
	POKE(b->w->free_frame, b->w->free_frame + 1);
	twins_release(&t);
}
END_TEST

static u64 *state_of(struct machine *m, u32 row, u32 cell)
{
	return (u64 *)((u8 *)m->block + m->state[row].offset) + cell;
}

START_TEST(a_bit_of_the_policy_is_hashed)
{
	const bool expected = false;
	struct twins t;

	twins_init(&t, "per-root-mask");
	POKE(*state_of(t.b, 0, 0), !*state_of(t.b, 0, 0));
	POKE(*state_of(t.b, 0, 5), !*state_of(t.b, 0, 5));
	twins_release(&t);
}
END_TEST

/* per-root-gen: row 0 is gen[root], row 1 seen[pcpu,root], both counters. */
START_TEST(counters_enter_by_their_order_only)
{
	struct twins t;
	u64 *gen, *seen;

	twins_init(&t, "per-root-gen");
	gen = state_of(t.b, 0, 0);
	seen = state_of(t.b, 1, 0);
	/* The registers of plans are counters as well: see every value moved. */
	for (u32 i = 0; i < t.b->state[0].nr_i; i++)
		gen[i] = 10 * gen[i] + 3;
	for (u32 i = 0; i < t.b->state[1].nr_i * t.b->state[1].nr_j; i++)
		seen[i] = 10 * seen[i] + 3;
	for (u32 k = 0; k < t.f.config.nr_vcpus + t.f.config.nr_vms; k++) {
		t.b->task[k].plan.reg = 10 * t.b->task[k].plan.reg + 3;
		t.b->task[k].load_plan.reg = 10 * t.b->task[k].load_plan.reg + 3;
	}
	ck_assert(same_hash(t.a, t.b));
	/* A counter that overtakes another one is another state. */
	gen[0] += 1000;
	ck_assert(!same_hash(t.a, t.b));
	twins_release(&t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("snapshot");
	TCase *t = tcase_create("save and restore"), *h = tcase_create("hash");
	int nr = (int)flush_policy_count();

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, a_restored_world_goes_on_byte_for_byte, 0, nr);
	tcase_add_loop_test(t, a_world_goes_on_in_another_machine, 0, nr);
	tcase_add_loop_test(h, machines_at_different_addresses_hash_alike, 0, nr);
	tcase_add_loop_test(h, hashing_changes_nothing, 0, nr);
	tcase_add_test(h, what_only_times_and_counts_is_not_hashed);
	tcase_add_test(h, a_version_enters_by_its_standing_and_not_by_its_number);
	tcase_add_test(h, what_decides_the_future_is_hashed);
	tcase_add_test(h, a_bit_of_the_policy_is_hashed);
	tcase_add_test(h, counters_enter_by_their_order_only);
	suite_add_tcase(s, t);
	suite_add_tcase(s, h);
	return suite_main(s);
}
