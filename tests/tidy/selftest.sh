#!/bin/sh
# Proves that each check bites: a bad file draws the complaint, a good one
# next to it draws none.	usage: selftest.sh	(from the top of the tree)
tidy=$PWD/tests/tidy
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
mkdir -p sim/base sim/core sim/check sim/machine sim/cli models/policy models/hw traces
printf '#define BASE 1\n' >sim/base/types.h
cp sim/base/types.h models/flush_policy.h
# Tallies are files: a test at the end of a pipe runs in a subshell.
: >passed
: >failed

# run CHECK FILE: the check as run.sh calls it
run() {
	case $1 in
	layers) awk -f "$tidy/layers.awk" "$tidy/layers.txt" "$2" ;;
	words|unused) awk -f "$tidy/$1.awk" "$2" ;;
	headers|newline) "$tidy/$1.sh" "$2" ;;
	*) awk -f "$tidy/lib.awk" -f "$tidy/$1.awk" "$2" ;;
	esac 2>&1
}

# bites CHECK FILE COMPLAINT <<TEXT: the check fails and says so
bites() {
	cat >"$2"
	if out=$(run "$1" "$2"); then
		out="it passed: $out"
	else
		case $out in *"$3"*) echo >>passed; return ;; esac
	fi
	printf 'FAIL: %s lets pass: %s\n%s\n' "$1" "$3" "$out"
	echo >>failed
}

# spares CHECK FILE <<TEXT: the check has nothing to say
spares() {
	cat >"$2"
	if out=$(run "$1" "$2") && [ -z "$out" ]; then
		echo >>passed
		return
	fi
	printf 'FAIL: %s objects to good text\n%s\n' "$1" "$out"
	echo >>failed
}

bites layers models/policy/x.c "may not include models/hw/tlb.h" <<'X'
#include "models/hw/tlb.h"
X
bites layers sim/check/x.c "may not include sim/machine/machine.h" <<'X'
# include "sim/machine/machine.h"
X
bites layers sim/base/x.c "may not include sim/core/cost.h" <<'X'
#include "sim/core/cost.h"
X
bites layers sim/core/x.c "not written from the top" <<'X'
#include "types.h"
X
bites layers sim/core/x.c "includes a .c file" <<'X'
#include "sim/base/err.c"
X
touch sim/core/own.h
bites layers sim/core/own.c "does not include sim/core/own.h first" <<'X'
#include <errno.h>
#include "sim/core/own.h"
X
spares layers sim/core/own.c <<'X'
#include "sim/core/own.h"
#include <errno.h>
X
spares layers models/policy/x.c <<'X'
#include <stddef.h>
#include "models/flush_policy.h"
X

bites headers sim/core/x.h "does not compile alone" <<'X'
u64 x(void);
X
bites headers sim/core/x.h "does not compile alone and twice" <<'X'
struct x { int y; };
X
spares headers sim/core/x.h <<'X'
#ifndef X
#define X
#include "sim/base/types.h"
#endif
X

bites docs sim/core/x.h "x_get() has no kernel-doc" <<'X'
int x_get(void);
X
bites docs sim/core/x.h "x_get() does not document what it returns" <<'X'
/**
 * x_get() - get
 */
int x_get(void);
X
bites docs sim/core/x.h "x_get() does not document @b" <<'X'
/**
 * x_get() - get
 * @a: one
 *
 * Return: it.
 */
const char *x_get(const struct x *a,
		  int (*b)(int c, void *d));
X
bites docs sim/core/x.h "x_put() does not document @a" <<'X'
/**
 * x_put() - put
 */
__attribute__((format(printf, 1, 2)))
void x_put(const char *a, ...);
X
bites docs sim/core/x.h "x_in() does not document @a" <<'X'
/**
 * x_in() - documented although inline
 */
static inline void x_in(int a[4])
{
}
X
bites docs sim/core/x.h "struct x does not document @second" <<'X'
/**
 * struct x - two
 * @first: one
 */
struct x {
	u64 first, second[2];
};
X
bites docs sim/core/x.h "struct x does not document @u" <<'X'
/**
 * struct x - nested
 * @kind: one
 */
struct x {
	int kind;
	union {
		int inner;
	} u;
};
X
bites docs sim/core/x.h "struct x does not document @hook" <<'X'
/**
 * struct x - members documented in place
 */
struct x {
	/** @name: called that */
	const char *name;

	int (*hook)(void *state,
		    int more);
};
X
bites docs sim/core/x.h "struct x_ops has no kernel-doc" <<'X'
struct x_ops {
	int (*hook)(void);
};
X
bites docs sim/core/x.c "kernel-doc stands in the header" <<'X'
/**
 * x() - no
 */
X
spares docs sim/core/x.h <<'X'
#define X(a)	\
	do_it(a)
