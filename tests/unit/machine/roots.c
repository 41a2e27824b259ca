/*
 * Roots: one per VM and role, shared by its vCPUs, counted, freed when the
 * last user lets go of what was invalidated, and the frame freed last is the
 * first to be handed out again.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/machine/world.h"
#include "tests/fixture.h"
#include "tests/suite.h"

#define SEEN	(BIT64(PROBE_ROOT_ALLOC) | BIT64(PROBE_ROOT_LOAD) |	\
		 BIT64(PROBE_ROOT_FREE) | BIT64(PROBE_ENTRY) |		\
		 BIT64(PROBE_FLUSH) | BIT64(PROBE_ACK))

struct scene {
	struct fixture f;
	struct recording rec;
	struct machine *m;
};

/* Only what a test pokes ever happens: all rates are next to nothing. */
static void scene_init(struct scene *s, u32 pcpus, u32 vms, u32 vcpus)
{
	memset(s, 0, sizeof(*s));
	fixture_init(&s->f, pcpus, vms, vcpus);
	fixture_quiet(&s->f);
	s->f.config.access_model = ACCESS_EXACT;
	fixture_record(&s->f, &s->rec, SEEN);
}

static void start(struct scene *s)
{
	s->m = fixture_machine(&s->f);
	for (u32 v = 0; v < s->f.config.nr_vcpus; v++)
		machine_switch(s->m, 10, v, MACHINE_VCPU, v);
	fixture_run(s->m, 20000);
}

static void scene_release(struct scene *s)
{
	machine_destroy(s->m);
	recording_release(&s->rec);
}

/* The guest event of a vCPU comes now; which one the only rate says. */
static void event(struct scene *s, u32 vcpu, u64 at)
{
	s->m->vcpu_time[vcpu].env_at = at;
	s->m->task_time[vcpu].next = at;
	s->rec.nr = 0;
	fixture_run(s->m, at + 9000);
}

static void delete_memslot(struct scene *s, u32 vm, u64 at)
{
	s->m->task_time[s->f.config.nr_vcpus + vm].next = at;
	s->rec.nr = 0;
	fixture_run(s->m, at + 20000);
}

START_TEST(vcpus_of_a_vm_share_one_root_and_vms_share_none)
{
	struct scene s;

	scene_init(&s, 4, 2, 2);
	start(&s);
	ck_assert_uint_eq(recording_count(&s.rec, PROBE_ROOT_ALLOC), 2);
	ck_assert_uint_eq(recording_count(&s.rec, PROBE_ROOT_LOAD), 4);
	ck_assert_uint_eq(s.m->vcpu[0].mmu[0].root, s.m->vcpu[1].mmu[0].root);
	ck_assert_uint_eq(s.m->vcpu[2].mmu[0].root, s.m->vcpu[3].mmu[0].root);
	ck_assert_uint_ne(s.m->vcpu[0].mmu[0].root, s.m->vcpu[2].mmu[0].root);
	/* Two vCPUs and the VM itself. */
	ck_assert_uint_eq(s.m->root[s.m->vcpu[0].mmu[0].root].refs, 3);
	scene_release(&s);
}
END_TEST

START_TEST(a_reload_gets_the_same_root_again_and_flushes_it)
{
	struct scene s;
	u32 root;
	u64 at;

	scene_init(&s, 1, 1, 1);
	s.f.workload.root_reload_per_s = 1e-6;
	start(&s);
	root = s.m->vcpu[0].mmu[0].root;
	event(&s, 0, 21000);
	ck_assert_uint_eq(recording_count(&s.rec, PROBE_ROOT_ALLOC), 0);
	ck_assert_uint_eq(recording_count(&s.rec, PROBE_ROOT_FREE), 0);
	at = recording_find(&s.rec, 0, PROBE_ROOT_LOAD);
	ck_assert_uint_lt(at, s.rec.nr);
	ck_assert_uint_eq(s.rec.rec[at].root, root);
	at = recording_find(&s.rec, at, PROBE_FLUSH);
	ck_assert_uint_lt(at, recording_find(&s.rec, 0, PROBE_ENTRY));
	ck_assert_uint_eq(s.rec.rec[at].op, FLUSH_INVEPT_SINGLE);
	ck_assert_uint_eq(s.rec.rec[at].frame, root);
	scene_release(&s);
}
END_TEST

