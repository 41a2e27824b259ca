/*
 * vcpus - something to record: small VMs that work in bursts and sleep
 *
 * Each VM is a process with one thread per vCPU, named "CPU n/KVM".  The guest
 * is a few bytes of 16-bit code: it spins, asks by port I/O whether to go on,
 * and halts when told to; then the thread sleeps.  Bursts (CPU time) and sleeps
 * are exponential, seeded, so the demand is the same in every run; where the
 * threads are placed is the scheduler's affair, or that of a churn thread per
 * VM which moves their affinities.  Without KVM, plain threads do the same.
 */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/base/rng.h"
#include "sim/base/types.h"

#define VMS_MAX		64u
#define VCPUS_MAX	16u
#define GUEST_BYTES	0x10000u
#define GUEST_START	0x1000u
#define PORT_GO_ON	0x10
#define NS_PER_US	1000u
#define NS_PER_MS	1000000u
#define NS_PER_S	1000000000ull
#define FREE_ONE_IN	4	/* moves that give a vCPU every CPU again */

enum purpose { PURPOSE_BUSY = 1, PURPOSE_IDLE, PURPOSE_CHURN };

struct opts {
	u64 vms;
	u64 vcpus;
	u64 seconds;
	u64 busy_us;
	u64 idle_us;
	u64 churn_ms;
	u64 spin;
	u64 seed;
	bool plain;
};

struct vcpu {
	struct vm *vm;
	u32 index;
	pid_t tid;
	pthread_t thread;
	int fd;			/* -1: a plain thread */
	struct kvm_run *run;
	struct rng busy;
	struct rng idle;
	u64 burst_end_ns;	/* on the thread's own CPU clock */
};

struct vm {
	const struct opts *opts;
	u32 index;
	pthread_t churn;
	pthread_barrier_t started;
	cpu_set_t cpus;		/* those the whole program may use */
	atomic_bool stop;
	atomic_bool churn_stop;
	atomic_bool failed;
	struct vcpu vcpu[VCPUS_MAX];
};

static u64 thread_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (u64)t.tv_sec * NS_PER_S + (u64)t.tv_nsec;
}

/* Ends early when the VM stops: stop_vm() sends a signal to every thread. */
static void sleep_ns(u64 ns)
{
	struct timespec t = {
		.tv_sec = (time_t)(ns / NS_PER_S),
		.tv_nsec = (long)(ns % NS_PER_S),
	};

	nanosleep(&t, NULL);
}

static int complain(const char *what)
{
	fprintf(stderr, "vcpus: %s: %s\n", what, strerror(errno));
	return -1;
}

static bool burst_goes_on(const struct vcpu *v)
{
	return !atomic_load(&v->vm->stop) && thread_cpu_ns() < v->burst_end_ns;
}

static int run_plain_burst(struct vcpu *v)
{
	while (burst_goes_on(v))
		for (u64 i = 0; i < v->vm->opts->spin; i++)
			__asm__ volatile("" : : : "memory");
	return 0;
}

/* The guest runs until it halts, asking after every round of its loop. */
static int run_guest_burst(struct vcpu *v)
{
	struct kvm_run *run = v->run;

	while (!atomic_load(&v->vm->stop)) {
		if (ioctl(v->fd, KVM_RUN, 0) < 0) {
			if (errno == EINTR)
				continue;
			return complain("KVM_RUN");
		}
		if (run->exit_reason == KVM_EXIT_HLT)
			return 0;
		if (run->exit_reason != KVM_EXIT_IO ||
		    run->io.port != PORT_GO_ON ||
		    run->io.direction != KVM_EXIT_IO_IN) {
			fprintf(stderr, "vcpus: unexpected KVM exit %u\n",
				run->exit_reason);
			return -1;
		}
		*((u8 *)run + run->io.data_offset) = burst_goes_on(v);
	}
	return 0;
}

static void *vcpu_thread(void *arg)
{
	struct vcpu *v = arg;
	const struct opts *o = v->vm->opts;
	char name[16];

	snprintf(name, sizeof(name), "CPU %u/KVM", v->index);
	prctl(PR_SET_NAME, name);
	v->tid = gettid();
	pthread_barrier_wait(&v->vm->started);

	while (!atomic_load(&v->vm->stop)) {
		sleep_ns(rng_exp(&v->idle, o->idle_us * NS_PER_US));
		v->burst_end_ns = thread_cpu_ns() +
				  rng_exp(&v->busy, o->busy_us * NS_PER_US);
		if (v->fd < 0 ? run_plain_burst(v) : run_guest_burst(v)) {
			atomic_store(&v->vm->failed, true);
			break;
		}
	}
	return NULL;
}

