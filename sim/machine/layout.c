/*
 * Laying out and initialising the world.  Two blocks: the world itself, which
 * is saved and restored as a whole, and what is derived from the configuration
 * once and never changes.
 */
#include "sim/machine/layout.h"

#include <errno.h>
#include <string.h>

#include "sim/base/arena.h"
#include "sim/core/codec.h"
#include "sim/machine/ranks.h"

#define RNG_GUEST	1	/* purposes of random streams */
#define RNG_HOST	2
#define RNG_LAYOUT	3

#define VA_BASE		(1ULL << 34)	/* page number: user half, canonical */

/* Sizes that several sections share. */
struct sizes {
	u32 tasks;
	u32 actors;
	u32 words;
	u32 roots;
	u32 roles;
	u32 views;
	u64 s1_pages;
	u64 s2_pages;
	u64 access;
	u64 tlb;
};

static u32 vm_pages(const struct workload_params *w, u32 nr_vcpus)
{
	return w->shared_pages +
	       nr_vcpus * (w->working_set_pages - w->shared_pages);
}

static u32 nr_roles(const struct workload_params *w)
{
	return w->nested_per_s > 0 ? ROLES_NR : 1;
}

/*
 * Roots that can exist at once: one per role; and, where roots are invalidated
 * at all, those that are being invalidated and those that vCPUs which do not
 * run still hold on to.
 */
static u32 vm_roots(const struct workload_params *w, u32 nr_vcpus)
{
	u32 roles = nr_roles(w);

	/* Where nothing is nested only the current root is ever used. */
	u32 held = roles > 1 ? MMUS_NR * (1 + PREV_ROOTS_NR) : 1;

	return roles + (w->memslot_delete_per_s > 0 ?
			roles + nr_vcpus * held : 0);
}

static struct sizes measure(const struct machine_config *c, u32 *vcpus_of_vm)
{
	struct sizes z = {
		.tasks = c->nr_vcpus + c->nr_vms,
		.words = (c->nr_pcpus + 63) / 64,
	};
	u32 ws_max = 0;

	z.actors = z.tasks + c->nr_pcpus;
	for (u32 v = 0; v < c->nr_vcpus; v++)
		vcpus_of_vm[c->vm_of_vcpu[v]]++;
	for (u32 vm = 0; vm < c->nr_vms; vm++) {
		const struct workload_params *w = c->workload[vm];

		z.roots += vm_roots(w, vcpus_of_vm[vm]);
		z.roles = nr_roles(w) > z.roles ? nr_roles(w) : z.roles;
		z.s2_pages += vm_pages(w, vcpus_of_vm[vm]);
		z.s1_pages += (u64)vcpus_of_vm[vm] * w->working_set_pages;
		ws_max = w->working_set_pages > ws_max ? w->working_set_pages :
							 ws_max;
	}
	z.views = z.roles > 1 ? VIEW_NR : 1;
	z.s1_pages *= z.views;
	z.access = access_bytes(ws_max);
	if (c->explore)
		z.roots = c->nr_roots;
	else
		z.tlb = tlb_bytes(c->geometry, z.roots,
				  c->nr_vcpus * z.views + 1);
	return z;
}

static struct state_area extent_of(const struct machine *m,
				   const struct sizes *z, u32 row)
{
	const struct machine_config *c = m->cfg;
	const struct state_area extent[STATE_SCOPE_NR] = {
		[STATE_GLOBAL] = { 0, 1, 1 },
		[STATE_VM] = { 0, c->nr_vms, 1 },
		[STATE_ROOT] = { 0, z->roots, 1 },
		[STATE_VCPU] = { 0, c->nr_vcpus, 1 },
		[STATE_PCPU] = { 0, c->nr_pcpus, 1 },
		[STATE_PCPU_ROOT] = { 0, c->nr_pcpus, z->roots },
		[STATE_PCPU_VM] = { 0, c->nr_pcpus, c->nr_vms },
	};

	return extent[m->ops->rows[row].scope];
}