enum e { A, B };
typedef struct { int n; } t;
struct undocumented {
	int a;
};
struct forward;
extern const struct x_ops x_ops_first;
extern const struct x_ops *const x_list[];
/**
 * struct x - all there
 * @kind: with @bit, and
 * @u: the rest
 */
struct x {
	int kind;
	unsigned int bit : 3;
	union {
		int inner;
	} u;
};
/**
 * struct y_ops - documented in place
 */
struct y_ops {
	/**
	 * @hook: Called.
	 *
	 * Return: 0.
	 */
	int (*hook)(void *state,
		    int more);
};
static inline int x_plain(int a)
{
	return a;
}
/**
 * x_set() - set
 * @x: what
 * @fn: by whom
 * @to: where
 */
void x_set(struct x *x, int (*fn)(int a, int b),
	   const int to[2]);
/**
 * x_name() - name
 *
 * Return: it.
 */
const char *x_name(void);
X

{ printf 'void f(void)\n{\n'; yes '	x();' | head -n 71; echo '}'; } |
	bites length sim/core/x.c "function of 71 lines"
{ printf 'void f(void)\n{\n'; yes '	x();' | head -n 70; echo '}'; } |
	spares length sim/core/x.c
yes '/* long */' | head -n 801 | bites length sim/core/x.c "over 800 lines"
bites length sim/core/x.c "nested deeper than 3 levels" <<'X'
static void f(void)
{
	for (;;) {
		if (a) {
			while (b) {
				if (c)
					d();
			}
		}
	}
}
X
bites length sim/core/x.c "more than 5 parameters" <<'X'
static int f(int a, int b, int c,
	     int d, int e, int g)
{
}
X
spares length sim/core/x.c <<'X'
static int f(int a, int b, int (*c)(int, int, int), int d, int e)
{
	for (;;) {
		if (a) {
			while (b)
				call(a, b,
						c);
			x = a +
					b;
		}
	}
}
X

for f in strcpy strcat sprintf vsprintf gets strtok gmtime localtime rand \
	srand random time gettimeofday atoi atof system popen alloca; do
	echo "	x = $f(y);" | bites banned traces/x.c "$f() is banned"
done
for f in malloc calloc realloc free; do
	echo "	x = $f(y);" | bites banned sim/machine/x.c "$f(): this folder"
	echo "	x = $f(y);" | spares banned traces/x.c
done
echo '	exit(1);' | bites banned models/hw/x.c "exit(): only sim/cli"
echo '	printf("x");' | bites banned traces/x.c "printf(): only sim/cli"
echo '	fputs("x", stderr);' | bites banned sim/core/x.c "stdout or stderr"
echo '	clock_gettime(a, &b);' | bites banned sim/core/x.c "no wall clock"
spares banned sim/machine/x.c <<'X'
#include <stdlib.h>
	/* calls malloc() and time() */
	fprintf(out, "malloc(1) on stdout");
	schedule_free(s);
	s->time(s);
	ops.free(s);
	next_time (s);
X
echo '	exit(printf("x"));' | spares banned sim/cli/x.c

bites charge sim/machine/x.c "number in a charge" <<'X'
	charge(m, pcpu, 120);
X
bites charge sim/machine/x.c ":2: number in a charge" <<'X'
	a = 1;
	account_charge(&m->account, pcpu,
		       n * 0x40);
X
spares charge sim/machine/x.c <<'X'
void charge(struct machine *m, u32 pcpu, enum cost_id id)
	charge(m, m->pcpu[i2], COST_INVEPT_SINGLE); recharge_x = 12;
	surcharged(12);
X

printf 'int a; \n' | bites text sim/core/x.c "trailing blank"
printf 'int a;\r\n' | bites text sim/core/x.c "trailing blank"
printf 'int a; // b\n' | bites text sim/core/x.c "// comment"
printf '%0101d;\n' 1 | bites text sim/core/x.c "over 100 columns"
printf '\t\t\t\t\t\t\t\t\t\t\t\t\t;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;\n' |
	bites text sim/core/x.c "over 100 columns"
printf '\tx("%0120d"); /* a // b */ y("//");\n' 1 | spares text sim/core/x.c
printf 'int a;' | bites newline sim/core/x.c "no newline at the end"
printf 'int a;\n' | spares newline sim/core/x.c

for w in TO'DO' FIX'ME' XX'X' HA'CK'; do
	echo "/* $w: later */" | bites words sim/core/x.c "to do later"
done
for p in wo'rk' ho'me' tmp/resea'rch'; do
	echo "data=/$p/x" | bites words sim/core/x.sh "path of one machine"
done
echo 'see HACKING.md; mktemp a.XXXXXX; a/home/b' | spares words sim/core/x.c

echo 'int x;' | bites unused sim/core/x.h "included by nobody"
echo '#include "sim/core/x.h"' | spares unused sim/core/x.h

echo "$(grep -c '' passed) passed, $(grep -c '' failed) failed"
[ ! -s failed ]