START_TEST(a_role_seen_before_comes_back_without_load_and_flush)
{
	struct scene s;
	u32 normal, smm;

	scene_init(&s, 1, 1, 1);
	s.f.workload.nested_per_s = 1e-6;
	s.f.workload.nested_epts = 0;
	start(&s);
	normal = s.m->vcpu[0].mmu[0].root;
	event(&s, 0, 21000);
	smm = s.m->vcpu[0].mmu[0].root;
	ck_assert_uint_ne(smm, normal);
	ck_assert_uint_eq(recording_count(&s.rec, PROBE_ROOT_ALLOC), 1);
	ck_assert_uint_eq(recording_count(&s.rec, PROBE_ROOT_LOAD), 1);
	for (u32 k = 1; k < 7; k++) {
		event(&s, 0, 21000 + k * 10000);
		ck_assert_uint_eq(s.m->vcpu[0].mmu[0].root, k % 2 ? normal : smm);
		ck_assert_uint_eq(recording_count(&s.rec, PROBE_ROOT_LOAD), 0);
		ck_assert_uint_eq(recording_count(&s.rec, PROBE_FLUSH), 0);
		ck_assert_uint_eq(recording_count(&s.rec, PROBE_ENTRY), 1);
	}
	scene_release(&s);
}
END_TEST

START_TEST(an_invalid_root_dies_with_its_last_user)
{
	struct scene s;
	u64 free, alloc;
	u32 old, incarnation;

	scene_init(&s, 2, 1, 2);
	s.f.workload.memslot_delete_per_s = 1e-6;
	start(&s);
	old = s.m->vcpu[0].mmu[0].root;
	incarnation = s.m->root[old].incarnation;
	/* vCPU 1 is not running and keeps the invalid root. */
	machine_switch(s.m, 20000, 1, MACHINE_IDLE, IDX_NONE);
	delete_memslot(&s, 0, 21000);
	ck_assert_uint_eq(recording_count(&s.rec, PROBE_ROOT_FREE), 0);
	ck_assert_uint_eq(recording_count(&s.rec, PROBE_ROOT_ALLOC), 1);
	ck_assert_uint_ne(s.m->vcpu[0].mmu[0].root, old);
	ck_assert_uint_eq(s.m->vcpu[1].mmu[0].root, old);
	ck_assert_uint_eq(s.m->root[old].refs, 1);
	/* When it comes back it lets go and joins the other one's root. */
	s.rec.nr = 0;
	machine_switch(s.m, 50000, 1, MACHINE_VCPU, 1);
	fixture_run(s.m, 60000);
	free = recording_find(&s.rec, 0, PROBE_ROOT_FREE);
	ck_assert_uint_lt(free, s.rec.nr);
	ck_assert_uint_eq(s.rec.rec[free].root, old);
	ck_assert_uint_eq(s.rec.rec[free].a, incarnation);
	ck_assert_uint_eq(s.m->vcpu[1].mmu[0].root, s.m->vcpu[0].mmu[0].root);
	/* The frame freed last is the next one, in its next incarnation. */
	delete_memslot(&s, 0, 70000);
	alloc = recording_find(&s.rec, 0, PROBE_ROOT_ALLOC);
	ck_assert_uint_lt(alloc, s.rec.nr);
	ck_assert_uint_eq(s.rec.rec[alloc].root, old);
	ck_assert_uint_eq(s.rec.rec[alloc].frame, old);
	ck_assert_uint_eq(s.rec.rec[alloc].a, incarnation + 1);
	scene_release(&s);
}
END_TEST

START_TEST(nobody_enters_with_an_invalid_root_once_the_deletion_has_returned)
{
	struct scene s;
	u64 ack;

	scene_init(&s, 3, 1, 2);
	s.f.workload.memslot_delete_per_s = 1e-6;
	start(&s);
	delete_memslot(&s, 0, 21000);
	ack = recording_find(&s.rec, 0, PROBE_ACK);
	ck_assert_uint_lt(ack, s.rec.nr);
	for (u64 i = ack; i < s.rec.nr; i++)
		if (s.rec.rec[i].kind == PROBE_ENTRY)
			ck_assert_uint_lt(recording_find(&s.rec, 0,
							 PROBE_ROOT_LOAD), i);
	for (u32 v = 0; v < 2; v++)
		ck_assert_uint_eq(s.m->root[s.m->vcpu[v].mmu[0].root].state,
				  ROOT_VALID);
	scene_release(&s);
}
END_TEST