/* One CPU out of @from, at random, but not @but unless there is no other. */
static u32 pick_cpu(struct rng *r, const cpu_set_t *from, u32 but)
{
	u32 cpu[CPU_SETSIZE];
	u32 nr = 0;

	for (u32 i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, from) && i != but)
			cpu[nr++] = i;
	return nr ? cpu[rng_below(r, nr)] : but;
}

/* What a cpuset controller or a pinning daemon does to vCPUs, but faster. */
static void *churn_thread(void *arg)
{
	struct vm *vm = arg;
	u64 mean_ns = vm->opts->churn_ms * NS_PER_MS / vm->opts->vcpus;
	u32 pinned[VCPUS_MAX];
	struct rng r;

	prctl(PR_SET_NAME, "churn");
	rng_init(&r, vm->opts->seed, PURPOSE_CHURN, vm->index);
	memset(pinned, 0xff, sizeof(pinned));

	while (!atomic_load(&vm->churn_stop)) {
		u32 i = (u32)rng_below(&r, vm->opts->vcpus);
		cpu_set_t set = vm->cpus;

		sleep_ns(rng_exp(&r, mean_ns));
		if (rng_below(&r, FREE_ONE_IN)) {
			pinned[i] = pick_cpu(&r, &vm->cpus, pinned[i]);
			CPU_ZERO(&set);
			CPU_SET(pinned[i], &set);
		}
		if (sched_setaffinity(vm->vcpu[i].tid, sizeof(set), &set)) {
			complain("sched_setaffinity");
			atomic_store(&vm->failed, true);
			break;
		}
	}
	return NULL;
}

static void write_guest(u8 *mem, u64 spin)
{
	const u8 code[] = {
		0xb9, (u8)spin, (u8)(spin >> 8),	/* 1: mov cx, spin */
		0x49,					/* 2: dec cx */
		0x75, 0xfd,				/*    jnz 2b */
		0xe4, PORT_GO_ON,			/*    in al, port */
		0x84, 0xc0,				/*    test al, al */
		0x75, 0xf4,				/*    jnz 1b */
		0xf4,					/*    hlt */
		0xeb, 0xf1,				/*    jmp 1b */
	};

	memcpy(mem + GUEST_START, code, sizeof(code));
}

static int create_guest_vcpu(struct vcpu *v, int vm_fd, int run_bytes)
{
	struct kvm_regs regs = { .rip = GUEST_START, .rflags = 2 };
	struct kvm_sregs sregs;

	v->fd = ioctl(vm_fd, KVM_CREATE_VCPU, v->index);
	if (v->fd < 0)
		return complain("KVM_CREATE_VCPU");
	v->run = mmap(NULL, (size_t)run_bytes, PROT_READ | PROT_WRITE,
		      MAP_SHARED, v->fd, 0);
	if (v->run == MAP_FAILED)
		return complain("mmap of struct kvm_run");
	if (ioctl(v->fd, KVM_GET_SREGS, &sregs))
		return complain("KVM_GET_SREGS");
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	if (ioctl(v->fd, KVM_SET_SREGS, &sregs))
		return complain("KVM_SET_SREGS");
	if (ioctl(v->fd, KVM_SET_REGS, &regs))
		return complain("KVM_SET_REGS");
	return 0;
}