static u64 counters(const struct machine *m, const struct sizes *z)
{
	struct state_area a;
	u64 n = 0;

	for (u32 r = 0; r < POLICY_ROWS_MAX && m->ops->rows[r].name; r++) {
		a = extent_of(m, z, r);
		if (m->ops->rows[r].kind == STATE_COUNTER)
			n += (u64)a.nr_i * a.nr_j;
	}
	return n;
}

/*
 * Are counters compared only with others of the same root?  A bug that is put
 * into a policy may mix them up.
 */
static bool compares_in_roots(const struct machine *m, const struct sizes *z)
{
	if (!m->cfg->explore || m->cfg->mutation || !counters(m, z))
		return false;
	for (u32 r = 0; r < POLICY_ROWS_MAX && m->ops->rows[r].name; r++)
		if (m->ops->rows[r].kind == STATE_COUNTER &&
		    m->ops->rows[r].scope != STATE_ROOT &&
		    m->ops->rows[r].scope != STATE_PCPU_ROOT)
			return false;
	return true;
}

/* How many counters, registers of plans included, are ranked together. */
static u64 ranked(const struct machine *m, const struct sizes *z)
{
	return counters(m, z) / m->nr_ranks + 2ULL * z->tasks;
}

/*
 * One pass computes offsets, a second one turns them into pointers: the same
 * list serves both, so the two cannot disagree.
 */
static void sections(struct machine *m, const struct sizes *z,
		     struct arena_layout *l, u8 *base)
{
	const struct machine_config *c = m->cfg;
	u64 shadow_sets = c->l0->kind != L0_HYPERV ? 1 :
			  c->l0->shadow_shared ? 1 : c->nr_pcpus;

	m->nr_roots = z->roots;
	m->nr_roles = z->roles;
	m->ipi_words = z->words;
	m->tlb_stride = z->tlb;
	m->access_stride = z->access;
	m->nr_shadow_sets = (u32)shadow_sets;
	m->shadow_stride = z->s2_pages * z->roles;
#define SECTION(ptr, nr)						\
	((ptr) = (void *)((uintptr_t)base +				\
			  arena_reserve(l, (nr), sizeof(*(ptr)))))
	SECTION(m->w, 1);
	SECTION(m->pcpu, c->nr_pcpus);
	SECTION(m->vcpu, c->nr_vcpus);
	SECTION(m->vm, c->nr_vms);
	SECTION(m->task, z->tasks);
	SECTION(m->root, z->roots);
	SECTION(m->s2_version, z->s2_pages);
	SECTION(m->s2_present, z->s2_pages);
	SECTION(m->s2_condemned, z->s2_pages);
	SECTION(m->s1_version, z->s1_pages);
	SECTION(m->ipi_pending, (u64)c->nr_pcpus * z->words);
	SECTION(m->ipi_mask, (u64)c->nr_pcpus * z->words);
	SECTION(m->pcpu_time, c->nr_pcpus);
	SECTION(m->ipi_next, c->nr_pcpus);
	SECTION(m->vcpu_time, c->nr_vcpus);
	SECTION(m->vm_time, c->nr_vms);
	SECTION(m->task_time, z->tasks);
	SECTION(m->shadow, c->l0->kind == L0_HYPERV ?
			   shadow_sets * m->shadow_stride : 0);
	SECTION(m->shadow_epoch, shadow_sets * z->roots);
	SECTION(m->shadow_live, shadow_sets * z->roots);
	SECTION(m->tlb, c->nr_pcpus * z->tlb);
	SECTION(m->access, c->nr_vcpus * z->access);
	for (u32 r = 0; r < POLICY_ROWS_MAX && m->ops->rows[r].name; r++) {
		struct state_area *a = &m->state[r];

		*a = extent_of(m, z, r);
		a->offset = arena_reserve(l, (u64)a->nr_i * a->nr_j, sizeof(u64));
	}
	for (u32 i = 0; i < c->nr_observers; i++)
		SECTION(m->observer[i], c->observers[i]->state_bytes(&m->shape));
}

static void constants(struct machine *m, const struct sizes *z,
		      struct arena_layout *l, u8 *base)
{
	const struct machine_config *c = m->cfg;

