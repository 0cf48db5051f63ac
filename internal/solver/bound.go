package solver

import (
	"cmp"
	"slices"
)

// problem asks for columns of least cost, the survivors' cost included, that
// meet every row.
type problem struct {
	in       *instance
	columns  []column
	cost     []int64 // of each column
	survivor int64   // of one survivor a block, over plan.One
	full     bool    // every vector's span must be reached
	rows     []row
	breach   int64 // cost of breaking a row, beside that of mending it

	views  []view
	adds   [][]use  // what each column tests, as conditions of the views
	rowsOf [][]term // rows that each column counts in
	meets  []set    // the same as sets, if every row asks for one column
}

// row says that the chosen columns add up to need: terms name columns.
type row struct {
	need  int
	terms []term
}

// term is a row's or a column's number, and what the column counts in the row.
type term struct{ n, coef int }

// covering returns the rows that ask for one of the given columns each.
func covering(columns [][]int) []row {
	var out []row
	for _, cols := range columns {
		r := row{need: 1}
		for _, c := range cols {
			r.terms = append(r.terms, term{c, 1})
		}
		out = append(out, r)
	}
	return out
}

// use is a condition of a view.
type use struct{ view, edge int }

func newProblem(in *instance, columns []column, cost []int64, views []view) *problem {
	p := &problem{in: in, columns: columns, cost: cost, views: views}
	p.adds = make([][]use, len(columns))
	for n, c := range columns {
		for v := range views {
			for _, t := range c.tests {
				if t.dvs.Has(views[v].dv) {
					e, _ := slices.BinarySearch(views[v].edges, t.edge)
					p.adds[n] = append(p.adds[n], use{v, e})
				}
			}
		}
	}
	for _, adds := range p.adds {
		slices.SortFunc(adds, func(a, b use) int { return cmp.Or(a.view-b.view, a.edge-b.edge) })
	}
	p.require(nil)
	return p
}

// require sets the rows.
func (p *problem) require(rows []row) {
	p.rows = rows
	p.rowsOf = make([][]term, len(p.columns))
	for n, row := range rows {
		for _, t := range row.terms {
			p.rowsOf[t.n] = append(p.rowsOf[t.n], term{n, t.coef})
		}
	}
	p.meets = nil
	if slices.ContainsFunc(rows, func(r row) bool {
		return r.need != 1 || slices.ContainsFunc(r.terms, func(t term) bool { return t.coef != 1 })
	}) {
		return
	}
	for _, terms := range p.rowsOf {
		s := newSet(len(rows))
		for _, t := range terms {
			s.add(t.n)
		}
		p.meets = append(p.meets, s)
	}
}

// state of a column in a search.
const (
	free = iota
	in
	out
)

// dual is a set of prices that prove a lower bound. Relax "a view uses a condition
// only if a column tests it" and "the columns of each row add up",
// and pay a price for each breach instead. Then columns, views and rows part:
// every column is chosen if it is cheaper than the prices it earns, and every
// view buys the independent conditions that are cheapest together with the
// survivors they leave, which the greedy algorithm finds for all ranks at once.
// The sum is a bound whatever the prices are, so integer arithmetic proves it
// exactly.
type dual struct {
	edge [][]int64 // of each view
	row  []int64
}

func newDual(p *problem) *dual {
	d := &dual{row: make([]int64, len(p.rows)), edge: make([][]int64, len(p.views))}
	for v := range p.views {
		d.edge[v] = make([]int64, len(p.views[v].edges))
	}
	return d
}

func (d *dual) clone() *dual {
	c := &dual{row: slices.Clone(d.row), edge: make([][]int64, len(d.edge))}
	for v := range d.edge {
		c.edge[v] = slices.Clone(d.edge[v])
	}
	return c
}

// relaxed is the solution of a relaxation: its value, the cost of each column
// less what it earns, and how far each price's condition is broken.
type relaxed struct {
	value   int64
	reduced []int64
	edge    [][]int8
	row     []int
}

