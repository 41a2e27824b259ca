/* The verdicts of litmus tests: a table for people, TAP and JUnit for CI. */
#ifndef SIM_CLI_LITMUS_REPORT_H
#define SIM_CLI_LITMUS_REPORT_H

#include <stdio.h>

#include "sim/cli/litmus.h"

/**
 * struct litmus_cell - one policy on one test
 * @verdict: 0 clean, one VERDICT_BIT(), or LITMUS_NA
 * @stuck: clean, but no run gets to the end of the programs, so that nothing
 *         has been tested; @text says where they stop
 * @exhausted: false: memory ran out first, and clean means nothing
 * @expected: what the test says
 * @judged: it says something
 * @states: states explored
 * @seconds: time taken
 * @text: the finding, why the policy does not apply, or where programs stop;
 *        else empty
 */
struct litmus_cell {
	u32 verdict;
	bool exhausted;
	bool stuck;
	u32 expected;
	bool judged;
	u64 states;
	double seconds;
	char text[FINDING_TEXT_MAX];
};

/**
 * struct litmus_table - all policies on all tests
 * @nr_tests: tests
 * @test: @nr_tests pointers
 * @nr_policies: policies
 * @policy: @nr_policies policies
 * @cell: [test][policy]
 */
struct litmus_table {
	u32 nr_tests;
	const struct litmus *const *test;
	u32 nr_policies;
	const struct flush_policy *policy;
	struct litmus_cell *cell;
};

/**
 * litmus_differs() - is a verdict not the expected one?
 * @c: cell
 *
 * Return: true if the test says what should come out and something else did,
 * or nothing: for want of memory, or since the programs cannot end.
 */
bool litmus_differs(const struct litmus_cell *c);

/**
 * litmus_cell_at() - one cell
 * @t: table
 * @test: test
 * @policy: policy
 *
 * Return: the cell.
 */
struct litmus_cell *litmus_cell_at(const struct litmus_table *t, u32 test,
				   u32 policy);

/**
 * litmus_print() - the table at 80 columns
 * @t: table
 * @out: stream
 */
void litmus_print(const struct litmus_table *t, FILE *out);

/**
 * litmus_print_tap() - Test Anything Protocol, one line per judged cell
 * @t: table
 * @out: stream
 */
void litmus_print_tap(const struct litmus_table *t, FILE *out);

/**
 * litmus_print_junit() - JUnit XML, one suite per test
 * @t: table
 * @out: stream
 */
void litmus_print_junit(const struct litmus_table *t, FILE *out);

#endif /* SIM_CLI_LITMUS_REPORT_H */
