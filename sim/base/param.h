/*
 * One row per tunable.  The loader, the bounds check, "eptsim list", the
 * schema and the documentation all come from the same row; both bounds are
 * always given and there is no default unless the row says so.
 */
#ifndef SIM_BASE_PARAM_H
#define SIM_BASE_PARAM_H

#include "sim/base/types.h"

enum param_type {
	PARAM_U64,		/* integer; field is u64 */
	PARAM_U32,		/* integer; field is u32 */
	PARAM_BOOL,		/* true or false; field is bool */
	PARAM_DOUBLE,		/* number; field is double */
	PARAM_ENUM,		/* one of choices[]; field is u32, the index */
	PARAM_STR,		/* text; field is char[PARAM_STR_MAX] */
};

#define PARAM_STR_MAX 256

/**
 * struct param_desc - one tunable
 * @name: JSON key
 * @unit: unit in words ("pages", "per second"), "" for none
 * @type: which C type stands at @offset
 * @offset: offsetof() the field in the struct that the rows describe
 * @min: smallest legal value, inclusive; number types only
 * @max: largest legal value, inclusive; for PARAM_STR the longest length
 * @required: absent is an error; otherwise @def is used
 * @def: default as a number (bool and enum: 0/1, index); ignored if @required
 * @choices: NULL-terminated words of a PARAM_ENUM
 * @help: one line, imperative or noun phrase, no full stop
 */
struct param_desc {
	const char *name;
	const char *unit;
	enum param_type type;
	size_t offset;
	double min;
	double max;
	bool required;
	double def;
	const char *const *choices;
	const char *help;
};

#endif /* SIM_BASE_PARAM_H */
