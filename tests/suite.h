/* How a test program ends: its one suite is run. */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <check.h>

/**
 * suite_main() - run a suite as a test program
 * @s: suite with its cases; freed
 *
 * Return: exit status for main(): 0 if every check passed, else 1.
 */
int suite_main(Suite *s);

#endif /* TESTS_SUITE_H */
