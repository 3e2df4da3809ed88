// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds the sites of all probes: first tests which methods the host supports, then plans the parts
 * of each probe. */
#include "attach/ability.h"
#include "host/kernel.h"
#include "probe/probes_int.h"

static int read_types(struct probes *p, struct err *err)
{
	const struct btf *btf = kernel_btf(p->kernel, err);

	if (!btf)
		return -err->code;
	types_add_btf(&p->types, btf);
	return 0;
}

int probes_plan(struct probes *p, struct err *err)
{
	int ret = read_types(p, err);

	if (ret)
		return ret;
	if (p->opts.is_offline)
		ability_assume(&p->can);
	else
		ability_measure(probes_kinds(p), &p->can);
	probe_for_each(probe, p) {
		if (ret)
			break;
		ret = probe->spec.span ? probes_plan_span(p, probe, err)
				       : probes_plan_plain(p, probe, err);
	}
	if (!ret) {
		probes_say_wide(p);
		kernel_forget_names(p->kernel);
	}
	return ret;
}