START_TEST(thousands_of_deletions_do_not_run_out_of_frames)
{
	struct scene s;
	u64 freed = 0;

	scene_init(&s, 4, 2, 2);
	s.f.workload.memslot_delete_per_s = 1e-6;
	start(&s);
	for (u32 k = 0; k < 2000; k++) {
		delete_memslot(&s, k % 2, 30000 + k * 30000);
		freed += recording_count(&s.rec, PROBE_ROOT_FREE);
	}
	ck_assert_uint_eq(freed, 2000);
	scene_release(&s);
}
END_TEST

/* --- counting, on random schedules --- */

static u32 users(const struct machine *m, u32 root)
{
	u32 n = m->root[root].owned;

	for (u32 v = 0; v < m->cfg->nr_vcpus; v++) {
		for (u32 k = 0; k < MMUS_NR; k++) {
			bool swapping = m->task[v].step == STEP_SWAPPED &&
					k == mmu_of_role(m->vcpu[v].role);

			n += (swapping ? m->vcpu[v].swap_held :
					 m->vcpu[v].mmu[k].root) == root;
			for (u32 i = 0; i < PREV_ROOTS_NR; i++)
				n += m->vcpu[v].mmu[k].prev[i] == root;
		}
	}
	return n;
}

static u32 free_frames(const struct machine *m)
{
	u32 n = 0;

	for (u32 r = m->w->free_frame; r != IDX_NONE; r = m->root[r].next_free) {
		ck_assert_uint_eq(m->root[r].state, ROOT_UNUSED);
		n++;
	}
	return n;
}

static void counts_are_right(const struct machine *m)
{
	u32 unused = 0;

	for (u32 r = 0; r < m->nr_roots; r++) {
		u32 n = users(m, r);

		if (m->root[r].state == ROOT_UNUSED) {
			ck_assert_uint_eq(n, 0);
			unused++;
			continue;
		}
		ck_assert_uint_eq(m->root[r].refs, n);
		if (m->root[r].state == ROOT_VALID)
			ck_assert_uint_eq(m->vm[m->root[r].vm].root[m->root[r].role],
					  r);
	}
	ck_assert_uint_eq(free_frames(m), unused);
}

START_TEST(on_random_schedules_every_reference_is_somebodys)
{
	struct machine *m;
	struct fixture f;
	u64 next;

	for (u64 seed = 1; seed <= fixture_seeds(4, 40); seed++) {
		fixture_init(&f, 3, 2, 2);
		f.config.access_model = ACCESS_EXACT;
		f.config.seed = seed;
		f.workload.memslot_delete_per_s = 8000;
		f.workload.nested_per_s = 20000;
		f.workload.root_reload_per_s = 10000;
		fixture_schedule(&f, seed, 1000000, 20000);
		m = fixture_machine(&f);
		for (u64 i = 0; i < f.schedule.nr_events; i++) {
			const struct schedule_event *e = &f.schedule.event[i];

			next = e->ns;
			while (fixture_step(m, next) != IDX_NONE)
				counts_are_right(m);
			machine_switch(m, next, e->pcpu,
				       e->what == SCHEDULE_VCPU ? MACHINE_VCPU :
				       MACHINE_IDLE, e->vcpu);
			counts_are_right(m);
		}
		machine_destroy(m);
		fixture_release(&f);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("roots");
	TCase *t = tcase_create("roots");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, vcpus_of_a_vm_share_one_root_and_vms_share_none);
	tcase_add_test(t, a_reload_gets_the_same_root_again_and_flushes_it);
	tcase_add_test(t, a_role_seen_before_comes_back_without_load_and_flush);
	tcase_add_test(t, an_invalid_root_dies_with_its_last_user);
	tcase_add_test(t,
		       nobody_enters_with_an_invalid_root_once_the_deletion_has_returned);
	tcase_add_test(t, thousands_of_deletions_do_not_run_out_of_frames);
	tcase_add_test(t, on_random_schedules_every_reference_is_somebodys);
	suite_add_tcase(s, t);
	return suite_main(s);
}
