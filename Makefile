# eptsim: one file, no configure step, no recursion.  "make help" lists what it
# does.  Sources are found by wildcard; everything built lies under out/VARIANT/.
#
#   SAN=1        address and undefined-behaviour sanitizers
#   V=1          show commands
#   CC=clang     another compiler; CFLAGS, CPPFLAGS and LDFLAGS are honoured
#   NODEPS=1     never install packages
#   WERROR=0     warnings stay warnings

PREFIX		?= /usr/local
DESTDIR		?=
CFLAGS		?= -O2 -g
FUZZ_SECONDS	?= 60
FUZZ_CC		?= clang
JOBS		:= $(shell nproc 2>/dev/null || echo 2)
MAKEFLAGS	:= $(MAKEFLAGS) -rR -j$(JOBS)
ifeq ($(origin CC),default)
CC		:= gcc
endif

DEBS	:= check libjansson-dev libzstd-dev zlib1g-dev libxxhash-dev \
	   gnuplot-nox fonts-dejavu-core pkg-config

WARN	:= -Wall -Wextra $(if $(filter 0,$(WERROR)),,-Werror) -Wshadow -Wvla \
	   -Wstrict-prototypes -Wmissing-prototypes -Wmissing-declarations \
	   -Wundef -Wpointer-arith
BASE	:= -std=gnu11 -I. -include sim/base/banned.h $(WARN)
LIBS	:= -ljansson -lzstd -lz -lxxhash -lm -lpthread
CHECK	:= -lcheck -lsubunit -lrt

# Variants.  CC_x, FLAGS_x: how variant x is compiled and linked.
VARIANTS	:= plain san tsan fuzz
VARIANT		:= $(if $(filter 1,$(SAN)),san,plain)
SANITIZE	:= -fsanitize=address,undefined -fno-sanitize-recover=all \
		   -fno-omit-frame-pointer
FLAGS_plain	= $(CFLAGS)
FLAGS_san	= $(CFLAGS) -O1 $(SANITIZE)
FLAGS_tsan	= $(CFLAGS) -O1 -fsanitize=thread
FLAGS_fuzz	= $(CFLAGS) -O1 $(SANITIZE) -fsanitize=fuzzer-no-link
CC_plain	= $(CC)
CC_san		= $(CC)
CC_tsan		= $(CC)
CC_fuzz		= $(FUZZ_CC)

