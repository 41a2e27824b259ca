/* I3: stage-1 safety, per virtual TLB. */
#include "tests/unit/check/stream.h"

/* vCPU 0 has been on pCPU 0 under root 1, and is now on pCPU 1. */
static void start(struct watch *w)
{
	watch_start(w, &checker_stage1);
	ck_assert(!enter(w, 0, 0, 1));
	ck_assert(!leave(w, 0));
	ck_assert(!enter(w, 1, 0, 1));
}

START_TEST(a_flush_at_migration_makes_the_return_clean)
{
	struct watch w;

	start(&w);
	ck_assert(!guest_write(&w, 0, 2, 5));
	ck_assert(!guest_flush(&w, 1, 0, FLUSH_INVLPG, 2));
	ck_assert(!leave(&w, 1));
	flush(&w, 0, FLUSH_INVVPID_SINGLE, 1);
	ck_assert(!enter(&w, 0, 0, 1));
	watch_end(&w);
}
END_TEST

/* Hazard B: a guest flush that happened while the vCPU was elsewhere. */
START_TEST(a_return_after_a_guest_flush_elsewhere_is_told_in_one_sentence)
{
	struct watch w;

	start(&w);
	guest_write(&w, 0, 2, 5);
	guest_flush(&w, 1, 0, FLUSH_INVLPG, 2);
	leave(&w, 1);
	ck_assert(enter(&w, 0, 0, 1));
	ck_assert_str_eq(w.f.text, "VM 0 vCPU 0 enters on pCPU 0 and may use its guest page 2 as it was before a change that its INVLPG on pCPU 1 had flushed at 0.000000050 s: pCPU 0 may hold its translations under root 1 from 0.000000010 s on and has not flushed them since");
	ck_assert_str_eq(w.f.invariant, "I3");
	ck_assert(!w.f.real);
	ck_assert_uint_eq(w.f.vcpu, 0);
	ck_assert_uint_eq(w.f.pcpu, 0);
	watch_end(&w);
}
END_TEST

START_TEST(every_full_flush_of_the_guest_is_binding)
{
	static const enum flush_op ops[] = { FLUSH_MOV_CR3, FLUSH_INVPCID_ALL,
					     FLUSH_INVVPID_SINGLE,
					     FLUSH_INVVPID_ALL };
	struct watch w;

	for (size_t i = 0; i < ARRAY_SIZE(ops); i++) {
		start(&w);
		guest_write(&w, 0, 2, 5);
		ck_assert(!guest_flush(&w, 1, 0, ops[i], IDX_NONE));
		leave(&w, 1);
		ck_assert(enter(&w, 0, 0, 1));
		ck_assert_ptr_nonnull(strstr(w.f.text, flush_op_name(ops[i])));
		watch_end(&w);
	}
}
END_TEST

START_TEST(a_use_of_a_flushed_version_is_real)
{
	const struct probe_prov old[2] = { { 4, 0, 0, 1 }, { 6, 0, 0, 1 } };
	const struct probe_prov newer[2] = { { 5, 0, 0, 1 }, { 6, 0, 0, 1 } };
	const struct probe_prov other[2] = { { 4, 0, 0, 1 }, { 6, 0, 0, 2 } };
	struct watch w;

	start(&w);
	guest_write(&w, 0, 2, 5);
	ck_assert(!use(&w, 1, 0, 2, old));
	guest_flush(&w, 1, 0, FLUSH_MOV_CR3, IDX_NONE);
	guest_write(&w, 0, 2, 6);
	ck_assert(!use(&w, 1, 0, 2, newer));
	ck_assert(!use(&w, 1, 0, 3, old));
	ck_assert(!use(&w, 1, 1, 2, old));
	ck_assert(!use(&w, 1, 0, 2, other));
	ck_assert(use(&w, 1, 0, 2, old));
	ck_assert(w.f.real);
	ck_assert_str_eq(w.f.text, "VM 0 vCPU 0 used its guest page 2 on pCPU 1 as it was before a change that its MOV CR3 on pCPU 1 had flushed at 0.000000060 s: version 4 under root 3, where its tables hold version 6");
	guest_flush(&w, 1, 0, FLUSH_INVLPG, 2);
	ck_assert(use(&w, 1, 0, 2, newer));
	watch_end(&w);
}
END_TEST