	SECTION(m->vpids, (u64)c->nr_vcpus * z->views);
	SECTION(m->vcpu_layout, c->nr_vcpus);
	SECTION(m->shape_of_vm, c->nr_vms);
	SECTION(m->capacity_of_vm, c->nr_vms);
	SECTION(m->cycles_per_access, c->nr_vms);
	SECTION(m->per_cycle, c->nr_vms);
	SECTION(m->env_mean, c->nr_vms);
	SECTION(m->changed, z->actors);
	SECTION(m->is_changed, z->actors);
	m->nr_ranks = compares_in_roots(m, z) ? z->roots : 1;
	SECTION(m->ranks, m->nr_ranks);
	SECTION(m->scratch, m->nr_ranks * ranked(m, z));
#undef SECTION
}

/* Mean time between events of a total rate, in cycles; 0 for "never". */
static u64 mean_of(double per_s, u64 clock_khz)
{
	double cycles = per_s > 0 ? (double)clock_khz * 1000 / per_s : 0;

	return cycles <= 0 ? 0 : cycles < 1 ? 1 : (u64)cycles;
}

/* The fit takes a while; VMs of one kind share it. */
static int fit_capacity(struct machine *m, u32 vm, struct err *err)
{
	const struct machine_config *c = m->cfg;
	const struct workload_params *w = c->workload[vm];
	const struct access_layout l = {
		.va_base = VA_BASE,
		.shift = w->guest_page_size == PAGE_SIZE_2M &&
			 w->ept_page_size == PAGE_SIZE_2M ? 21 : 12,
		.code_pages = w->code_permille * w->working_set_pages / 1000,
	};

	for (u32 i = 0; i < vm; i++) {
		if (c->workload[i] != w)
			continue;
		m->capacity_of_vm[vm] = m->capacity_of_vm[i];
		return 0;
	}
	if (c->explore || c->access_model != ACCESS_TOUCH)
		return 0;
	return access_capacity_fit(&m->capacity_of_vm[vm], &m->shape_of_vm[vm],
				   c->geometry, &l, err);
}

static int init_vm_constants(struct machine *m, u32 vm, struct err *err)
{
	const struct machine_config *c = m->cfg;
	const struct workload_params *w = c->workload[vm];

	access_shape_init(&m->shape_of_vm[vm], w->locality, w->working_set_pages,
			  w->hot_pages, w->hot_permille);
	m->cycles_per_access[vm] = max_u64(1, c->costs->clock_khz / 1000 /
					      w->accesses_per_us);
	m->per_cycle[vm] = UINT64_MAX / m->cycles_per_access[vm];
	m->env_mean[vm] = mean_of(w->guest_flush_per_s + w->root_reload_per_s +
				  w->nested_per_s + w->exit_per_s,
				  c->costs->clock_khz);
	return fit_capacity(m, vm, err);
}

static void init_vms(struct machine *m, const u32 *vcpus_of_vm)
{
	const struct machine_config *c = m->cfg;
	u32 vcpu = 0, page = 0;

	for (u32 i = 0; i < c->nr_vms; i++) {
		const struct workload_params *w = c->workload[i];
		struct vm *vm = &m->vm[i];
		struct vm_time *vt = &m->vm_time[i];

		vm->first_vcpu = vcpu;
		vm->nr_vcpus = vcpus_of_vm[i];
		vm->first_page = page;
		vm->nr_pages = vm_pages(w, vm->nr_vcpus);
		vm->change_owner = IDX_NONE;
		for (u32 r = 0; r < ROLES_NR; r++)
			vm->root[r] = IDX_NONE;
		memset(&m->s2_present[page], w->prefault, vm->nr_pages);
		vcpu += vm->nr_vcpus;
		page += vm->nr_pages;

		rng_init(&vt->host, c->seed, RNG_HOST, i);
		vt->change_mean = mean_of(w->strict_per_s + w->upgrade_per_s +
					  w->accessed_clear_per_s +
					  w->memslot_delete_per_s,
					  c->costs->clock_khz);
		vt->change_at = vt->change_mean ?
				rng_exp(&vt->host, vt->change_mean) : TIME_NEVER;
		m->task_time[task_of_host(m, i)].next = vt->change_at;
	}
}

