/* I4: isolation of VMs and vCPUs. */
#include "tests/unit/check/stream.h"

START_TEST(vcpus_of_one_vm_share_its_root)
{
	struct watch w;

	watch_start(&w, &checker_isolation);
	ck_assert(!enter(&w, 0, 0, 1));
	ck_assert(!enter(&w, 0, 1, 1));
	ck_assert(!enter(&w, 0, 2, 2));
	ck_assert(!enter(&w, 0, 0, 1));
	watch_end(&w);
}
END_TEST

START_TEST(a_frame_that_goes_to_another_vm_unflushed_is_told_in_one_sentence)
{
	struct watch w;

	watch_start(&w, &checker_isolation);
	enter(&w, 0, 0, 1);
	leave(&w, 0);
	flush(&w, 0, FLUSH_INVVPID_ALL, 0);
	flush(&w, 1, FLUSH_INVEPT_GLOBAL, 0);
	ck_assert(enter(&w, 0, 2, 1));
	ck_assert_str_eq(w.f.text, "VM 1 vCPU 2 enters on pCPU 0 under root 1 and may use translations of VM 0: pCPU 0 may hold translations of the frame from 0.000000010 s on and has not flushed them since");
	ck_assert_str_eq(w.f.invariant, "I4");
	ck_assert(!w.f.real);
	ck_assert(enter(&w, 0, 0, 1));
	ck_assert_ptr_nonnull(strstr(w.f.text, "translations of other VMs"));
	watch_end(&w);
}
END_TEST

START_TEST(a_flush_of_the_frame_makes_it_fit_for_another_vm)
{
	static const enum flush_op ops[] = { FLUSH_INVEPT_SINGLE,
					     FLUSH_INVEPT_GLOBAL,
					     FLUSH_HYPERCALL };
	struct watch w;

	for (size_t i = 0; i < ARRAY_SIZE(ops); i++) {
		watch_start(&w, &checker_isolation);
		enter(&w, 0, 0, 1);
		leave(&w, 0);
		flush(&w, 0, ops[i], 1);
		ck_assert(!enter(&w, 0, 2, 1));
		leave(&w, 0);
		ck_assert(!enter(&w, 0, 2, 1));
		watch_end(&w);
	}
}
END_TEST

START_TEST(after_a_flush_under_a_running_context_that_one_is_what_is_left)
{
	struct watch w;

	watch_start(&w, &checker_isolation);
	enter(&w, 0, 0, 1);
	flush(&w, 1, FLUSH_HYPERCALL, 1);
	leave(&w, 0);
	ck_assert(!enter(&w, 0, 1, 1));
	leave(&w, 0);
	ck_assert(enter(&w, 0, 2, 1));
	watch_end(&w);
}
END_TEST

START_TEST(a_vpid_that_two_vcpus_share_must_be_flushed_between_them)
{
	struct watch w;

	for (int flushed = 0; flushed < 2; flushed++) {
		watch_shape(&w);
		w.vpids[1] = 1;
		watch_begin(&w, &checker_isolation);
		ck_assert(!enter(&w, 0, 0, 1));
		leave(&w, 0);
		ck_assert(!enter(&w, 1, 1, 1));
		leave(&w, 1);
		if (flushed)
			flush(&w, 0, FLUSH_INVVPID_SINGLE, 1);
		ck_assert(enter(&w, 0, 1, 1) == !flushed);
		if (!flushed)
			ck_assert_str_eq(w.f.text, "VM 0 vCPU 1 enters on pCPU 0 with VPID 1 and may use translations of vCPU 0, which has the same VPID: pCPU 0 may hold them under root 1 from 0.000000010 s on and has not flushed them since");
		watch_end(&w);
	}
}
END_TEST

START_TEST(vpid_0_is_flushed_by_every_entry)
{
	struct watch w;

	watch_shape(&w);
	w.vpids[0] = w.vpids[1] = 0;
	watch_begin(&w, &checker_isolation);
	ck_assert(!enter(&w, 0, 0, 1));
	ck_assert(!enter(&w, 0, 1, 1));
	watch_end(&w);
}
END_TEST

START_TEST(a_use_of_a_foreign_translation_is_real)
{
	const struct probe_prov good[2] = { { 1, 1, 0, 1 }, { 2, 1, 0, 1 } };
	const struct probe_prov bad[2] = { { 2, 1, 1, 1 }, { 2, 1, 0, 1 } };
	struct watch w;

	watch_start(&w, &checker_isolation);
	ck_assert(!use(&w, 1, 0, 2, good));
	ck_assert(use(&w, 1, 0, 2, bad));
	ck_assert(w.f.real);
	ck_assert_str_eq(w.f.text, "VM 0 vCPU 0 used page 2 on pCPU 1 through a translation of VM 1 under root 3");
	watch_end(&w);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		vcpus_of_one_vm_share_its_root,
		a_frame_that_goes_to_another_vm_unflushed_is_told_in_one_sentence,
		a_flush_of_the_frame_makes_it_fit_for_another_vm,
		after_a_flush_under_a_running_context_that_one_is_what_is_left,
		a_vpid_that_two_vcpus_share_must_be_flushed_between_them,
		vpid_0_is_flushed_by_every_entry,
		a_use_of_a_foreign_translation_is_real,
	};

	return run_suite("check/isolation", tests, ARRAY_SIZE(tests));
}
