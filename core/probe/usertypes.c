// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "probe/usertypes.h"

#include "probe/facts.h"

const struct btf *user_btf(struct kernel *k, const struct site_file *file, const char *symbol,
			   u32 *id)
{
	const struct user_types *old;
	struct user_types t = { .dev = file->dev, .ino = file->ino };

	*id = 0;
	vec_for_each(old, &k->user_types)
		if (old->dev == file->dev && old->ino == file->ino)
			t = *old;
	if (!t.is_known) {
		t.is_known = true;
		t.btf = btf__parse(file->open_path, NULL);
		vec_push(&k->user_types, t);
	}
	if (t.btf && symbol)
		*id = kernel_btf_find(k, t.btf, symbol, BTF_KIND_FUNC);
	return t.btf;
}
