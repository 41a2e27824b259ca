/*
 * Everything that is wrong with a set of config files, collected so that the
 * user is told all of it at once.
 */
#ifndef SIM_CONFIG_COMPLAIN_H
#define SIM_CONFIG_COMPLAIN_H

#include <stdio.h>

#include "sim/base/types.h"

/* Complaints that are kept; further ones are only counted. */
#define COMPLAINTS_MAX 100u

/**
 * struct complaints - a list of sentences
 * @nr: complaints made
 * @nr_kept: used entries of @text
 * @text: one line each, owned by the list
 */
struct complaints {
	u64 nr;
	u32 nr_kept;
	char *text[COMPLAINTS_MAX];
};

/**
 * complaints_init() - make an empty list
 * @c: list
 */
void complaints_init(struct complaints *c);

/**
 * complaints_release() - free the sentences
 * @c: list; empty afterwards
 */
void complaints_release(struct complaints *c);

/**
 * complain() - add one sentence
 * @c: list
 * @fmt: printf format: "file:line: path: found X, expected Y"
 *
 * The sentence is spelled out as err_set() does.  At most ERR_MSG_MAX bytes are
 * kept.
 */
__attribute__((format(printf, 2, 3)))
void complain(struct complaints *c, const char *fmt, ...);

/**
 * complaints_full() - is there room for another sentence
 * @c: list
 *
 * Where finding the words is expensive, complain_more() will do once this
 * says true.
 *
 * Return: true when the next complaint would only be counted.
 */
bool complaints_full(const struct complaints *c);

/**
 * complain_more() - count a complaint for which there is no room
 * @c: list
 */
void complain_more(struct complaints *c);

/**
 * complaints_print() - show the list
 * @c: list
 * @out: stream; one line per complaint, then "and N more" if some were not
 *       kept
 */
void complaints_print(const struct complaints *c, FILE *out);

/**
 * nearest_name() - the known name that an unknown one was probably meant to be
 * @word: what was found
 * @names: @nr known names
 * @nr: number of names
 *
 * Return: one of @names, or NULL when none is close: a third of the letters
 * may differ, at most three of them.
 */
const char *nearest_name(const char *word, const char *const *names, size_t nr);

#endif /* SIM_CONFIG_COMPLAIN_H */