# Sources.  SUPPORT is linked into every test program.
MAIN	:= $(wildcard sim/cli/main.c)
VERSION	:= $(wildcard sim/cli/version.c)
SRCS	:= $(filter-out $(MAIN) $(VERSION),$(wildcard sim/*/*.c models/*.c \
	   models/*/*.c traces/*.c))
UNIT	:= $(wildcard tests/unit/*/*.c)
PROP	:= $(wildcard tests/prop/*.c)
MUTANTS	:= $(wildcard tests/mutants/*.c)
FUZZ	:= $(wildcard tests/fuzz/*.c)
BENCH	:= $(wildcard bench/*/*.c)
SUPPORT	:= $(wildcard tests/*.c)
CLI	:= $(filter-out tests/cli/run.sh,$(wildcard tests/cli/*.sh))
GOLDEN	:= $(wildcard tests/golden/*.sh)
SHARED	:= $(wildcard configs/*/*.json configs/*/*.md bench/plots/*.gp traces/samples/*.zst \
	   traces/samples/*.md)
MANPAGE	:= $(wildcard sim/cli/eptsim.1)
COMPLETE := $(wildcard sim/cli/eptsim.bash)

# Test programs that start threads: they run under ThreadSanitizer as well.
THREADED := tests/unit/base/rng.c tests/unit/driver/states.c \
	    tests/unit/driver/threads.c

Q	:= $(if $(filter 1,$(V)),,@)
say	= @printf '  %-7s %s\n' $(1) $(2)

# Packages come before the first compilation where a newcomer starts; a bare
# "make" never installs anything.
ifeq ($(NODEPS),)
ASKED	:= $(filter demo test test-long bench peers plots golden,$(MAKECMDGOALS))
FIRST	:= $(if $(ASKED),deps)
$(ASKED): $(FIRST)
endif

.DEFAULT_GOAL := all
.PHONY: all demo test test-long tidy bench peers fuzz plots install help deps \
	golden clean FORCE
.DELETE_ON_ERROR:

all: eptsim	## build ./eptsim (the default)

eptsim: out/$(VARIANT)/eptsim FORCE
	@[ $< -ef $@ ] || ln -f $< $@

# A stamp is rewritten only when its text changes, so that what depends on it
# is rebuilt exactly then.
stamp	= @mkdir -p $(@D); printf '%s\n' '$(1)' | cmp -s - $@ || \
	  printf '%s\n' '$(1)' >$@
COMMIT	:= $(shell git describe --always --dirty 2>/dev/null || echo unknown)
DEFINES	= -DEPTSIM_COMMIT='"$(COMMIT)"' -DEPTSIM_DATADIR='"$(PREFIX)/share/eptsim"'

define variant
out/$(1)/flags: FORCE
	$$(call stamp,$$(CC_$(1)) $$(BASE) $$(CPPFLAGS) $$(FLAGS_$(1)) $$(LDFLAGS))
out/$(1)/members: FORCE
	$$(call stamp,$$(SRCS) $$(SUPPORT))
out/$(1)/commit: FORCE
	$$(call stamp,$$(COMMIT) $$(PREFIX))

# The one file that knows the commit.  A new commit relinks the program only.
out/$(1)/sim/cli/version.o: out/$(1)/commit
out/$(1)/sim/cli/version.o: EXTRA = $$(DEFINES)

out/$(1)/%.o: %.c out/$(1)/flags | $$(FIRST)
	$$(call say,CC,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC_$(1)) $$(BASE) $$(CPPFLAGS) $$(FLAGS_$(1)) $$(EXTRA) -MMD -MP \
		-c -o $$@ $$<

out/$(1)/eptsim.a: $$(SRCS:%.c=out/$(1)/%.o) out/$(1)/members
	$$(call say,AR,$$@)
	@rm -f $$@
	$$(Q)ar rcsD $$@ $$(filter %.o,$$^)

out/$(1)/eptsim: $$(MAIN:%.c=out/$(1)/%.o) $$(VERSION:%.c=out/$(1)/%.o) \
		out/$(1)/eptsim.a
	$$(call say,LINK,$$@)
	$$(Q)$$(CC_$(1)) $$(FLAGS_$(1)) $$(LDFLAGS) -o $$@ $$^ $$(LIBS)

TESTS_$(1) := $$(patsubst %.c,out/$(1)/%,$$(UNIT) $$(PROP) $$(MUTANTS))
$$(TESTS_$(1)): out/$(1)/%: out/$(1)/%.o $$(SUPPORT:%.c=out/$(1)/%.o) \
		out/$(1)/eptsim.a | $$(VERSION:%.c=out/$(1)/%.o)
	$$(call say,LINK,$$@)
	$$(Q)$$(CC_$(1)) $$(FLAGS_$(1)) $$(LDFLAGS) -o $$@ $$^ $$| $$(CHECK) $$(LIBS)
endef
$(foreach v,$(VARIANTS),$(eval $(call variant,$(v))))

bin	= $(patsubst %.c,out/$(1)/%,$(2))

# Fuzz targets: libFuzzer programs out of clang, and the same code with a main()
# that replays the seeds, which any compiler builds and every test run does.
$(call bin,fuzz,$(FUZZ)): %: %.o out/fuzz/eptsim.a
	$(call say,LINK,$@)
	$(Q)$(CC_fuzz) $(FLAGS_fuzz) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(LIBS)

$(call bin,san,$(FUZZ)): %: %.o out/san/tests/fuzz/replay/main.o out/san/eptsim.a
	$(call say,LINK,$@)
	$(Q)$(CC_san) $(FLAGS_san) $(LDFLAGS) -o $@ $^ $(LIBS)

$(call bin,plain,$(BENCH)): %: %.o out/plain/eptsim.a
	$(call say,LINK,$@)
	$(Q)$(CC_plain) $(FLAGS_plain) $(LDFLAGS) -o $@ $^ $(LIBS)

demo: eptsim bench/demo.sh	## import the samples, compare policies, draw the plots
	$(Q)bench/demo.sh

# One "title: command" per suite; tests/all.sh adds up what they report.
SHELLENV = EPTSIM='$(CURDIR)/eptsim' TOP='$(CURDIR)'
UNIT_SUITES = 'unit tests: tests/check.sh $(call bin,plain,$(UNIT))' \
	'unit tests under ASan and UBSan: tests/check.sh $(call bin,san,$(UNIT))' \
	$(if $(THREADED),'unit tests under TSan: tests/check.sh $(call bin,tsan,$(THREADED))')
WHOLE_SUITES = \
	$(if $(FUZZ),'fuzz seeds: tests/fuzz/replay.sh $(call bin,san,$(FUZZ))') \
	$(if $(CLI),'command line: tests/cli/run.sh $(CLI)') \
	$(if $(GOLDEN),'golden runs: tests/cli/run.sh $(GOLDEN)') \
	$(if $(MUTANTS),'mutants: tests/check.sh $(call bin,plain,$(MUTANTS))') \
	$(if $(PROP),'properties: tests/check.sh $(call bin,plain,$(PROP))') \
	$(if $(MAIN),'peers: tests/peers/run.sh')
LONG_SUITES = \
	$(if $(MUTANTS),'mutants at length: tests/check.sh $(call bin,san,$(MUTANTS))') \
	$(if $(PROP),'properties at length: tests/check.sh $(call bin,san,$(PROP))') \
	$(if $(CLI)$(GOLDEN),'command line under ASan and UBSan: \
		EPTSIM=$(CURDIR)/out/san/eptsim tests/cli/run.sh $(CLI) $(GOLDEN)')

TEST_BINS = $(TESTS_plain) $(call bin,san,$(UNIT) $(FUZZ)) \
	    $(call bin,tsan,$(THREADED)) $(if $(MAIN),eptsim)

test: $(TEST_BINS)	## tidy, unit, fuzz seeds, cli, golden, mutants, properties, peers
	@CC='$(CC)' $(SHELLENV) tests/all.sh 'tidy: tests/tidy/run.sh' \
		$(UNIT_SUITES) $(WHOLE_SUITES)

TEST_BINS_LONG = $(TEST_BINS) $(TESTS_san) $(if $(MAIN),out/san/eptsim)

test-long: $(TEST_BINS_LONG)	## test, then the long runs, sanitized
	@CC='$(CC)' $(SHELLENV) EPTSIM_LONG=1 tests/all.sh \
		'tidy: tests/tidy/run.sh' \
		$(UNIT_SUITES) $(WHOLE_SUITES) $(LONG_SUITES)

tidy:	## layers, headers, kernel-doc, length, banned calls ... (part of test)
	@CC='$(CC)' tests/tidy/run.sh

golden: eptsim	## rewrite the expected output of cli and golden tests; review the diff
	@$(SHELLENV) tests/cli/run.sh -u $(CLI) $(GOLDEN)

bench: eptsim $(call bin,plain,$(BENCH)) bench/speed/run.sh	## measure eptsim, then peers
	$(Q)bench/speed/run.sh
	$(Q)CC='$(CC)' bench/peers/explorer

peers: eptsim bench/peers/explorer	## the explorer beside Spin, Rumur and a search in C
	$(Q)CC='$(CC)' bench/peers/explorer

plots: eptsim bench/plots/run.sh	## redraw the figures under out/plots
	$(Q)bench/plots/run.sh

fuzz: $(call bin,fuzz,$(FUZZ))	## fuzz every reader for FUZZ_SECONDS each (needs clang)
	$(Q)FUZZ_SECONDS='$(FUZZ_SECONDS)' tests/fuzz/run.sh $^

install: out/$(VARIANT)/eptsim	## install under PREFIX, honouring DESTDIR
	install -D -m 755 $< '$(DESTDIR)$(PREFIX)/bin/eptsim'
	@for f in $(SHARED); do install -D -m 644 $$f \
		'$(DESTDIR)$(PREFIX)'/share/eptsim/$$f || exit 1; done
	$(if $(MANPAGE),install -D -m 644 $(MANPAGE) \
		'$(DESTDIR)$(PREFIX)/share/man/man1/eptsim.1')
	$(if $(COMPLETE),install -D -m 644 $(COMPLETE) \
		'$(DESTDIR)$(PREFIX)/share/bash-completion/completions/eptsim')

deps:	## install the Debian packages that are missing
	@command -v dpkg-query >/dev/null && command -v apt-get >/dev/null || { \
		echo 'deps: no apt-get; wanted are the likes of: $(DEBS)' >&2; \
		exit 0; }; \
	missing=$$(dpkg-query -W -f='$${db:Status-Status} $${Package}\n' $(DEBS) \
		2>/dev/null | awk -v want='$(DEBS)' \
		'$$1 == "installed" { have[$$2] = 1 } \
		 END { n = split(want, w, " "); for (i = 1; i <= n; i++) \
			if (!(w[i] in have)) printf "%s ", w[i] }'); \
	[ -n "$$missing" ] || exit 0; \
	echo "deps: installing $$missing"; \
	root=; [ "$$(id -u)" = 0 ] || root=sudo; \
	$$root apt-get -q update; \
	$$root env DEBIAN_FRONTEND=noninteractive apt-get -q -y install \
		--no-install-recommends $$missing || { \
		echo "deps: could not install: $$missing" >&2; exit 1; }

help:	## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' \
		Makefile
	@sed -n '/^#   [A-Z]/s/^# /  /p' Makefile

clean:	## remove everything built
	rm -rf out eptsim

-include $(shell find out -name '*.d' 2>/dev/null)