START_TEST(flushes_of_the_vcpu_or_its_root_cover_and_no_others)
{
	static const struct {
		u32 pcpu;
		enum flush_op op;
		u32 operand;
		bool covers;
	} t[] = {
		{ 0, FLUSH_INVVPID_SINGLE, 1, true },
		{ 0, FLUSH_INVVPID_SINGLE, 2, false },
		{ 0, FLUSH_INVVPID_SINGLE, 99, false },
		{ 1, FLUSH_INVVPID_SINGLE, 1, false },
		{ 0, FLUSH_INVVPID_ALL, 0, true },
		{ 1, FLUSH_INVVPID_ALL, 0, false },
		{ 0, FLUSH_INVEPT_SINGLE, 1, true },
		{ 0, FLUSH_INVEPT_SINGLE, 2, false },
		{ 1, FLUSH_INVEPT_SINGLE, 1, false },
		{ 0, FLUSH_INVEPT_GLOBAL, 0, true },
		{ 2, FLUSH_HYPERCALL, 1, true },
		{ 2, FLUSH_HYPERCALL, 2, false },
		{ 0, FLUSH_MOV_CR3, 1, true },
		{ 0, FLUSH_INVPCID_ALL, 1, true },
		{ 0, FLUSH_INVVPID_ADDR, 1, false },
		{ 0, FLUSH_INVLPG, 1, false },
		{ 0, FLUSH_EPT_VIOLATION, 1, false },
	};
	struct watch w;

	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		start(&w);
		guest_write(&w, 0, 2, 5);
		guest_flush(&w, 1, 0, FLUSH_MOV_CR3, IDX_NONE);
		leave(&w, 1);
		flush(&w, t[i].pcpu, t[i].op, t[i].operand);
		ck_assert_msg(enter(&w, 0, 0, 1) != t[i].covers, "case %zu", i);
		watch_end(&w);
	}
}
END_TEST

START_TEST(where_the_guest_flushed_an_address_that_page_is_clean)
{
	struct watch w;

	watch_start(&w, &checker_stage1);
	enter(&w, 0, 0, 1);
	guest_write(&w, 0, 2, 5);
	ck_assert(!guest_flush(&w, 0, 0, FLUSH_INVLPG, 2));
	guest_write(&w, 0, 3, 5);
	ck_assert(!guest_flush(&w, 0, 0, FLUSH_INVLPG, 3));
	leave(&w, 0);
	ck_assert(!enter(&w, 0, 0, 1));
	leave(&w, 0);
	enter(&w, 1, 0, 1);
	/* Covers both pages again, but neither has changed. */
	ck_assert(!guest_flush(&w, 1, 0, FLUSH_MOV_CR3, IDX_NONE));
	leave(&w, 1);
	ck_assert(!enter(&w, 0, 0, 1));
	watch_end(&w);
}
END_TEST

START_TEST(an_older_page_that_is_not_clean_is_found_behind_a_clean_one)
{
	struct watch w;

	start(&w);
	guest_write(&w, 0, 4, 5);
	leave(&w, 1);
	flush(&w, 2, FLUSH_INVVPID_SINGLE, 1);
	enter(&w, 0, 0, 1);
	guest_write(&w, 0, 6, 5);
	guest_flush(&w, 0, 0, FLUSH_INVLPG, 6);
	leave(&w, 0);
	enter(&w, 2, 0, 1);
	guest_flush(&w, 2, 0, FLUSH_MOV_CR3, IDX_NONE);
	leave(&w, 2);
	ck_assert(enter(&w, 0, 0, 1));
	ck_assert_ptr_nonnull(strstr(w.f.text, "guest page 4"));
	watch_end(&w);
}
END_TEST

START_TEST(a_newer_change_that_is_clean_here_does_not_hide_an_older_one)
{
	struct watch w;

	start(&w);
	guest_write(&w, 0, 4, 5);
	guest_flush(&w, 1, 0, FLUSH_INVLPG, 4);
	guest_write(&w, 0, 5, 5);
	leave(&w, 1);
	guest_flush(&w, 0, 0, FLUSH_INVVPID_ADDR, 5);
	ck_assert(enter(&w, 0, 0, 1));
	ck_assert_ptr_nonnull(strstr(w.f.text, "guest page 4"));
	watch_end(&w);
}
END_TEST

