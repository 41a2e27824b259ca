/* The hypervisor below: its rows, and what contradicts "bare". */
#include "models/l0/l0.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "tests/suite.h"

START_TEST(bare_metal_has_nothing_that_a_hypervisor_offers)
{
	struct l0_params p = { .kind = L0_BARE };
	struct err err = { "" };

	ck_assert_int_eq(l0_check(&p, &err), 0);
	p.serial_teardown = _i == 0;
	p.shared_fill = _i == 1;
	p.shadow_shared = _i == 2;
	p.flush_hypercall = _i == 3;
	ck_assert_int_eq(l0_check(&p, &err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err.msg, "bare"));
}
END_TEST

START_TEST(hyperv_may_have_any_of_it)
{
	struct err err;

	for (u32 bits = 0; bits < 16; bits++) {
		struct l0_params p = {
			.kind = L0_HYPERV, .serial_teardown = bits & 1,
			.shared_fill = bits & 2, .shadow_shared = bits & 4,
			.flush_hypercall = bits & 8,
		};

		ck_assert_int_eq(l0_check(&p, &err), 0);
	}
}
END_TEST

START_TEST(kinds_are_spelled_as_in_configs)
{
	ck_assert_str_eq(l0_kind_name(L0_BARE), "bare");
	ck_assert_str_eq(l0_kind_name(L0_HYPERV), "hyperv");
}
END_TEST

START_TEST(an_unknown_kind_is_a_bug)
{
	l0_kind_name(L0_KIND_NR);
}
END_TEST

START_TEST(every_member_has_a_row)
{
	static const size_t member[] = {
		offsetof(struct l0_params, kind),
		offsetof(struct l0_params, serial_teardown),
		offsetof(struct l0_params, shared_fill),
		offsetof(struct l0_params, shadow_shared),
		offsetof(struct l0_params, flush_hypercall),
	};
	u32 nr = 0;

	for (; l0_rows[nr].name; nr++) {
		ck_assert_uint_lt(nr, ARRAY_SIZE(member));
		ck_assert_uint_eq(l0_rows[nr].offset, member[nr]);
		ck_assert(l0_rows[nr].required);
		ck_assert_uint_gt(strlen(l0_rows[nr].help), 0);
	}
	ck_assert_uint_eq(nr, ARRAY_SIZE(member));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("l0");
	TCase *t = tcase_create("parameters");

	tcase_add_loop_test(t, bare_metal_has_nothing_that_a_hypervisor_offers,
			    0, 4);
	tcase_add_test(t, hyperv_may_have_any_of_it);
	tcase_add_test(t, kinds_are_spelled_as_in_configs);
	tcase_add_exit_test(t, an_unknown_kind_is_a_bug, 3);
	tcase_add_test(t, every_member_has_a_row);
	suite_add_tcase(s, t);
	return suite_main(s);
}