static u8 shift_of(u32 page_size)
{
	return page_size == PAGE_SIZE_2M ? 21 : 12;
}

static void init_vcpu_layout(struct machine *m, u32 i, u32 s1_page)
{
	const struct vm *vm = &m->vm[m->cfg->vm_of_vcpu[i]];
	const struct workload_params *w = m->cfg->workload[m->cfg->vm_of_vcpu[i]];
	struct vcpu_layout *l = &m->vcpu_layout[i];
	struct rng where;

	/* Working sets of different vCPUs do not all start in TLB set 0. */
	rng_init(&where, m->cfg->seed, RNG_LAYOUT, i);
	l->va_base = VA_BASE + (rng_below(&where, 1u << 20) << 9);
	l->va_base += rng_below(&where, 512);
	l->s1_page0 = s1_page;
	l->s2_page0 = vm->first_page;
	l->shared = w->shared_pages;
	l->private_page0 = w->shared_pages + (i - vm->first_vcpu) *
			   (w->working_set_pages - w->shared_pages);
	l->code = w->code_permille * w->working_set_pages / 1000;
	l->s1_shift = shift_of(w->guest_page_size);
	l->s2_shift = shift_of(w->ept_page_size);
	l->unit = (l->s1_shift < l->s2_shift ? l->s1_shift : l->s2_shift) - 12;
}

static void init_vcpu(struct machine *m, u32 i)
{
	const struct machine_config *c = m->cfg;
	u32 vm = c->vm_of_vcpu[i];
	struct vcpu *v = &m->vcpu[i];
	struct vcpu_time *vt = &m->vcpu_time[i];

	v->vm = vm;
	v->vmcs_cpu[VMCS01] = v->vmcs_cpu[VMCS02] = v->cpu = IDX_NONE;
	v->in_run = true;
	v->touch_next = v->fault_page = v->swap_held = IDX_NONE;
	for (u32 k = 0; k < MMUS_NR; k++) {
		v->mmu[k].root = IDX_NONE;
		for (u32 r = 0; r < PREV_ROOTS_NR; r++)
			v->mmu[k].prev[r] = IDX_NONE;
	}
	access_init(access_of(m, i), &m->shape_of_vm[vm], c->seed, i);
	rng_init(&vt->env, c->seed, RNG_GUEST, i);
	vt->wanted_at = TIME_NEVER;
	vt->env_left = m->env_mean[vm] ? rng_exp(&vt->env, m->env_mean[vm]) :
					 TIME_NEVER;
	vt->env_at = TIME_NEVER;
}

static void init_world(struct machine *m, const u32 *vcpus_of_vm)
{
	const struct machine_config *c = m->cfg;
	u32 s1_page = 0;

	init_vms(m, vcpus_of_vm);
	for (u32 i = 0; i < c->nr_vcpus; i++) {
		init_vcpu_layout(m, i, s1_page);
		init_vcpu(m, i);
		s1_page += c->workload[c->vm_of_vcpu[i]]->working_set_pages *
			   m->shape.nr_views;
	}
	for (u32 t = 0; t < c->nr_vcpus + c->nr_vms; t++) {
		m->task[t].pcpu = IDX_NONE;
		m->task[t].step = task_is_vcpu(m, t) ? STEP_RUN : STEP_NONE;
		if (task_is_vcpu(m, t))
			m->task_time[t].next = TIME_NEVER;
	}
	for (u32 p = 0; p < c->nr_pcpus; p++) {
		m->pcpu[p].occupant = OCCUPANT_UNKNOWN;
		m->pcpu[p].context = m->pcpu[p].host_task = IDX_NONE;
		m->pcpu[p].call_flush = PLAN_FLUSH_NR;
		m->pcpu[p].online = true;
		m->pcpu_time[p].limit = TIME_NEVER;
		m->pcpu_time[p].last_guest = IDX_NONE;
		m->pcpu_time[p].base = CYC_UNKNOWN;
		m->ipi_next[p] = TIME_NEVER;
		if (!c->explore)
			tlb_init(tlb_of(m, p), c->geometry, m->nr_roots,
				 shape_vtlbs(&m->shape) + 1);
	}
	m->w->free_frame = IDX_NONE;
	for (u32 r = m->nr_roots; r--;) {
		m->root[r].next_free = m->w->free_frame;
		m->w->free_frame = r;
	}
	for (u32 k = 0; k < COST_NR; k++) {
		m->cost[k] = c->explore ? 0 : c->costs->row[k].applies ?
			     c->costs->row[k].cycles : COST_ABSENT;
		m->category[k] = (u8)cost_category(k);
	}
	m->rate_width = max_u64(1, c->duration / RATE_BUCKETS);
}

