/*
 * When policies are asked, and what they are told.  The policy here asks for
 * nothing; it writes down every event.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/machine/world.h"
#include "tests/fixture.h"
#include "tests/suite.h"

#define EVENTS_MAX 256u

static struct {
	u32 hook;
	struct policy_event e;
} seen[EVENTS_MAX];
static u32 nr_seen;

static void note(u32 hook, const struct policy_event *e)
{
	ck_assert_uint_lt(nr_seen, EVENTS_MAX);
	seen[nr_seen].hook = hook;
	seen[nr_seen++].e = *e;
}

#define X(name)								\
	static void on_##name(const struct policy_event *e, struct plan *p) \
	{								\
		(void)p;						\
		note(HOOK_##name, e);					\
	}
POLICY_HOOKS(X)
#undef X

static const struct flush_policy_ops listener = {
	.name = "listener", .brief = "writes down what it is told",
#define X(name) .name = on_##name,
	POLICY_HOOKS(X)
#undef X
};

static void setup(struct fixture *f, u32 pcpus, u32 vms, u32 vcpus)
{
	nr_seen = 0;
	fixture_init(f, pcpus, vms, vcpus);
	fixture_quiet(f);
	fixture_ops(f, &listener);
	f->config.access_model = ACCESS_EXACT;
}

/* The hooks since the start, by name. */
static const char *story(char *to, size_t size)
{
	size_t used = 0;

	to[0] = '\0';
	for (u32 i = 0; i < nr_seen; i++)
		used += (size_t)snprintf(to + used, size - used, "%s%s",
					 i ? " " : "",
					 policy_hook_name(seen[i].hook));
	return to;
}

static const struct policy_event *last(u32 hook)
{
	for (u32 i = nr_seen; i--;)
		if (seen[i].hook == hook)
			return &seen[i].e;
	ck_abort_msg("no %s", policy_hook_name(hook));
	return NULL;
}

START_TEST(a_first_run_loads_allocates_a_root_and_enters)
{
	struct machine *m;
	struct fixture f;
	char text[512];

	setup(&f, 1, 1, 1);
	m = fixture_machine(&f);
	machine_switch(m, 10, 0, MACHINE_VCPU, 0);
	fixture_run(m, 5000);
	ck_assert_str_eq(story(text, sizeof(text)),
			 "vcpu_load root_alloc root_load vm_enter");
	ck_assert_uint_eq(last(HOOK_vcpu_load)->nr_roots, 0);
	ck_assert_uint_eq(last(HOOK_vcpu_load)->root, IDX_NONE);
	ck_assert_uint_eq(last(HOOK_root_load)->root,
			  last(HOOK_root_alloc)->root);
	ck_assert_uint_eq(last(HOOK_vm_enter)->nr_roots, 1);
	ck_assert_uint_eq(last(HOOK_vm_enter)->nr_pcpus, 1);
	machine_destroy(m);
}
END_TEST

/* Where vCPU 0 goes, one pCPU after the other, and whether that migrates it. */
static const struct {
	u32 pcpu;
	bool migrated;
} journey[] = {
	{ 0, true },			/* never loaded before */
	{ 0, false }, { 1, true }, { 1, false }, { 1, false }, { 0, true },
	{ 2, true }, { 0, true }, { 0, false },
};

START_TEST(migrated_means_the_vmcs_was_last_loaded_elsewhere)
{
	struct machine *m;
	struct fixture f;
	u64 now = 10;

	setup(&f, 3, 1, 2);
	m = fixture_machine(&f);
	for (u32 i = 0; i < ARRAY_SIZE(journey); i++) {
		u32 p = journey[i].pcpu;

		nr_seen = 0;
		machine_switch(m, now, p, MACHINE_VCPU, 0);
		fixture_run(m, now + 9000);
		ck_assert_uint_eq(seen[0].hook, HOOK_vcpu_load);
		ck_assert_msg(seen[0].e.migrated == journey[i].migrated,
			      "stay %u", i);
		ck_assert_uint_eq(seen[0].e.pcpu, p);
		/* Another vCPU in between is no migration. */
		machine_switch(m, now + 9000, p, MACHINE_VCPU, 1);
		ck_assert_uint_eq(last(HOOK_vcpu_put)->vcpu, 0);
		fixture_run(m, now + 18000);
		machine_switch(m, now + 18000, p, MACHINE_IDLE, IDX_NONE);
		now += 20000;
	}
	machine_destroy(m);
}
END_TEST

