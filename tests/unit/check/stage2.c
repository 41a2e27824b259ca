/* I1: stage-2 safety. */
#include "tests/unit/check/stream.h"

START_TEST(a_flush_after_the_change_makes_the_return_clean)
{
	struct watch w;

	watch_start(&w, &checker_stage2);
	ck_assert(!enter(&w, 0, 0, 1));
	ck_assert(!leave(&w, 0));
	ck_assert(!enter(&w, 1, 0, 1));
	ck_assert(!leave(&w, 1));
	ck_assert(!zap(&w, 0, 2, 5));
	flush(&w, 0, FLUSH_INVEPT_SINGLE, 1);
	ck_assert(!enter(&w, 0, 0, 1));
	watch_end(&w);
}
END_TEST

/* D-1: a remote flush lands where the vCPU is, then the vCPU goes back. */
START_TEST(a_return_without_a_flush_is_told_in_one_sentence)
{
	struct watch w;

	watch_start(&w, &checker_stage2);
	enter(&w, 0, 0, 1);
	leave(&w, 0);
	enter(&w, 1, 0, 1);
	leave(&w, 1);
	ck_assert(!zap(&w, 0, 2, 5));
	flush(&w, 1, FLUSH_INVEPT_SINGLE, 1);
	ck_assert(!enter(&w, 1, 0, 1));
	leave(&w, 1);
	ck_assert(enter(&w, 0, 0, 1));
	ck_assert_str_eq(w.f.text, "VM 0 vCPU 0 enters on pCPU 0 and may use page 2 as it was before the change that the host made at 0.000000050 s and whose flush returned at 0.000000070 s: pCPU 0 may hold translations of root 1 from 0.000000010 s on and has not flushed them since");
	ck_assert_str_eq(w.f.invariant, "I1");
	ck_assert(!w.f.real);
	ck_assert_uint_eq(w.f.vcpu, 0);
	ck_assert_uint_eq(w.f.pcpu, 0);
	ck_assert_uint_eq(w.f.time, 110);
	watch_end(&w);
}
END_TEST

START_TEST(a_sibling_that_shares_the_root_makes_the_pcpu_dirty_as_well)
{
	struct watch w;

	watch_start(&w, &checker_stage2);
	enter(&w, 0, 1, 1);
	leave(&w, 0);
	zap(&w, 0, 2, 5);
	ck_assert(enter(&w, 0, 0, 1));
	watch_end(&w);
}
END_TEST

START_TEST(the_return_of_a_flush_binds_who_is_running)
{
	struct watch w;

	watch_start(&w, &checker_stage2);
	enter(&w, 2, 1, 1);
	change(&w, 0, 2, WRITE_STRICT, 5);
	ck_assert(!obligation(&w, PROBE_OBLIGE, 0, 2, 9));
	ck_assert(obligation(&w, PROBE_ACK, 0, 2, 9));
	ck_assert_str_eq(w.f.text, "VM 0 vCPU 1 runs on pCPU 2 and may use page 2 as it was before the change that the host made at 0.000000020 s and whose flush returned at 0.000000040 s: pCPU 2 may hold translations of root 1 from 0.000000010 s on and has not flushed them since");
	watch_end(&w);
}
END_TEST

START_TEST(a_use_of_a_condemned_version_is_real)
{
	const struct probe_prov old[2] = { { 0, 4, 0, 1 }, { 0, 6, 0, 1 } };
	const struct probe_prov newer[2] = { { 0, 5, 0, 1 }, { 0, 6, 0, 1 } };
	struct watch w;

	watch_start(&w, &checker_stage2);
	ck_assert(!change(&w, 0, 2, WRITE_STRICT, 5));
	ck_assert(!use(&w, 1, 0, 2, old));
	ck_assert(!obligation(&w, PROBE_OBLIGE, 0, 2, 9));
	ck_assert(!use(&w, 1, 0, 2, old));
	ck_assert(!obligation(&w, PROBE_ACK, 0, 2, 9));
	ck_assert(!change(&w, 0, 2, WRITE_UPGRADE, 6));
	ck_assert(!use(&w, 1, 0, 2, newer));
	ck_assert(!use(&w, 1, 0, 3, old));
	ck_assert(use(&w, 1, 0, 2, old));
	ck_assert(w.f.real);
	ck_assert_str_eq(w.f.text, "VM 0 vCPU 0 used page 2 on pCPU 1 as it was before the change that the host made at 0.000000010 s and whose flush returned at 0.000000050 s: version 4 under root 3, where the tables hold version 6");
	watch_end(&w);
}
END_TEST

START_TEST(versions_of_other_roots_and_vms_are_not_compared)
{
	const struct probe_prov root[2] = { { 0, 4, 0, 1 }, { 0, 6, 0, 2 } };
	const struct probe_prov vm[2] = { { 0, 4, 1, 1 }, { 0, 6, 0, 1 } };
	struct watch w;

	watch_start(&w, &checker_stage2);
	zap(&w, 0, 2, 5);
	ck_assert(!use(&w, 1, 0, 2, root));
	ck_assert(!use(&w, 1, 0, 2, vm));
	watch_end(&w);
}
END_TEST

