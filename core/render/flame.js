// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// The flame graph's interaction: zoom, search, details, turning it over; the state is kept in the
// address.  The picture is whole without it.  Boxes carry exact values (l: left edge,
// v: value); pixels are only ever made from them.  The picture is the document, or inline in a page,
// where it scrolls in its parent, has only keys that are pressed in it, and searches what the event
// "find" names.
'use strict';
(function () {
	const SVG = 'http://www.w3.org/2000/svg', HTML = 'http://www.w3.org/1999/xhtml';
	const chart = document.getElementById('frames'), root = chart.ownerSVGElement;
	const is_inline = root !== document.documentElement, frame = is_inline ? root.parentNode : window;
	const head = document.getElementById('head'), info = document.getElementById('info');
	const whole = +chart.getAttribute('whole');
	const TOP = +chart.getAttribute('top'), HEIGHT = +root.getAttribute('height');
	const PITCH = +chart.getAttribute('pitch'), MARGIN = +chart.getAttribute('margin');
	const CHAR = +chart.getAttribute('char'), TOOLS = +head.getAttribute('tools');
	const HINT = info.textContent, legend = document.getElementById('legend');
	// Waits that lasted through the whole window are a branch at the left edge, out of sight at first.
	let total = +chart.getAttribute('total');
	let home = whole < total ? { l: whole, v: total - whole } : { l: 0, v: total };
	const view = { l: home.l, v: home.v, d: 0 };
	let width = 1200, top = TOP, pattern = null, ignore_case = true, current = null;
	let is_icicle = chart.getAttribute('icicle') === '1';

	// ---- boxes -----------------------------------------------------------------------------

	const rows = Array.from(chart.children);
	const boxes = [];
	rows.forEach((row, d) => {
		for (const g of row.children) {
			const title = g.firstElementChild, text = title.textContent;
			const box = { g, d, l: +g.getAttribute('l'), v: +g.getAttribute('v'), text,
				rect: title.nextElementSibling, label: g.querySelector('text'),
				name: text.slice(0, text.lastIndexOf(' (')),
				mark: g.getAttribute('m') || '' };
			box.all = { l: box.l, v: box.v, text };
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

	// Where scopes of a name begin: each "::" that is not within <>, () or [].
	function scopes(name) {
		const at = [];
		let depth = 0;
		for (let i = 0; i + 2 < name.length; i++) {
			if ('<([{'.includes(name[i]))
				depth++;
			else if ('>)]}'.includes(name[i]))
				depth = Math.max(0, depth - 1);
			else if (!depth && name.startsWith('::', i))
				at.push(i++);
		}
		return at;
	}

	// As label_add_fitting() does it.
	function fitting(name, columns) {
		const size = text => Array.from(text).length, at = size(name) > columns ? scopes(name) : [];
		for (const i of at)
			if (size(name.slice(i)) < columns)
				return '\u2026' + name.slice(i);
		const last = Array.from(at.length ? name.slice(at[at.length - 1] + 2) : name);
		return last.length <= columns ? last.join('') : last.slice(0, columns - 2).join('') + '..';
	}

	function set_label(box, x, w) {
		const columns = Math.floor((w - 6) / CHAR);
		const mark = box.mark && columns > box.mark.length + 3 ? ' ' + box.mark : '';
		const text = columns < 3 ? '' : fitting(box.name, columns - mark.length) + mark;
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
		const is_shown = box.v > 0 && (past || (box.d >= view.d && end - x > 0.05));
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
		reset.classList.toggle('off', is_home());
		if (whole)
			set_text(idle, view.l < whole ? 'Hide idle' : 'Show idle');
	}

	function is_home() {
		return view.l === home.l && view.v === home.v && view.d === 0;
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
		zoom({ l: home.l, v: home.v, d: 0 });
	}

	function show_idle() {
		zoom(view.l < whole ? { l: home.l, v: home.v, d: 0 } : boxes[0]);
	}

	// ---- a range of time -------------------------------------------------------------------

	// "main (1,234 samples, 12.34 %)" for the range.
	function text_of(box) {
		return box.all.text.slice(0, box.name.length) + ' (' + box.v.toLocaleString('en') +
			(box.v === 1 ? ' sample, ' : ' samples, ') +
			(total ? 100 * box.v / total : 0).toFixed(2) + ' %)';
	}

	// Only the samples of a range count: `range.map` has the new place of each edge.  null: all count.
	function show_range(range) {
		total = range ? range.total : +chart.getAttribute('total');
		home = { l: 0, v: total || 1 };
		for (const box of boxes) {
			const { l, v } = box.all;
			box.l = range ? range.map.get(l) : l;
			box.v = range ? range.map.get(l + v) - box.l : v;
			box.text = range ? text_of(box) : box.all.text;
			box.g.firstElementChild.textContent = box.text;
		}
		move_to(null);
		show_all();
		search(input.value);
	}

	// ---- details ---------------------------------------------------------------------------

	function say(box) {
		const room = Math.floor((width - 2 * MARGIN - (info.beside || 0)) / 7);
		const tail = box ? box.text.slice(box.name.length) : '';
		let name = box ? box.name : HINT;
		if (name.length + tail.length > room)
			name = fitting(name, Math.max(room - tail.length, 10));
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

	// A function by its whole name; '': none, as at first.
	function find(name) {
		ignore_case = !name;
		show_case();
		search(name && '^' + name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') + '$');
	}

	// ---- the address -----------------------------------------------------------------------

	function remember() {
		const p = new URLSearchParams();
		if (!is_home()) {
			p.set('x', view.l);
			p.set('y', view.d);
		}
		if (input.value)
			p.set('s', input.value);
		if (!ignore_case)
			p.set('c', 1);
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
		ignore_case = !p.get('c');
		draw();
		if (s)
			search(s);
		if (box)
			zoom(box);
		show_case();
	}

	// ---- tools -----------------------------------------------------------------------------

	function make_button(id, text, help, fn, widest) {
		const w = (widest || text).length * 6.6 + 18;
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

	function set_text(button, text) {
		button.lastChild.textContent = text;
	}

	function show_case() {
		set_text(letter, ignore_case ? 'Any case' : 'Exact case');
		letter.classList.toggle('on', !ignore_case);
		letter.setAttribute('aria-pressed', !ignore_case);
	}

	function toggle_case() {
		ignore_case = !ignore_case;
		show_case();
		search(input.value);
	}

	// Where the root is: at the bottom of a flame graph, which may be taller than the window.
	function show_root() {
		frame.scrollTo(0, is_icicle ? 0 : root.getBoundingClientRect().height);
	}

	function turn() {
		is_icicle = !is_icicle;
		draw();
		show_root();
		remember();
	}

	const reset = make_button('reset', 'Reset zoom', 'Show all (Esc)', show_all);
	const flip = make_button('flip', 'Flip', 'Flame or icicle (I)', turn);
	const letter = make_button('case', '', 'Search: case matters or not (Ctrl-I)', toggle_case,
		'Exact case');
	const idle = whole ? make_button('idle', 'Show idle', 'Waits through the whole window',
		show_idle) : null;
	const input = make_input();
	const share = make('text', { id: 'matched', 'text-anchor': 'end' }, head);

	// Tools on the right of the details, the search box last; where there is no room for both, in rows
	// below them.  Returns the number of rows more than one.
	function place_tools(y) {
		const tools = (idle ? [idle] : []).concat([reset, flip, letter]);
		const needed = tools.reduce((sum, b) => sum + b.w + 6, 210 + 130);
		const is_wide = width - 2 * MARGIN - needed > 420;
		let x = is_wide ? width - MARGIN - needed + 130 : MARGIN, row = is_wide ? 0 : 1;
		const next = w => {
			if (!is_wide && x > MARGIN && x + w > width - MARGIN) {
				x = MARGIN;
				row++;
			}
			const at = x;
			x += w + 6;
			return at;
		};
		tools.forEach(b => b.setAttribute('transform',
			'translate(' + next(b.w) + ',' + (y + 28 * row) + ')'));
		input.parentNode.setAttribute('x', next(210));
		input.parentNode.setAttribute('y', y + 28 * row);
		info.beside = is_wide ? needed : 0;
		info.setAttribute('y', y + 16);
		if (!is_wide)
			next(120);
		share.setAttribute('x', is_wide ? width - MARGIN - needed + 120 : x - 6);
		share.setAttribute('y', y + 28 * row + 16);
		return row;
	}

	// A line of the head, shortened to what the window has room for.
	function fit_about(line) {
		const text = line.full || (line.full = line.textContent);
		const room = Math.floor((width - 2 * MARGIN) / 6.6);
		line.textContent = text.length > room ? text.slice(0, Math.max(room - 2, 1)) + '..' : text;
	}

	// The legend beside the title, or in rows of its own below the lines; returns their number.
	function place_legend(y) {
		const title = document.getElementById('title').getBBox();
		const marks = Array.from(legend.querySelectorAll('text'));
		const used = marks.map(t => t.getComputedTextLength() + 31);
		const needed = used.reduce((sum, w) => sum + w, 0);
		const is_wide = title.x + title.width + 24 + needed < width - MARGIN;
		let x = is_wide ? width - MARGIN - needed + 14 : MARGIN, row = 0;
		marks.forEach((t, i) => {
			if (!is_wide && x > MARGIN && x + used[i] - 14 > width - MARGIN) {
				x = MARGIN;
				row++;
			}
			const at = is_wide ? 30 : y + 12 + 18 * row;
			t.setAttribute('x', x + 17);
			t.setAttribute('y', at);
			t.previousElementSibling.setAttribute('x', x);
			t.previousElementSibling.setAttribute('y', at - 11);
			x += used[i];
		});
		return is_wide || !marks.length ? 0 : row + 1;
	}

	function resize() {
		width = Math.max(root.getBoundingClientRect().width, 320);
		legend.setAttribute('transform', 'translate(0,0)');
		root.querySelectorAll('#head .about:not(#info)').forEach(fit_about);
		const y = TOOLS + 18 * place_legend(TOOLS);
		top = TOP + y - TOOLS + 28 * place_tools(y);
		head.querySelector('.page').setAttribute('height', top - 6);
		root.querySelector('.line').setAttribute('y1', top - 6);
		root.querySelector('.line').setAttribute('y2', top - 6);
		root.querySelector('.line').setAttribute('x2', width);
		root.setAttribute('height', HEIGHT + top - TOP);
		root.querySelectorAll('.wide').forEach(e => e.setAttribute('width', width));
		root.querySelector('.page').setAttribute('height', HEIGHT + top - TOP);
		say(current);
		draw();
	}

	// The head stays in sight of a tall graph.
	function on_scroll() {
		const y = is_inline ? frame.scrollTop : window.scrollY;
		head.setAttribute('transform', 'translate(0,' + y + ')');
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
	chart.addEventListener('find', e => find(e.detail));
	chart.addEventListener('range', e => show_range(e.detail));
	frame.addEventListener('keydown', on_key);
	frame.addEventListener('scroll', on_scroll);
	window.addEventListener('resize', resize);

	root.removeAttribute('viewBox');
	root.setAttribute('width', '100%');
	recall();
	resize();
	show_root();
}());