START_TEST(entering_kvm_run_is_a_load_and_leaving_it_a_put)
{
	struct machine *m;
	struct fixture f;
	char text[512];

	setup(&f, 2, 1, 1);
	m = fixture_machine(&f);
	machine_switch(m, 10, 0, MACHINE_VCPU, 0);
	fixture_run(m, 5000);
	nr_seen = 0;
	machine_set_run(m, 5000, 0, false);
	ck_assert_str_eq(story(text, sizeof(text)), "vcpu_put");
	fixture_run(m, 9000);
	/* Outside KVM_RUN the thread is any thread: no load, no put. */
	machine_switch(m, 9000, 0, MACHINE_IDLE, IDX_NONE);
	machine_switch(m, 9000, 1, MACHINE_VCPU, 0);
	fixture_run(m, 12000);
	ck_assert_uint_eq(nr_seen, 1);
	machine_set_run(m, 12000, 0, true);
	fixture_run(m, 16000);
	ck_assert_str_eq(story(text, sizeof(text)),
			 "vcpu_put vcpu_load vm_enter");
	ck_assert(last(HOOK_vcpu_load)->migrated);
	machine_destroy(m);
}
END_TEST

START_TEST(telling_kvm_run_twice_tells_nothing_new)
{
	struct machine *m;
	struct fixture f;

	setup(&f, 1, 1, 1);
	m = fixture_machine(&f);
	machine_switch(m, 10, 0, MACHINE_VCPU, 0);
	fixture_run(m, 5000);
	nr_seen = 0;
	machine_set_run(m, 5000, 0, true);
	ck_assert_uint_eq(nr_seen, 0);
	machine_set_run(m, 5000, 0, false);
	machine_set_run(m, 5000, 0, false);
	ck_assert_uint_eq(nr_seen, 1);
	machine_destroy(m);
}
END_TEST

/* --- requests --- */

START_TEST(requests_are_served_in_the_order_of_vcpu_enter_guest)
{
	static const u8 order[] = {
		REQ_FREE_OBSOLETE_ROOTS, REQ_MMU_SYNC, REQ_LOAD_MMU_PGD,
		REQ_TLB_FLUSH, REQ_TLB_FLUSH_CURRENT, REQ_TLB_FLUSH_GUEST,
		REQ_HV_TLB_FLUSH, REQ_APIC_PAGE_RELOAD,
	};
	struct machine *m;
	struct fixture f;
	u32 served = 0;

	/* Test 0 with TLB_FLUSH, which takes CURRENT along; test 1 without. */
	setup(&f, 1, 1, 1);
	m = fixture_machine(&f);
	for (u32 i = 0; i < ARRAY_SIZE(order); i++)
		if (!_i || order[i] != REQ_TLB_FLUSH)
			m->vcpu[0].requests |= 1u << order[i];
	machine_switch(m, 10, 0, MACHINE_VCPU, 0);
	fixture_run(m, 9000);
	for (u32 i = 0; i < ARRAY_SIZE(order); i++) {
		if (order[i] == (_i ? REQ_TLB_FLUSH : REQ_TLB_FLUSH_CURRENT))
			continue;
		/* The first event is the load. */
		ck_assert_uint_eq(seen[1 + served].hook, HOOK_request);
		ck_assert_uint_eq(seen[1 + served].e.request, order[i]);
		served++;
	}
	ck_assert_uint_ne(seen[1 + served].hook, HOOK_request);
	ck_assert_uint_eq(m->vcpu[0].requests, 0);
	machine_destroy(m);
}
END_TEST