/* P1: between the change and the return of its flush anything goes. */
START_TEST(stale_use_before_the_flush_returns_is_permitted)
{
	struct watch w;

	watch_start(&w, &checker_stage2);
	enter(&w, 0, 0, 1);
	leave(&w, 0);
	change(&w, 0, 2, WRITE_STRICT, 5);
	obligation(&w, PROBE_OBLIGE, 0, 2, 1);
	ck_assert(!enter(&w, 0, 0, 1));
	ck_assert(!leave(&w, 0));
	ck_assert(!obligation(&w, PROBE_ACK, 0, 2, 1));
	watch_end(&w);
}
END_TEST

/* P2: rights added and accessed bits cleared never need a flush. */
START_TEST(upgrades_and_cleared_accessed_bits_condemn_nothing)
{
	const struct probe_prov old[2] = { { 0, 4, 0, 1 }, { 0, 6, 0, 1 } };
	struct watch w;

	watch_start(&w, &checker_stage2);
	enter(&w, 0, 0, 1);
	change(&w, 0, 2, WRITE_UPGRADE, 5);
	obligation(&w, PROBE_OBLIGE, 0, 2, 1);
	ck_assert(!obligation(&w, PROBE_ACK, 0, 2, 1));
	change(&w, 0, 2, WRITE_ACCESSED, 6);
	ck_assert(!enter(&w, 0, 0, 1));
	ck_assert(!use(&w, 0, 0, 2, old));
	watch_end(&w);
}
END_TEST

START_TEST(a_version_that_an_upgrade_superseded_dies_by_the_next_strict_change)
{
	const struct probe_prov old[2] = { { 0, 4, 0, 1 }, { 0, 6, 0, 1 } };
	struct watch w;

	watch_start(&w, &checker_stage2);
	change(&w, 0, 2, WRITE_UPGRADE, 5);
	ck_assert(!use(&w, 0, 0, 2, old));
	zap(&w, 0, 2, 6);
	ck_assert(use(&w, 0, 0, 2, old));
	watch_end(&w);
}
END_TEST

/* P3: entries nobody can select. */
START_TEST(what_no_context_selects_may_stay_for_ever)
{
	struct watch w;

	watch_start(&w, &checker_stage2);
	enter(&w, 0, 0, 1);
	leave(&w, 0);
	zap(&w, 0, 2, 5);
	ck_assert(!enter(&w, 0, 2, 0));
	ck_assert(!enter(&w, 0, 0, 2));
	ck_assert(!enter(&w, 1, 0, 1));
	watch_end(&w);
}
END_TEST

/* P4, P5, P8: speculation while active, needless flushes, shared entries. */
START_TEST(an_active_context_and_needless_flushes_are_no_fault)
{
	struct watch w;

	watch_start(&w, &checker_stage2);
	enter(&w, 0, 0, 1);
	change(&w, 0, 2, WRITE_STRICT, 5);
	obligation(&w, PROBE_OBLIGE, 0, 2, 1);
	ck_assert(!leave(&w, 0));
	ck_assert(!obligation(&w, PROBE_ACK, 0, 2, 1));
	ck_assert(!flush(&w, 0, FLUSH_INVEPT_GLOBAL, 0));
	ck_assert(!flush(&w, 0, FLUSH_INVEPT_GLOBAL, 0));
	ck_assert(!enter(&w, 0, 0, 1));
	ck_assert(!enter(&w, 0, 1, 1));
	watch_end(&w);
}
END_TEST

START_TEST(only_flushes_of_the_root_count)
{
	static const struct {
		u32 pcpu;
		enum flush_op op;
		u32 operand;
		bool covers;
	} t[] = {
		{ 0, FLUSH_INVEPT_SINGLE, 1, true },
		{ 0, FLUSH_INVEPT_SINGLE, 2, false },
		{ 1, FLUSH_INVEPT_SINGLE, 1, false },
		{ 0, FLUSH_INVEPT_GLOBAL, 0, true },
		{ 1, FLUSH_INVEPT_GLOBAL, 0, false },
		{ 0, FLUSH_HYPERCALL, 1, true },
		{ 2, FLUSH_HYPERCALL, 1, true },
		{ 0, FLUSH_HYPERCALL, 2, false },
		{ 0, FLUSH_INVVPID_SINGLE, 1, false },
		{ 0, FLUSH_INVVPID_ALL, 0, false },
		{ 0, FLUSH_INVVPID_ADDR, 1, false },
		{ 0, FLUSH_INVLPG, 1, false },
		{ 0, FLUSH_MOV_CR3, 1, false },
		{ 0, FLUSH_INVPCID_ALL, 1, false },
		{ 0, FLUSH_EPT_VIOLATION, 1, false },
	};
	struct watch w;

	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		watch_start(&w, &checker_stage2);
		enter(&w, 0, 0, 1);
		leave(&w, 0);
		zap(&w, 0, 2, 5);
		flush(&w, t[i].pcpu, t[i].op, t[i].operand);
		ck_assert_msg(enter(&w, 0, 0, 1) != t[i].covers, "case %zu", i);
		watch_end(&w);
	}
}
END_TEST

