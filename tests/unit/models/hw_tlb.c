/* Look-up, replacement and homes; miss counts that other simulators found. */
#include <check.h>

#include "models/hw/tlb.h"
#include "models/hw/tlb_sig.h"
#include "tests/suite.h"
#include "tests/unit/models/hw_fixture.h"

static const struct tlb_ctx ctx = { .ep4ta = 1, .vpid = 2, .pcid = 3,
				    .ept = true };

static enum tlb_hit look(struct tlb *t, u64 page, u32 shift, bool instr)
{
	const struct tlb_access a = {
		.va.n = page, .s1_shift = (u8)shift, .s2_shift = (u8)shift,
		.instr = instr,
	};
	struct tlb_prov prov;
	enum tlb_hit hit = tlb_lookup(t, &a, &prov);

	if (hit == TLB_MISS)
		tlb_fill(t, &a, &a.prov);
	return hit;
}

/*
 * 20 million accesses, 64 x 4 + 1024 x 8 true LRU; the counts were found by a
 * move-to-front model, by drcachesim and (stream 1, 3) by cachegrind.
 */
static const struct {
	enum fixture_stream stream;
	u64 misses[2];
} known[] = {
	{ STREAM_LOG, { 15548634, 9821844 } },
	{ STREAM_UNIFORM, { 19687470, 15001661 } },
	{ STREAM_HOT, { 2093122, 2009066 } },
};

START_TEST(miss_counts_equal_those_of_other_simulators)
{
	const u64 nr = 20000000;
	struct hw_geometry g = fixture_peers_lru();
	struct tlb *t = fixture_tlb(&g, 4, 4);
	u64 *pages = fixture_stream(known[_i].stream, nr), misses[2];

	tlb_set_context(t, &ctx);
	fixture_replay(t, pages, nr, misses);
	ck_assert_uint_eq(misses[0], known[_i].misses[0]);
	ck_assert_uint_eq(misses[1], known[_i].misses[1]);
	free(pages);
	free(t);
}
END_TEST

START_TEST(eight_signatures_at_once_match_like_one_by_one)
{
	u16 sig[SIG_GROUP];
	u64 x = 7;

	for (u32 round = 0; round < 10000; round++) {
		for (u32 i = 0; i < SIG_GROUP; i++)
			sig[i] = fixture_splitmix64(&x) % 4 * 0x5555;
		for (u32 want = 0; want < 4; want++)
			ck_assert_uint_eq(tlb_sig_match(sig, want * 0x5555),
					  tlb_sig_match_portable(sig,
								 want * 0x5555));
	}
}
END_TEST

START_TEST(both_halves_of_the_second_level_hold_small_pages)
{
	struct hw_geometry g = fixture_icelake_sp();
	struct tlb *t = fixture_tlb(&g, 4, 4);

	tlb_set_context(t, &ctx);
	for (u64 page = 0; page < 2048; page++)
		look(t, page, 12, false);
	for (u64 page = 0; page < 2048; page++)
		ck_assert_int_ne(look(t, page, 12, false), TLB_MISS);
	free(t);
}
END_TEST

START_TEST(one_half_of_the_second_level_holds_2m_pages)
{
	struct hw_geometry g = fixture_icelake_sp();
	struct tlb *t = fixture_tlb(&g, 4, 4);
	u32 misses = 0;

	tlb_set_context(t, &ctx);
	for (u64 page = 0; page < 2048; page++)
		look(t, page << 9, 21, false);
	for (u64 page = 0; page < 2048; page++)
		misses += look(t, page << 9, 21, false) == TLB_MISS;
	ck_assert_uint_gt(misses, 1000);
	free(t);
}
END_TEST

START_TEST(data_and_code_share_the_second_level_only)
{
	struct hw_geometry g = fixture_icelake_sp();
	struct tlb *t = fixture_tlb(&g, 4, 4);

	tlb_set_context(t, &ctx);
	ck_assert_int_eq(look(t, 5, 12, false), TLB_MISS);
	ck_assert_int_eq(look(t, 5, 12, true), TLB_HIT_L2);
	ck_assert_int_eq(look(t, 5, 12, true), TLB_HIT_L1);
	free(t);
}
END_TEST

START_TEST(a_level_without_the_size_holds_the_part_that_was_used)
{
	struct hw_geometry g = fixture_icelake_sp();
	struct tlb *t = fixture_tlb(&g, 4, 4);

	/* No level-1 structure holds 1-GiB pages for code. */
	tlb_set_context(t, &ctx);
	ck_assert_int_eq(look(t, 5, 30, true), TLB_MISS);
	ck_assert_int_eq(look(t, 6, 30, true), TLB_HIT_L1);
	ck_assert_int_eq(look(t, 5 + 512, 30, true), TLB_HIT_L2);
	free(t);
}
END_TEST

START_TEST(the_least_recently_used_way_is_replaced)
{
	struct hw_geometry g = fixture_peers_lru();
	struct tlb *t = fixture_tlb(&g, 4, 4);

	tlb_set_context(t, &ctx);
	for (u64 page = 0; page < 5 * 16; page += 16)
		look(t, page, 12, false);
	ck_assert_int_eq(look(t, 16, 12, false), TLB_HIT_L1);
	ck_assert_int_eq(look(t, 0, 12, false), TLB_HIT_L2);
	ck_assert_int_eq(look(t, 16, 12, false), TLB_HIT_L1);
	ck_assert_int_eq(look(t, 32, 12, false), TLB_HIT_L2);
	free(t);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("hw_tlb");
	TCase *tc = tcase_create("all");

	suite_add_tcase(suite, tc);
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, miss_counts_equal_those_of_other_simulators, 0,
			    ARRAY_SIZE(known));
	tcase_add_test(tc, eight_signatures_at_once_match_like_one_by_one);
	tcase_add_test(tc, both_halves_of_the_second_level_hold_small_pages);
	tcase_add_test(tc, one_half_of_the_second_level_holds_2m_pages);
	tcase_add_test(tc, data_and_code_share_the_second_level_only);
	tcase_add_test(tc, a_level_without_the_size_holds_the_part_that_was_used);
	tcase_add_test(tc, the_least_recently_used_way_is_replaced);
	return suite_main(suite);
}