START_TEST(a_strict_change_tells_of_every_live_root_of_the_vm)
{
	struct machine *m;
	struct fixture f;
	const struct policy_event *e;

	setup(&f, 2, 2, 1);
	f.workload.strict_per_s = 1e-6;
	f.workload.nested_per_s = 1e-6;
	m = fixture_machine(&f);
	machine_switch(m, 10, 0, MACHINE_VCPU, 0);
	machine_switch(m, 10, 1, MACHINE_VCPU, 1);
	fixture_run(m, 9000);
	/* vCPU 0 goes to its other role: two roots live in VM 0. */
	m->vcpu_time[0].env_at = 10000;
	m->task_time[0].next = 10000;
	fixture_run(m, 19000);
	ck_assert_uint_eq(last(HOOK_vm_enter)->nr_roots, 2);
	ck_assert_uint_eq(last(HOOK_vm_enter)->root,
			  last(HOOK_vm_enter)->roots[0]);
	m->task_time[2].next = 20000;
	fixture_run(m, 29000);
	e = last(HOOK_strict_change);
	ck_assert_uint_eq(e->vm, 0);
	ck_assert_uint_eq(e->nr_roots, 2);
	ck_assert_uint_ne(e->roots[0], e->roots[1]);
	for (u32 i = 0; i < 2; i++)
		ck_assert_uint_eq(m->root[e->roots[i]].vm, 0);
	machine_destroy(m);
}
END_TEST

START_TEST(a_list_of_roots_has_the_current_one_first_and_no_duplicates)
{
	struct machine *m;
	struct fixture f;
	const struct policy_event *e;

	setup(&f, 1, 1, 1);
	m = fixture_machine(&f);
	machine_switch(m, 10, 0, MACHINE_VCPU, 0);
	fixture_run(m, 9000);
	machine_switch(m, 9000, 0, MACHINE_IDLE, IDX_NONE);
	/* By hand: the other MMU lists the same root, and one of its own. */
	m->vcpu[0].mmu[1].root = m->vcpu[0].mmu[0].root;
	m->vcpu[0].mmu[1].prev[1] = 1 - m->vcpu[0].mmu[0].root;
	m->vcpu[0].mmu[0].prev[0] = m->vcpu[0].mmu[0].root;
	machine_switch(m, 9000, 0, MACHINE_VCPU, 0);
	fixture_run(m, 12000);
	e = last(HOOK_vcpu_load);
	ck_assert_uint_eq(e->nr_roots, 2);
	ck_assert_uint_eq(e->roots[0], m->vcpu[0].mmu[0].root);
	ck_assert_uint_eq(e->roots[1], 1 - m->vcpu[0].mmu[0].root);
	machine_destroy(m);
}
END_TEST

START_TEST(a_policy_that_needs_a_hypercall_applies_only_where_there_is_one)
{
	struct fixture f;
	const char *why = NULL;

	setup(&f, 1, 1, 1);
	ck_assert(machine_applies(&f.config, &why));
	fixture_policy(&f, "hypercall-broadcast");
	ck_assert(!machine_applies(&f.config, &why));
	ck_assert_uint_gt(strlen(why), 0);
	fixture_hyperv(&f);
	ck_assert(machine_applies(&f.config, &why));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("hooks");
	TCase *t = tcase_create("what policies are told");

	tcase_add_test(t, a_first_run_loads_allocates_a_root_and_enters);
	tcase_add_test(t, migrated_means_the_vmcs_was_last_loaded_elsewhere);
	tcase_add_test(t, entering_kvm_run_is_a_load_and_leaving_it_a_put);
	tcase_add_test(t, telling_kvm_run_twice_tells_nothing_new);
	tcase_add_loop_test(t, requests_are_served_in_the_order_of_vcpu_enter_guest,
			    0, 2);
	tcase_add_test(t, a_strict_change_tells_of_every_live_root_of_the_vm);
	tcase_add_test(t,
		       a_list_of_roots_has_the_current_one_first_and_no_duplicates);
	tcase_add_test(t,
		       a_policy_that_needs_a_hypercall_applies_only_where_there_is_one);
	suite_add_tcase(s, t);
	return suite_main(s);
}