func newRelaxed(p *problem) *relaxed {
	r := &relaxed{reduced: make([]int64, len(p.columns)), row: make([]int, len(p.rows)), edge: make([][]int8, len(p.views))}
	for v := range p.views {
		r.edge[v] = make([]int8, len(p.views[v].edges))
	}
	return r
}

// relax solves the relaxation under the prices d, with columns fixed by state.
func (p *problem) relax(d *dual, state []uint8, r *relaxed) {
	r.value = 0
	for n, price := range d.row {
		r.value += price * int64(p.rows[n].need)
		r.row[n] = p.rows[n].need
	}
	for v := range p.views {
		p.buy(v, d.edge[v], r)
	}
	for c := range p.columns {
		earns := int64(0)
		for _, u := range p.adds[c] {
			earns += d.edge[u.view][u.edge]
		}
		for _, t := range p.rowsOf[c] {
			earns += d.row[t.n] * int64(t.coef)
		}
		r.reduced[c] = p.cost[c] - earns
		if state[c] == out || state[c] == free && r.reduced[c] >= 0 {
			continue
		}
		r.value += r.reduced[c]
		for _, u := range p.adds[c] {
			r.edge[u.view][u.edge]--
		}
		for _, t := range p.rowsOf[c] {
			r.row[t.n] -= t.coef
		}
	}
}

// buy finds the conditions that view n takes under the given prices.
func (p *problem) buy(n int, price []int64, r *relaxed) {
	v := &p.views[n]
	var buffer [128]int32
	order := buffer[:0]
	for e := range v.edges {
		order = append(order, int32(e))
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(price[a], price[b]), int(a-b))
	})
	var b basis
	var taken [mostRank + 1]int32
	rank, paid := 0, int64(0)
	best, bestRank := p.left(v, 0), 0
	for _, e := range order {
		if !b.add(v.forms[e]) {
			continue
		}
		taken[rank] = e
		rank++
		paid += price[e]
		if cost := paid + p.left(v, rank); cost <= best || p.full {
			best, bestRank = cost, rank
		}
		if rank == v.rank {
			break
		}
	}
	r.value += best
	clear(r.edge[n])
	for _, e := range taken[:bestRank] {
		r.edge[n][e] = 1
	}
}

// left returns the cost of the survivors that a rank leaves in a view.
func (p *problem) left(v *view, rank int) int64 {
	return p.survivor * v.weight >> rank
}

// improve raises the bound of d by rounds of subgradient steps and returns the
// best value with its prices. Best is the cost of a known choice, which sets
// the length of the steps; the search stops where the bound reaches it.
func (p *problem) improve(d *dual, state []uint8, best int64, rounds int) (int64, *dual, *relaxed) {
	r := newRelaxed(p)
	p.relax(d, state, r)
	top, topDual := r.value, d.clone()
	d = d.clone()
	// The step is length/4096 of the way to the target a unit of breach.
	length, stale := int64(4096), 0
	for range rounds {
		norm := int64(0)
		for v := range r.edge {
			for n, b := range r.edge[v] {
				if b > 0 || d.edge[v][n] > 0 {
					norm += int64(b) * int64(b)
				}
			}
		}
		for n, b := range r.row {
			if b > 0 || d.row[n] > 0 {
				norm += int64(b) * int64(b)
			}
		}
		if norm == 0 || top >= best {
			break
		}
		step := (best - r.value) / norm * length / 4096
		if step <= 0 {
			break
		}
		for v := range r.edge {
			for n, b := range r.edge[v] {
				d.edge[v][n] = max(0, d.edge[v][n]+int64(b)*step)
			}
		}
		for n, b := range r.row {
			d.row[n] = max(0, d.row[n]+int64(b)*step)
		}
		p.relax(d, state, r)
		if r.value > top {
			top, topDual, stale = r.value, d.clone(), 0
		} else if stale++; stale == 25 {
			length, stale = length*7/8, 0
			d = topDual.clone()
			p.relax(d, state, r)
			if length < 4 {
				break
			}
		}
	}
	p.relax(topDual, state, r)
	return top, topDual, r
}
