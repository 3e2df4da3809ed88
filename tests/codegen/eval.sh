#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Random expressions have the value that the C compiler gives them where bperf computes them itself (--open,
# for records that programs have left in maps).  The slice of tests/accuracy/expr-values.sh.

# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/codegen/slice.bash
. tests/codegen/slice.bash

check 'a fixed slice of random expressions has the values of C' slice eval