static void make_shape(struct machine *m, const struct sizes *z,
		       const u32 *vcpus_of_vm)
{
	const struct machine_config *c = m->cfg;

	m->shape = (struct run_shape){
		.nr_pcpus = c->nr_pcpus, .nr_vms = c->nr_vms,
		.nr_vcpus = c->nr_vcpus, .nr_frames = z->roots,
		.nr_views = z->views, .nr_pcids = c->nr_pcids,
		.vm_of_vcpu = c->vm_of_vcpu, .clock_khz = c->costs->clock_khz,
	};
	for (u32 i = 0; i < c->nr_vms; i++) {
		u32 n = vm_pages(c->workload[i], vcpus_of_vm[i]);

		m->shape.nr_pages_max = n > m->shape.nr_pages_max ? n :
					m->shape.nr_pages_max;
	}
}

int layout_create(const struct machine_config *c, struct machine **out,
		  struct err *err)
{
	struct arena_layout handle = { 0 }, temp = { 0 };
	struct arena_layout world = { 0 }, fixed = { 0 };
	struct machine *m;
	u32 *vcpus_of_vm;
	struct sizes z;

	arena_reserve(&handle, 1, sizeof(*m));
	m = arena_create(&handle, "machine", err);
	arena_reserve(&temp, c->nr_vms, sizeof(u32));
	vcpus_of_vm = arena_create(&temp, "machine", err);
	if (!m || !vcpus_of_vm)
		goto fail;
	BUG_ON(c->nr_observers > OBSERVERS_MAX);
	m->cfg = c;
	m->ops = c->policy->ops;
	z = measure(c, vcpus_of_vm);
	make_shape(m, &z, vcpus_of_vm);

	constants(m, &z, &fixed, NULL);
	m->constants = arena_create(&fixed, "tables of the machine", err);
	if (!m->constants)
		goto fail;
	fixed.size = 0;
	constants(m, &z, &fixed, m->constants);
	m->rank_bits = codec_bits_for(ranked(m, &z));
	for (u32 i = 0; i < m->nr_ranks; i++)
		m->ranks[i].large = m->scratch + i * ranked(m, &z);
	/* Observers size their state by the shape, VPIDs included. */
	for (u32 i = 0; i < shape_vtlbs(&m->shape); i++)
		m->vpids[i] = (u16)(i + 1);
	m->shape.vpids = m->vpids;

	for (u32 i = 0; i < c->nr_vms; i++)
		if (init_vm_constants(m, i, err))
			goto fail;
	sections(m, &z, &world, NULL);
	m->block = arena_create(&world, "world", err);
	if (!m->block)
		goto fail;
	m->bytes = world.size;
	world.size = 0;
	sections(m, &z, &world, m->block);
	init_world(m, vcpus_of_vm);
	arena_destroy(vcpus_of_vm);
	*out = m;
	return 0;
fail:
	arena_destroy(vcpus_of_vm);
	layout_destroy(m);
	return -ENOMEM;
}

void layout_destroy(struct machine *m)
{
	if (!m)
		return;
	arena_destroy(m->block);
	arena_destroy(m->constants);
	arena_destroy(m);
}
