/*
 * An environment that follows programs: what each actor does, in its own
 * order.  How the programs interleave, and how the threads' micro-steps do, is
 * left open, unless there is one program for everybody.
 */
#ifndef SIM_DRIVER_SCRIPT_H
#define SIM_DRIVER_SCRIPT_H

#include "sim/driver/environ.h"

#define SCRIPT_PROGRAMS_MAX	16u
#define SCRIPT_STEPS_MAX	1000u

/*
 * What a program can wait for, of the vCPU or VM it names.  It goes on at the
 * first moment at which that holds.
 */
#define SCRIPT_CONDITIONS(X)						\
	X(IN_GUEST,	"in_guest")	/* the vCPU is in guest mode */	\
	X(OUTSIDE,	"outside")	/* it is not */			\
	X(LOADED,	"loaded")	/* it is on a pCPU */		\
	X(AWAY,		"away")		/* it is on none */		\
	X(IDLE,		"idle")		/* the VM's host thread has nothing to do */ \
	X(UNMAPPED,	"unmapped")	/* the VM's page has been zapped */

#define X(id, name) SCRIPT_##id,
enum script_condition { SCRIPT_CONDITIONS(X) SCRIPT_CONDITION_NR };
#undef X

enum script_what {
	SCRIPT_ACT,		/* @action happens */
	SCRIPT_WAIT,		/* until @condition holds of @action.a */
	SCRIPT_RUN,		/* task @action.a takes all steps it can */
};

/**
 * struct script_step - one line of a program
 * @what: enum script_what
 * @condition: enum script_condition
 * @action: see above; a ROLE operand is ignored
 */
struct script_step {
	u8 what;
	u8 condition;
	struct action action;
};

/**
 * struct script_program - what one actor does, or all in one order
 * @nr: used entries of @step
 * @step: in order
 */
struct script_program {
	u32 nr;
	struct script_step *step;
};

/**
 * struct script_seen - how far the programs have come in any run
 * @finished: in some run all of them have ended
 * @at: most steps of each that were passed in one run
 */
struct script_seen {
	u32 finished;
	u32 at[SCRIPT_PROGRAMS_MAX];
};

/**
 * struct script - programs
 * @fixed: there is one program, and nothing happens but what it says, micro-
 *         steps and interrupts included
 * @nr: used entries of @program
 * @program: programs
 * @seen: zeroed before, filled in as runs go on; lent; may be NULL
 */
struct script {
	bool fixed;
	u32 nr;
	struct script_program program[SCRIPT_PROGRAMS_MAX];
	struct script_seen *seen;
};

/* @arg is a struct script. */
extern const struct environ_ops environ_script;

/**
 * script_condition_name() - word for a condition
 * @c: enum script_condition
 *
 * Return: a static string.
 */
const char *script_condition_name(enum script_condition c);

#endif /* SIM_DRIVER_SCRIPT_H */