static int create_guest(struct vm *vm)
{
	struct kvm_userspace_memory_region region = { .memory_size = GUEST_BYTES };
	int kvm_fd = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int vm_fd, run_bytes;
	void *mem;

	if (kvm_fd < 0)
		return complain("/dev/kvm");
	vm_fd = ioctl(kvm_fd, KVM_CREATE_VM, 0);
	if (vm_fd < 0)
		return complain("KVM_CREATE_VM");
	run_bytes = ioctl(kvm_fd, KVM_GET_VCPU_MMAP_SIZE, 0);
	if (run_bytes < 0)
		return complain("KVM_GET_VCPU_MMAP_SIZE");
	mem = mmap(NULL, GUEST_BYTES, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (mem == MAP_FAILED)
		return complain("mmap of guest memory");
	region.userspace_addr = (u64)(uintptr_t)mem;
	if (ioctl(vm_fd, KVM_SET_USER_MEMORY_REGION, &region))
		return complain("KVM_SET_USER_MEMORY_REGION");
	write_guest(mem, vm->opts->spin);

	for (u32 i = 0; i < vm->opts->vcpus; i++)
		if (create_guest_vcpu(&vm->vcpu[i], vm_fd, run_bytes))
			return -1;
	return 0;
}

static int start_threads(struct vm *vm)
{
	u32 nr = (u32)vm->opts->vcpus;

	pthread_barrier_init(&vm->started, NULL, nr + 1);
	for (u32 i = 0; i < nr; i++) {
		errno = pthread_create(&vm->vcpu[i].thread, NULL, vcpu_thread,
				       &vm->vcpu[i]);
		if (errno)
			return complain("pthread_create");
	}
	pthread_barrier_wait(&vm->started);
	if (!vm->opts->churn_ms)
		return 0;
	errno = pthread_create(&vm->churn, NULL, churn_thread, vm);
	return errno ? complain("pthread_create") : 0;
}

static void stop_vm(struct vm *vm)
{
	if (vm->opts->churn_ms) {	/* first: it names the others by tid */
		atomic_store(&vm->churn_stop, true);
		pthread_kill(vm->churn, SIGUSR1);
		pthread_join(vm->churn, NULL);
	}
	atomic_store(&vm->stop, true);
	for (u32 i = 0; i < vm->opts->vcpus; i++) {
		pthread_kill(vm->vcpu[i].thread, SIGUSR1);
		pthread_join(vm->vcpu[i].thread, NULL);
	}
}

static void interrupt(int sig)
{
	(void)sig;
}

static void wait_for_end(const struct opts *o)
{
	struct timespec limit = { .tv_sec = (time_t)o->seconds };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	while (sigtimedwait(&set, NULL, o->seconds ? &limit : NULL) < 0 &&
	       errno == EINTR)
		;
}

static void print_threads(const struct vm *vm)
{
	for (u32 i = 0; i < vm->opts->vcpus; i++)
		printf("tgid %d tid %d comm CPU %u/KVM\n", getpid(),
		       vm->vcpu[i].tid, i);
	fflush(stdout);
}

/* The life of one VM process; returns its exit status. */
static int vm_main(const struct opts *o, u32 index, int ready_fd)
{
	static struct vm vm;
	struct sigaction act = { .sa_handler = interrupt };
	char name[16];

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	snprintf(name, sizeof(name), "vm %u", index);
	prctl(PR_SET_NAME, name);
	sigaction(SIGUSR1, &act, NULL);

	vm.opts = o;
	vm.index = index;
	if (sched_getaffinity(0, sizeof(vm.cpus), &vm.cpus)) {
		complain("sched_getaffinity");
		return 1;
	}
	for (u32 i = 0; i < o->vcpus; i++) {
		struct vcpu *v = &vm.vcpu[i];

		v->vm = &vm;
		v->index = i;
		v->fd = -1;
		rng_init(&v->busy, o->seed, PURPOSE_BUSY, index * VCPUS_MAX + i);
		rng_init(&v->idle, o->seed, PURPOSE_IDLE, index * VCPUS_MAX + i);
	}
	if ((!o->plain && create_guest(&vm)) || start_threads(&vm))
		return 1;

	print_threads(&vm);
	if (write(ready_fd, "", 1) != 1)
		return 1;
	wait_for_end(o);
	stop_vm(&vm);
	return atomic_load(&vm.failed);
}

static void kill_all(const pid_t *pid, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		if (pid[i] > 0)
			kill(pid[i], SIGTERM);
}

/* Wait for every process; a signal, or one that fails, ends the others. */
static int wait_for_all(pid_t *pid, u32 nr, const sigset_t *signals)
{
	u32 left = nr;
	int status, sig, failed = 0;

	while (left) {
		pid_t gone = waitpid(-1, &status, WNOHANG);

		if (!gone) {
			sigwait(signals, &sig);
			if (sig != SIGCHLD)
				kill_all(pid, nr);
			continue;
		}
		for (u32 i = 0; i < nr; i++)
			if (pid[i] == gone)
				pid[i] = 0;
		left--;
		if (!WIFEXITED(status) || WEXITSTATUS(status)) {
			failed = 1;
			kill_all(pid, nr);
		}
	}
	return failed;
}

static bool all_ready(int fd, u32 nr)
{
	char byte;

	while (nr && read(fd, &byte, 1) == 1)
		nr--;
	return !nr;
}

static int start_all(const struct opts *o)
{
	pid_t pid[VMS_MAX] = { 0 };
	sigset_t signals;
	int ready[2];
	u32 nr;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	if (pipe(ready)) {
		complain("pipe");
		return 1;
	}

	for (nr = 0; nr < o->vms; nr++) {
		pid[nr] = fork();
		if (!pid[nr])
			return vm_main(o, nr, ready[1]);
		if (pid[nr] < 0) {
			complain("fork");
			kill_all(pid, nr);
			break;
		}
	}
	close(ready[1]);
	if (all_ready(ready[0], nr)) {
		puts("ready");
		fflush(stdout);
	}
	return wait_for_all(pid, nr, &signals) || nr < o->vms;
}

enum key {
	KEY_VMS = 256, KEY_VCPUS, KEY_SECONDS, KEY_BUSY, KEY_IDLE, KEY_CHURN,
	KEY_SPIN, KEY_SEED, KEY_PLAIN,
};

static const struct argp_option option_rows[] = {
	{ "vms", KEY_VMS, "N", 0, "VMs, one process each (6)", 0 },
	{ "vcpus", KEY_VCPUS, "N", 0, "vCPUs of each VM (2)", 0 },
	{ "seconds", KEY_SECONDS, "N", 0, "how long; 0: until a signal (10)", 0 },
	{ "busy-us", KEY_BUSY, "N", 0, "mean burst, CPU time in us (300)", 0 },
	{ "idle-us", KEY_IDLE, "N", 0, "mean sleep in us (20000)", 0 },
	{ "churn", KEY_CHURN, "MS", 0,
	  "move the affinity of each vCPU every MS ms on average; 0: never (0)", 0 },
	{ "spin", KEY_SPIN, "N", 0, "rounds between two port reads (2000)", 0 },
	{ "seed", KEY_SEED, "N", 0, "seed of bursts, sleeps and moves (1)", 0 },
	{ "plain", KEY_PLAIN, NULL, 0, "threads without KVM", 0 },
	{ 0 },
};

static u64 number(const struct argp_state *state, const char *text, u64 min,
		  u64 max)
{
	char *end;
	unsigned long long n;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || n < min || n > max)
		argp_error(state, "\"%s\": expected a number from %llu to %llu",
			   text, (unsigned long long)min, (unsigned long long)max);
	return n;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct opts *o = state->input;

	switch (key) {
	case KEY_VMS:
		o->vms = number(state, arg, 1, VMS_MAX);
		return 0;
	case KEY_VCPUS:
		o->vcpus = number(state, arg, 1, VCPUS_MAX);
		return 0;
	case KEY_SECONDS:
		o->seconds = number(state, arg, 0, 86400);
		return 0;
	case KEY_BUSY:
		o->busy_us = number(state, arg, 1, 10000000);
		return 0;
	case KEY_IDLE:
		o->idle_us = number(state, arg, 1, 10000000);
		return 0;
	case KEY_CHURN:
		o->churn_ms = number(state, arg, 0, 10000);
		return 0;
	case KEY_SPIN:
		o->spin = number(state, arg, 1, UINT16_MAX);
		return 0;
	case KEY_SEED:
		o->seed = number(state, arg, 0, UINT64_MAX);
		return 0;
	case KEY_PLAIN:
		o->plain = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		option_rows, parse, NULL,
		"Run small VMs that work in bursts, for a scheduling trace.\v"
		"Prints one \"tgid N tid N comm NAME\" line per thread, "
		"then \"ready\".", NULL, NULL, NULL
	};
	struct opts o = {
		.vms = 6, .vcpus = 2, .seconds = 10, .busy_us = 300,
		.idle_us = 20000, .spin = 2000, .seed = 1,
	};

	argp_err_exit_status = 2;
	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (!o.plain && access("/dev/kvm", R_OK | W_OK)) {
		complain("/dev/kvm: plain threads instead");
		o.plain = true;
	}
	printf("mode %s\n", o.plain ? "plain" : "kvm");
	fflush(stdout);
	return start_all(&o);
}
