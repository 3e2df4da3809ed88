// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// The timeline of a page: a range of bins that is marked there goes to the flame graph as the event
// "range".  Its detail maps each edge of a stack to where it is when only the range counts.
'use strict';
(function () {
	const SVG = 'http://www.w3.org/2000/svg', svg = document.getElementById('bins');
	const chart = document.getElementById('frames'), said = document.getElementById('range');
	const [FIRST, N, BIN, COLUMN, CELL, LEFT, TOP] =
		['first', 'n', 'bin', 'column', 'cell', 'left', 'top'].map(key => +svg.getAttribute(key));
	const ROWS = 1000 / BIN, plot = svg.querySelector('g');
	const stacks = JSON.parse(document.getElementById('stacks-by-time').textContent);
	const marks = document.createElementNS(SVG, 'path');
	let anchor = null, at = 0, is_dragging = false;

	marks.setAttribute('class', 'range');
	plot.append(marks);

	// The bin below a point of the screen; outside the plot the nearest one.
	function bin_at(e) {
		const r = svg.getBoundingClientRect(), clamp = (v, most) => Math.max(0, Math.min(most, v));
		const column = clamp(Math.floor((e.clientX - r.left - LEFT) / COLUMN), N / ROWS - 1);
		const row = clamp(ROWS - 1 - Math.floor((e.clientY - r.top - TOP) / CELL), ROWS - 1);
		return column * ROWS + row;
	}

	function seconds(bin) {
		return ((FIRST + bin) * BIN / 1000).toFixed(2) + ' s';
	}

	// A rectangle for the marked part of each column.
	function outline(from, to) {
		let path = '';
		for (let c = Math.floor(from / ROWS); c * ROWS <= to; c++) {
			const low = Math.max(from - c * ROWS, 0), high = Math.min(to - c * ROWS, ROWS - 1);
			path += 'M' + c * COLUMN + ',' + (ROWS - 1 - high) * CELL + 'h' + COLUMN +
				'v' + (high - low + 1) * CELL + 'h-' + COLUMN + 'z';
		}
		return path;
	}

	// Where each edge of a stack is when only the samples of these bins count.
	function edges(from, to) {
		const map = new Map([[0, 0]]);
		let edge = 0, sum = 0;
		for (const stack of stacks) {
			edge += stack[0];
			for (let i = 1; i < stack.length; i += 2)
				if (stack[i] >= FIRST + from && stack[i] <= FIRST + to)
					sum += stack[i + 1];
			map.set(edge, sum);
		}
		return { map, total: sum };
	}

	function show_all() {
		anchor = null;
		marks.setAttribute('d', '');
		said.textContent = 'All samples';
		chart.dispatchEvent(new CustomEvent('range', { detail: null }));
	}

	function mark(from, to) {
		const range = edges(from, to);
		marks.setAttribute('d', outline(from, to));
		said.textContent = seconds(from) + ' to ' + seconds(to + 1) + ': ' +
			range.total.toLocaleString('en') + (range.total === 1 ? ' sample' : ' samples');
		chart.dispatchEvent(new CustomEvent('range', { detail: range }));
	}

	function extend(bin) {
		at = bin;
		mark(Math.min(anchor, at), Math.max(anchor, at));
	}

	const STEPS = { ArrowLeft: -ROWS, ArrowRight: ROWS, ArrowUp: 1, ArrowDown: -1 };

	function on_key(e) {
		if (e.key === 'Escape') {
			show_all();
		} else if (STEPS[e.key]) {
			const next = anchor === null ? 0 : Math.max(0, Math.min(N - 1, at + STEPS[e.key]));
			if (anchor === null || !e.shiftKey)
				anchor = next;
			extend(next);
		} else {
			return;
		}
		e.preventDefault();
	}

	svg.addEventListener('pointerdown', e => {
		if (e.button)
			return;
		is_dragging = true;
		anchor = bin_at(e);
		svg.setPointerCapture(e.pointerId);
		extend(anchor);
	});
	svg.addEventListener('pointermove', e => {
		if (is_dragging)
			extend(bin_at(e));
	});
	svg.addEventListener('pointerup', () => {
		is_dragging = false;
	});
	svg.addEventListener('keydown', on_key);
}());
