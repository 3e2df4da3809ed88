// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// The tables of a page: sorted by a click on a heading, filtered, the first rows unless all are asked
// for; and functions that are searched in the flame graph.  Without it all rows are there.  Text of
// the report is only ever read and compared.
'use strict';
(function () {
	const SHOWN = 30, chart = document.getElementById('frames');
	const collator = new Intl.Collator('en', { numeric: true });

	function make(kind, attributes, parent) {
		const e = document.createElement(kind);
		for (const key in attributes)
			e.setAttribute(key, attributes[key]);
		parent.append(e);
		return e;
	}

	// "1,204.5 %" as a number; null: there is none ("-").
	function number(text) {
		const n = parseFloat(text.replace(/,/g, ''));
		return isNaN(n) ? null : n;
	}

	function start(table) {
		const body = table.tBodies[0], heads = Array.from(table.tHead.rows[0].cells);
		const rows = Array.from(body.rows), is_number = heads.map(h => h.classList.contains('n'));
		const words = rows.map(r => Array.from(r.cells).filter((c, i) => !is_number[i])
			.map(c => c.textContent).join(' ').toLowerCase());
		const word_of = new Map(rows.map((r, i) => [r, words[i]]));
		const tools = document.createElement('div');
		let order = rows, is_all = false, filter = null;

		function value(row, i) {
			const text = row.cells[i].textContent;
			return is_number[i] ? number(text) : text;
		}

		// Cells without a number come last in both directions.
		function compare(a, b, sign, of_number) {
			if (a === null || b === null)
				return (a === null) - (b === null);
			return sign * (of_number ? a - b : collator.compare(a, b));
		}

		function sort(i) {
			const was = heads[i].getAttribute('aria-sort');
			const first = is_number[i] ? 'descending' : 'ascending';
			const now = was !== first ? first : is_number[i] ? 'ascending' : 'descending';
			const sign = now === 'ascending' ? 1 : -1;
			const keys = new Map(rows.map(r => [r, value(r, i)]));
			heads.forEach(h => h.removeAttribute('aria-sort'));
			heads[i].setAttribute('aria-sort', now);
			order = order.slice().sort((a, b) =>
				compare(keys.get(a), keys.get(b), sign, is_number[i]));
			body.append(...order);
			show();
		}

		function show() {
			const text = filter ? filter.value.trim().toLowerCase() : '';
			let n = 0;
			for (const row of order) {
				const is_match = word_of.get(row).includes(text);
				row.hidden = !is_match || (!is_all && n >= SHOWN);
				n += is_match;
			}
			more.hidden = n <= SHOWN;
			more.textContent = is_all ? 'Show ' + SHOWN : 'Show all ' + n;
			if (filter)
				said.textContent = text ? n + ' of ' + rows.length : String(rows.length);
		}

		heads.forEach((h, i) => {
			if (h.classList.contains('picture'))
				return;
			const button = make('button', { type: 'button' }, h);
			button.append(...Array.from(h.childNodes).filter(e => e !== button));
			button.addEventListener('click', () => sort(i));
		});
		const more = document.createElement('button');
		more.type = 'button';
		more.className = 'more';
		more.addEventListener('click', () => {
			is_all = !is_all;
			show();
		});
		const said = make('output', {}, tools);
		if (rows.length > 5) {
			tools.className = 'tools';
			filter = make('input', { type: 'search', placeholder: 'Filter', 'aria-label': 'Filter rows' },
				tools);
			tools.prepend(filter);
			filter.addEventListener('input', show);
			table.parentNode.before(tools);
		}
		table.parentNode.after(more);
		show();
	}

	// A second click on the same function ends the search.
	function find(button) {
		const is_on = button.getAttribute('aria-pressed') === 'true';
		document.querySelectorAll('[aria-pressed=true].find').forEach(b => b.setAttribute('aria-pressed', false));
		button.setAttribute('aria-pressed', !is_on);
		chart.dispatchEvent(new CustomEvent('find', { detail: is_on ? '' : button.textContent }));
		if (!is_on)
			chart.ownerSVGElement.parentNode.scrollIntoView({ block: 'nearest' });
	}

	document.querySelectorAll('table.sort').forEach(start);
	document.addEventListener('click', e => {
		const button = e.target.closest('.find');
		if (button && chart)
			find(button);
	});
}());