/* All at one time; only the order of the records says what came first. */
START_TEST(ties_are_broken_by_the_order_of_the_records)
{
	struct probe_rec flush_rec = rec_of(PROBE_FLUSH);
	struct probe_rec write_rec = rec_of(PROBE_WRITE);
	struct watch w;

	flush_rec.pcpu = 0;
	flush_rec.op = FLUSH_INVEPT_GLOBAL;
	write_rec.vm = 0;
	write_rec.page = 2;
	write_rec.a = 5;
	flush_rec.time = write_rec.time = 100;
	for (int write_first = 0; write_first < 2; write_first++) {
		watch_start(&w, &checker_stage2);
		enter(&w, 0, 0, 1);
		tell(&w, write_first ? write_rec : flush_rec);
		tell(&w, write_first ? flush_rec : write_rec);
		obligation(&w, PROBE_OBLIGE, 0, 2, 1);
		ck_assert(obligation(&w, PROBE_ACK, 0, 2, 1) == !write_first);
		watch_end(&w);
	}
}
END_TEST

START_TEST(a_context_active_during_a_flush_caches_again_at_once)
{
	struct watch w;

	watch_start(&w, &checker_stage2);
	enter(&w, 0, 0, 1);
	flush(&w, 1, FLUSH_HYPERCALL, 1);
	leave(&w, 0);
	zap(&w, 0, 2, 5);
	ck_assert(enter(&w, 0, 0, 1));
	ck_assert_ptr_nonnull(strstr(w.f.text, "from 0.000000020 s on"));
	watch_end(&w);
}
END_TEST

START_TEST(flushes_that_return_in_another_order_condemn_what_they_began_with)
{
	const struct probe_prov old[2] = { { 0, 4, 0, 1 }, { 0, 6, 0, 1 } };
	const struct probe_prov newer[2] = { { 0, 5, 0, 1 }, { 0, 6, 0, 1 } };
	struct watch w;

	watch_start(&w, &checker_stage2);
	change(&w, 0, 2, WRITE_STRICT, 5);
	obligation(&w, PROBE_OBLIGE, 0, 2, 1);
	change(&w, 0, 2, WRITE_STRICT, 6);
	obligation(&w, PROBE_OBLIGE, 0, 2, 2);
	obligation(&w, PROBE_ACK, 0, 2, 1);
	ck_assert(use(&w, 0, 0, 2, old));
	ck_assert(!use(&w, 0, 0, 2, newer));
	obligation(&w, PROBE_ACK, 0, 2, 2);
	ck_assert(use(&w, 0, 0, 2, newer));
	watch_end(&w);
}
END_TEST

START_TEST(a_new_incarnation_leaves_the_old_entries_to_another_checker)
{
	struct watch w;

	watch_start(&w, &checker_stage2);
	alloc_root(&w, 0, 1, 1);
	enter(&w, 0, 0, 1);
	leave(&w, 0);
	alloc_root(&w, 0, 1, 2);
	zap(&w, 0, 2, 5);
	ck_assert(!enter(&w, 0, 0, 1));
	watch_end(&w);
}
END_TEST

START_TEST(a_caller_that_only_counts_gets_the_same_verdict)
{
	struct probe_rec r = rec_of(PROBE_CONTEXT);
	struct watch w;

	watch_start(&w, &checker_stage2);
	enter(&w, 0, 0, 1);
	leave(&w, 0);
	zap(&w, 0, 2, 5);
	r.pcpu = r.vcpu = r.vm = 0;
	r.frame = 1;
	r.seq = w.seq;
	ck_assert(w.ops->on_probe(w.state, &w.shape, &r, NULL));
	watch_end(&w);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_flush_after_the_change_makes_the_return_clean,
		a_return_without_a_flush_is_told_in_one_sentence,
		a_sibling_that_shares_the_root_makes_the_pcpu_dirty_as_well,
		the_return_of_a_flush_binds_who_is_running,
		a_use_of_a_condemned_version_is_real,
		versions_of_other_roots_and_vms_are_not_compared,
		stale_use_before_the_flush_returns_is_permitted,
		upgrades_and_cleared_accessed_bits_condemn_nothing,
		a_version_that_an_upgrade_superseded_dies_by_the_next_strict_change,
		what_no_context_selects_may_stay_for_ever,
		an_active_context_and_needless_flushes_are_no_fault,
		only_flushes_of_the_root_count,
		ties_are_broken_by_the_order_of_the_records,
		a_context_active_during_a_flush_caches_again_at_once,
		flushes_that_return_in_another_order_condemn_what_they_began_with,
		a_new_incarnation_leaves_the_old_entries_to_another_checker,
		a_caller_that_only_counts_gets_the_same_verdict,
	};

	return run_suite("check/stage2", tests, ARRAY_SIZE(tests));
}