START_TEST(a_flush_on_behalf_of_a_running_vcpu_binds_at_once)
{
	struct watch w;

	watch_start(&w, &checker_stage1);
	enter(&w, 0, 0, 1);
	guest_write(&w, 0, 2, 5);
	ck_assert(guest_flush(&w, 1, 0, FLUSH_INVVPID_SINGLE, IDX_NONE));
	ck_assert_ptr_nonnull(strstr(w.f.text, "vCPU 0 runs on pCPU 0"));
	watch_end(&w);
}
END_TEST

/* P7: a guest that never flushes has nothing to expect. */
START_TEST(changes_that_the_guest_never_flushes_bind_nobody)
{
	const struct probe_prov old[2] = { { 4, 0, 0, 1 }, { 5, 0, 0, 1 } };
	struct watch w;

	start(&w);
	guest_write(&w, 0, 2, 5);
	guest_flush(&w, 1, 0, FLUSH_INVLPG, 3);
	leave(&w, 1);
	ck_assert(!enter(&w, 0, 0, 1));
	ck_assert(!use(&w, 0, 0, 2, old));
	watch_end(&w);
}
END_TEST

/* P3, P8: what other vCPUs and other roots hold cannot be selected. */
START_TEST(entries_of_other_vcpus_and_roots_are_out_of_reach)
{
	struct watch w;

	start(&w);
	leave(&w, 1);
	enter(&w, 2, 1, 1);
	leave(&w, 2);
	enter(&w, 1, 0, 1);
	guest_write(&w, 0, 2, 5);
	guest_flush(&w, 1, 0, FLUSH_MOV_CR3, IDX_NONE);
	leave(&w, 1);
	ck_assert(!enter(&w, 2, 0, 1));
	ck_assert(!enter(&w, 0, 0, 2));
	ck_assert(!enter(&w, 0, 1, 1));
	watch_end(&w);
}
END_TEST

START_TEST(without_a_vpid_every_entry_begins_with_nothing)
{
	struct watch w;

	watch_shape(&w);
	w.vpids[0] = 0;
	watch_begin(&w, &checker_stage1);
	enter(&w, 0, 0, 1);
	leave(&w, 0);
	enter(&w, 1, 0, 1);
	guest_write(&w, 0, 2, 5);
	guest_flush(&w, 1, 0, FLUSH_MOV_CR3, IDX_NONE);
	leave(&w, 1);
	ck_assert(!enter(&w, 0, 0, 1));
	watch_end(&w);
}
END_TEST

START_TEST(ties_are_broken_by_the_order_of_the_records)
{
	struct probe_rec flush_rec = rec_of(PROBE_FLUSH);
	struct probe_rec write_rec = rec_of(PROBE_GUEST_WRITE);
	struct watch w;

	flush_rec.pcpu = 0;
	flush_rec.op = FLUSH_INVEPT_GLOBAL;
	write_rec.vm = write_rec.vcpu = 0;
	write_rec.page = 2;
	write_rec.a = 5;
	flush_rec.time = write_rec.time = 100;
	for (int write_first = 0; write_first < 2; write_first++) {
		watch_start(&w, &checker_stage1);
		enter(&w, 0, 0, 1);
		tell(&w, write_first ? write_rec : flush_rec);
		tell(&w, write_first ? flush_rec : write_rec);
		leave(&w, 0);
		enter(&w, 1, 0, 1);
		guest_flush(&w, 1, 0, FLUSH_MOV_CR3, IDX_NONE);
		leave(&w, 1);
		ck_assert(enter(&w, 0, 0, 1) == !write_first);
		watch_end(&w);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_flush_at_migration_makes_the_return_clean,
		a_return_after_a_guest_flush_elsewhere_is_told_in_one_sentence,
		every_full_flush_of_the_guest_is_binding,
		a_use_of_a_flushed_version_is_real,
		flushes_of_the_vcpu_or_its_root_cover_and_no_others,
		where_the_guest_flushed_an_address_that_page_is_clean,
		an_older_page_that_is_not_clean_is_found_behind_a_clean_one,
		a_newer_change_that_is_clean_here_does_not_hide_an_older_one,
		a_flush_on_behalf_of_a_running_vcpu_binds_at_once,
		changes_that_the_guest_never_flushes_bind_nobody,
		entries_of_other_vcpus_and_roots_are_out_of_reach,
		without_a_vpid_every_entry_begins_with_nothing,
		ties_are_broken_by_the_order_of_the_records,
	};

	return run_suite("check/stage1", tests, ARRAY_SIZE(tests));
}
