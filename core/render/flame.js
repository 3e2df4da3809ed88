// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// The flame graph's interaction: zoom, search, details, turning it over; the state is kept in the
// address.  The picture is whole without it.  Boxes carry exact values (l: left edge,
// v: value); pixels are only ever made from them.
'use strict';
(function () {
	const SVG = 'http://www.w3.org/2000/svg', HTML = 'http://www.w3.org/1999/xhtml';
	const root = document.documentElement, chart = document.getElementById('frames');
	const head = document.getElementById('head'), info = document.getElementById('info');
	const total = +chart.getAttribute('total'), top = +chart.getAttribute('top');
	const PITCH = +chart.getAttribute('pitch'), MARGIN = +chart.getAttribute('margin');
	const CHAR = +chart.getAttribute('char'), TOOLS = +head.getAttribute('tools');
	const HINT = info.textContent;
	const view = { l: 0, v: total, d: 0 };
	let width = 1200, pattern = null, ignore_case = false, current = null;
	let is_icicle = chart.getAttribute('icicle') === '1';

	// ---- boxes -----------------------------------------------------------------------------

	const rows = Array.from(chart.children);
	const boxes = [];
	rows.forEach((row, d) => {
		for (const g of row.children) {
			const title = g.firstElementChild, text = title.textContent;
			const box = { g, d, l: +g.getAttribute('l'), v: +g.getAttribute('v'), text,
				rect: title.nextElementSibling, label: g.querySelector('text'),
				name: text.slice(0, text.lastIndexOf(' (')) };
			g.box = box;
			boxes.push(box);
		}
	});

	function make(kind, attributes, parent, text) {
		const e = document.createElementNS(SVG, kind);
		for (const key in attributes)
			e.setAttribute(key, attributes[key]);
		if (text !== undefined)
			e.textContent = text;
		parent.appendChild(e);
		return e;
	}

	function fitting(name, px) {
		const n = Math.floor((px - 6) / CHAR), chars = Array.from(name);
		if (chars.length <= n)
			return name;
		return n < 3 ? '' : chars.slice(0, n - 2).join('') + '..';
	}

	function set_label(box, x, w) {
		const text = w > 3 * CHAR + 6 ? fitting(box.name, w) : '';
		if (!text && !box.label)
			return;
		if (!box.label)
			box.label = make('text', { y: PITCH - 5.5 }, box.g);
		box.label.setAttribute('x', x + 4);
		box.label.textContent = text;
	}

	function is_below(box) {
		return box.d < view.d && box.l <= view.l && box.l + box.v >= view.l + view.v;
	}

	function place(box) {
		const inner = width - 2 * MARGIN, past = is_below(box);
		const x = past ? 0 : Math.max(0, (box.l - view.l) / view.v * inner);
		const end = past ? inner : Math.min(inner, (box.l + box.v - view.l) / view.v * inner);
		const is_shown = past || (box.d >= view.d && end - x > 0.05);
		box.g.style.display = is_shown ? '' : 'none';
		if (!is_shown)
			return;
		box.g.classList.toggle('past', past);
		box.rect.setAttribute('x', MARGIN + x);
		box.rect.setAttribute('width', Math.max(end - x - (end - x > 3 ? 0.8 : 0), 0.1));
		set_label(box, MARGIN + x, end - x);
	}

	function draw() {
		rows.forEach((row, d) => {
			const at = is_icicle ? d : rows.length - 1 - d;
			row.setAttribute('transform', 'translate(0,' + (top + at * PITCH) + ')');
		});
		boxes.forEach(place);
		reset.classList.toggle('off', view.v === total && view.d === 0);
	}

	// ---- zoom ------------------------------------------------------------------------------

	function zoom(box) {
		view.l = box.l;
		view.v = box.v;
		view.d = box.d;
		draw();
		remember();
	}

	function show_all() {
		zoom(boxes[0]);
	}

	// ---- details ---------------------------------------------------------------------------

	function say(box) {
		const room = Math.floor((width - 2 * MARGIN - 520) / 7);
		const tail = box ? box.text.slice(box.name.length) : '';
		let name = box ? box.name : HINT;
		if (name.length + tail.length > room && box)
			name = name.slice(0, Math.max(room - tail.length - 2, 8)) + '..';
		info.textContent = name + tail;
	}

	// The box that the keyboard is at.
	function move_to(box) {
		if (current)
			current.g.classList.remove('at');
		current = box;
		if (!box)
			return say(null);
		box.g.classList.add('at');
		say(box);
		chart.setAttribute('aria-label', box.text);
	}

	function is_visible(box) {
		return box.g.style.display !== 'none';
	}

	// Nearest visible box one level up or down, or beside, from the current one.
	function neighbour(dx, dd) {
		const c = current, level = boxes.filter(b => is_visible(b) && b.d === c.d + dd);
		if (dx)
			return level[level.indexOf(c) + dx];
		if (dd < 0)
			return level.find(b => b.l <= c.l && b.l + b.v >= c.l + c.v);
		return level.filter(b => b.l >= c.l && b.l + b.v <= c.l + c.v)
			.sort((a, b) => b.v - a.v)[0];
	}

	const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

	function on_arrow(key) {
		const [dx, dd] = ARROWS[key];
		const next = current ? neighbour(dx, is_icicle ? -dd : dd) : boxes[0];
		if (next)
			move_to(next);
	}

	// ---- search ----------------------------------------------------------------------------

	function compile(text) {
		try {
			return new RegExp(text, ignore_case ? 'i' : '');
		} catch (e) {
			return null;
		}
	}

	// Share of the total under matching boxes; one above another counts once.
	function matched() {
		let sum = 0, end = -1;
		boxes.filter(b => b.is_hit).sort((a, b) => a.l - b.l || b.v - a.v).forEach(b => {
			if (b.l < end)
				return;
			sum += b.v;
			end = b.l + b.v;
		});
		return 100 * sum / total;
	}

	function search(text) {
		pattern = text ? compile(text) : null;
		input.classList.toggle('bad', Boolean(text) && !pattern);
		boxes.forEach(b => {
			b.is_hit = Boolean(pattern) && b.d > 0 && pattern.test(b.name);
			b.g.classList.toggle('hit', b.is_hit);
		});
		const n = boxes.filter(b => b.is_hit).length;
		share.textContent = pattern ? 'Matched: ' + matched().toFixed(n ? 2 : 0) + ' %' : '';
		if (input.value !== text)
			input.value = text;
		remember();
	}

	// ---- the address -----------------------------------------------------------------------

	function remember() {
		const p = new URLSearchParams();
		if (view.d || view.v !== total) {
			p.set('x', view.l);
			p.set('y', view.d);
		}
		if (input.value)
			p.set('s', input.value);
		if (ignore_case)
			p.set('i', 1);
		if (is_icicle !== (chart.getAttribute('icicle') === '1'))
			p.set('t', 1);
		const query = p.toString();
		try {
			history.replaceState(null, '', query ? '?' + query : location.pathname);
		} catch (e) {
			// Some browsers refuse it for files: then the state lives as long as the page.
		}
	}

	function recall() {
		const p = new URLSearchParams(location.search);
		const l = p.get('x'), d = p.get('y'), s = p.get('s') || '';
		const box = l !== null && boxes.find(b => b.d === +d && b.l === +l);
		if (p.get('t'))
			is_icicle = !is_icicle;
		ignore_case = Boolean(p.get('i'));
		draw();
		if (s)
			search(s);
		if (box)
			zoom(box);
		show_case();
	}

	// ---- tools -----------------------------------------------------------------------------

	function make_button(id, text, help, fn) {
		const w = text.length * 6.6 + 18;
		const g = make('g', { id, class: 'button', role: 'button', tabindex: 0,
			'aria-label': help }, head);
		make('title', {}, g, help);
		make('rect', { width: w, height: 24, rx: 5 }, g);
		make('text', { x: w / 2, y: 16, 'text-anchor': 'middle' }, g, text);
		g.addEventListener('click', fn);
		g.addEventListener('keydown', e => {
			if (e.key === 'Enter' || e.key === ' ') {
				e.preventDefault();
				e.stopPropagation();
				fn();
			}
		});
		g.w = w;
		return g;
	}

	function make_input() {
		const box = make('foreignObject', { width: 210, height: 24 }, head);
		const e = document.createElementNS(HTML, 'input');
		e.setAttribute('id', 'search');
		e.setAttribute('type', 'text');
		e.setAttribute('placeholder', 'Search (regular expression)');
		e.setAttribute('aria-label', 'Search, regular expression');
		e.setAttribute('spellcheck', 'false');
		box.appendChild(e);
		e.addEventListener('input', () => search(e.value));
		e.addEventListener('keydown', on_input_key);
		return e;
	}

	function on_input_key(e) {
		if (e.key === 'Escape') {
			search('');
			e.target.blur();
		} else if (!(e.key === 'F3' || ((e.ctrlKey || e.metaKey) && 'fi'.includes(e.key)))) {
			e.stopPropagation();
		}
	}

	function show_case() {
		letter.lastChild.textContent = ignore_case ? 'aA' : 'Aa';
		letter.setAttribute('aria-pressed', ignore_case);
	}

	function toggle_case() {
		ignore_case = !ignore_case;
		show_case();
		search(input.value);
	}

	// Where the root is: at the bottom of a flame graph, which may be taller than the window.
	function show_root() {
		window.scrollTo(0, is_icicle ? 0 : root.getBoundingClientRect().height);
	}

	function turn() {
		is_icicle = !is_icicle;
		draw();
		show_root();
		remember();
	}

	const reset = make_button('reset', 'Reset zoom', 'Show all (Esc)', show_all);
	const flip = make_button('flip', 'Flip', 'Flame or icicle (I)', turn);
	const letter = make_button('case', 'Aa', 'Case matters or not (Ctrl-I)', toggle_case);
	const input = make_input();
	const share = make('text', { id: 'matched', 'text-anchor': 'end' }, head);

	// Tools on the right, in the order they were made, the search box last.
	function place_tools() {
		let x = width - MARGIN - 210;
		input.parentNode.setAttribute('x', x);
		input.parentNode.setAttribute('y', TOOLS);
		[letter, flip, reset].forEach(b => {
			x -= b.w + 6;
			b.setAttribute('transform', 'translate(' + x + ',' + TOOLS + ')');
		});
		share.setAttribute('x', x - 10);
		share.setAttribute('y', TOOLS + 16);
	}

	function resize() {
		const legend = document.getElementById('legend');
		width = Math.max(root.getBoundingClientRect().width, 760);
		legend.setAttribute('transform', 'translate(' + (width - MARGIN) + ',0)');
		document.querySelectorAll('.wide').forEach(e => e.setAttribute('width', width));
		document.querySelector('.line').setAttribute('x2', width);
		place_tools();
		draw();
	}

	// The head stays in sight of a tall graph.
	function on_scroll() {
		head.setAttribute('transform', 'translate(0,' + window.scrollY + ')');
	}

	function on_key(e) {
		const is_find = (e.ctrlKey || e.metaKey) && e.key === 'f';
		if (is_find || e.key === 'F3') {
			input.focus();
			input.select();
		} else if (e.ctrlKey && e.key === 'i') {
			toggle_case();
		} else if (e.ctrlKey || e.metaKey || e.altKey) {
			return;
		} else if (ARROWS[e.key]) {
			on_arrow(e.key);
		} else if (e.key === 'Enter' && current) {
			zoom(current);
		} else if (e.key === 'Escape') {
			move_to(null);
			show_all();
		} else if (e.key === 'i') {
			turn();
		} else if (e.key === '/') {
			input.focus();
		} else {
			return;
		}
		e.preventDefault();
	}

	function box_at(e) {
		const g = e.target.closest && e.target.closest('.row g');
		return g ? g.box : null;
	}

	chart.addEventListener('click', e => {
		const box = box_at(e);
		if (box)
			zoom(box);
	});
	chart.addEventListener('mouseover', e => say(box_at(e) || current));
	chart.addEventListener('mouseleave', () => say(current));
	window.addEventListener('keydown', on_key);
	window.addEventListener('scroll', on_scroll);
	window.addEventListener('resize', resize);

	root.removeAttribute('viewBox');
	root.setAttribute('width', '100%');
	recall();
	resize();
	show_root();
}());
