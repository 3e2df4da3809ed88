// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "unwind/upload.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/no_preempt.h"
#include "unwind/publish.h"

/* Elements of a chunk for small files: 131,072 rows, enough for libc, python3 and ten others. */
#define SMALL_ELEMENTS 16

void upload_init(struct upload *u, const struct unwind_maps *maps, u64 max_bytes)
{
	*u = (struct upload){ .maps = *maps, .max_bytes = max_bytes, .epoch = 1, .chunk_fd = -1 };
}

void upload_release(struct upload *u)
{
	close_p(&u->chunk_fd);
	free(u->rows);
	u->rows = NULL;
}

static void forget_chunk(const struct upload *u, u32 i)
{
	_cleanup_(no_preempt_end) struct no_preempt guard;

	no_preempt_begin(&guard);
	bpf_map_delete_elem(u->maps.chunks, &i);
}

void upload_reset(struct upload *u)
{
	for (u32 i = 0; i < u->n_chunks; i++)
		forget_chunk(u, i);
	close_p(&u->chunk_fd);
	u->epoch = u->epoch < UINT16_MAX ? u->epoch + 1 : 1;
	u->bytes = 0;
	u->is_full = false;
	u->n_chunks = u->n_pages = u->n_rules = u->n_elements = u->n_rows = 0;
}

/* ---- writing ---- */

int upload_write(int fd, u32 first, const void *items, u32 n, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t from = first * size, to = from + n * size;
	size_t base = from - from % page;
	char *at;

	if (!n)
		return 0;
	at = mmap(NULL, to - base, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)base);
	if (at == MAP_FAILED)
		return -errno;
	memcpy(at + (from - base), items, n * size);
	/* The items must be visible before the caller makes them known to the kernel side. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	munmap(at, to - base);
	return 0;
}

int upload_process(const struct upload *u, u32 tgid, const struct cfi_process *p)
{
	_cleanup_(no_preempt_end) struct no_preempt guard;
	struct cfi_process entry = *p;

	entry.epoch = u->epoch;
	no_preempt_begin(&guard);
	return bpf_map_update_elem(u->maps.processes, &tgid, &entry, BPF_ANY) ? -errno : 0;
}

void upload_forget_process(const struct upload *u, u32 tgid)
{
	_cleanup_(no_preempt_end) struct no_preempt guard;

	no_preempt_begin(&guard);
	bpf_map_delete_elem(u->maps.processes, &tgid);
}

/* ---- chunks ---- */

static int add_chunk(struct upload *u, u32 n_elements)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_INNER_MAP | BPF_F_MMAPABLE);
	u64 bytes = (u64)n_elements * CFI_ELEMENT_BYTES;
	int fd, ret;

	if (u->n_chunks == CFI_CHUNKS_MAX || bytes > u->max_bytes - u->bytes)
		return -ENOSPC;
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "bperf_cfi", sizeof(u32), CFI_ELEMENT_BYTES,
			    n_elements, &opts);
	if (fd < 0)
		return -errno;
	ret = publish_map(u->maps.chunks, u->n_chunks, fd);
	if (ret) {
		close_p(&fd);
		return ret;
	}
	close_p(&u->chunk_fd);
	u->chunk_fd = fd;
	u->n_chunks++;
	u->bytes += bytes;
	u->n_elements = n_elements;
	u->element = u->n_rows = 0;
	return 0;
}

static int flush(struct upload *u)
{
	return upload_write(u->chunk_fd, u->element, u->rows, 1, CFI_ELEMENT_BYTES);
}

/* The rows of a page must not continue in another element. */
static int next_element(struct upload *u)
{
	int ret = flush(u);

	u->element++;
	u->n_rows = 0;
	return ret;
}

/* The number of elements that the pages of a table occupy if they start at the beginning of one. */
static u32 elements_for(const struct unwind_table *t)
{
	u32 n = 1, used = 0;
	const struct cfi_page *p;

	vec_for_each(p, &t->pages) {
		if (used + p->n > CFI_ELEMENT_ROWS) {
			n++;
			used = 0;
		}
		used += p->n;
	}
	return n;
}

/* Make room for a table, which must lie in one chunk. */
static int make_room(struct upload *u, const struct unwind_table *t)
{
	u32 need = elements_for(t);

	if (!u->rows)
		u->rows = mem_alloc(CFI_ELEMENT_ROWS, sizeof(*u->rows));
	/* One element more than it needs, because it may begin in the middle of one. */
	if (u->chunk_fd >= 0 && u->element + need + 1 <= u->n_elements)
		return 0;
	if (u->chunk_fd >= 0 && need == 1 && u->element < u->n_elements &&
	    u->n_rows + t->rows.n <= CFI_ELEMENT_ROWS)
		return 0;
	return add_chunk(u, need + 1 > SMALL_ELEMENTS ? need + 1 : SMALL_ELEMENTS);
}

/* ---- tables ---- */

static int put_rules(struct upload *u, const struct unwind_rules *rules)
{
	u32 n = (u32)rules->list.n;
	int ret = upload_write(u->maps.rules, u->n_rules, rules->list.items + u->n_rules,
			       n - u->n_rules, sizeof(*rules->list.items));

	if (!ret)
		u->n_rules = n;
	return ret;
}

/* Returns 0 or -errno.  `page` is updated with the position of its rows. */
static int put_rows(struct upload *u, const struct unwind_table *t, struct cfi_page *page)
{
	int ret = 0;

	if (u->n_rows + page->n > CFI_ELEMENT_ROWS)
		ret = next_element(u);
	if (ret)
		return ret;
	memcpy(u->rows + u->n_rows, t->rows.items + page->first, page->n * sizeof(*u->rows));
	page->first = u->element * CFI_ELEMENT_ROWS + u->n_rows;
	page->chunk = (u16)(u->n_chunks - 1);
	u->n_rows += page->n;
	return 0;
}

int upload_table(struct upload *u, const struct unwind_table *t, const struct unwind_rules *rules,
		 u32 *first_page)
{
	_cleanup_(free_p) struct cfi_page *pages = NULL;
	u32 n = (u32)t->pages.n;
	int ret;

	ret = t->pages.n > CFI_PAGES_MAX - u->n_pages ? -ENOSPC : 0;
	ret = ret ?: put_rules(u, rules) ?: make_room(u, t);
	if (!ret)
		pages = mem_alloc(n + 1, sizeof(*pages));
	for (u32 i = 0; !ret && i < n; i++) {
		pages[i] = t->pages.items[i];
		ret = put_rows(u, t, &pages[i]);
	}
	ret = ret ?: flush(u) ?: upload_write(u->maps.pages, u->n_pages, pages, n, sizeof(*pages));
	u->is_full |= ret == -ENOSPC;
	if (ret)
		return ret;
	*first_page = u->n_pages;
	u->n_pages += n;
	return 0;
}
