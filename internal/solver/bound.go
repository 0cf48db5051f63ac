package solver

import (
	"cmp"
	"slices"

	"github.com/sha1dc/go/internal/dvs"
	"github.com/sha1dc/go/internal/plan"
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

	vectors [dvs.Count]graph
	adds    [][]use  // what each column tests, as edges of the vectors' graphs
	rowsOf  [][]term // rows that each column counts in
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

// graph is a vector's span: bits are numbered, and edges join them.
type graph struct {
	vertices int
	rank     int
	edges    []ends
}

type ends struct{ u, v uint8 }

// use is an edge of a vector's graph.
type use struct{ dv, edge int }

func newProblem(in *instance, columns []column, cost []int64) *problem {
	p := &problem{in: in, columns: columns, cost: cost}
	at := make(map[use]int) // index of condition in its vector's graph
	for dv := range dvs.Count {
		number := make(map[dvs.Bit]uint8)
		vertex := func(b dvs.Bit) uint8 {
			n, ok := number[b]
			if !ok {
				n = uint8(len(number))
				number[b] = n
			}
			return n
		}
		g := &p.vectors[dv]
		g.rank = in.table.Span(dv).Rank()
		for n, e := range in.edges {
			if e.DVs.Has(dv) {
				at[use{dv, n}] = len(g.edges)
				u, v := vertex(dvs.Bit{Word: e.I, Pos: e.A}), vertex(dvs.Bit{Word: e.J, Pos: e.B})
				g.edges = append(g.edges, ends{u, v})
			}
		}
		g.vertices = len(number)
	}
	p.adds = make([][]use, len(columns))
	for n, c := range columns {
		for _, t := range c.tests {
			for dv := range dvs.Count {
				if t.dvs.Has(dv) {
					p.adds[n] = append(p.adds[n], use{dv, at[use{dv, t.edge}]})
				}
			}
		}
	}
	for _, adds := range p.adds {
		slices.SortFunc(adds, func(a, b use) int { return cmp.Or(a.dv-b.dv, a.edge-b.edge) })
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
}

// forest is a union-find structure over the bits of one vector.
type forest [32]uint8

func (f *forest) reset(n int) {
	for k := range n {
		f[k] = uint8(k)
	}
}

func (f *forest) root(v uint8) uint8 {
	for f[v] != v {
		f[v] = f[f[v]]
		v = f[v]
	}
	return v
}

func (f *forest) join(e ends) bool {
	u, v := f.root(e.u), f.root(e.v)
	if u == v {
		return false
	}
	f[v] = u
	return true
}

// state of a column in a search.
const (
	free = iota
	in
	out
)

// dual is a set of prices that prove a lower bound. Relax "an edge is used for
// a vector only if a column tests it" and "the columns of each row add up",
// and pay a price for each breach instead. Then columns, vectors and rows part:
// every column is chosen if it is cheaper than the prices it earns, and every
// vector buys the forest of edges that is cheapest together with the survivors
// it leaves, which Kruskal's algorithm finds for all sizes at once. The sum is a
// bound whatever the prices are, so integer arithmetic proves it exactly.
type dual struct {
	edge [dvs.Count][]int64
	row  []int64
}

func newDual(p *problem) *dual {
	d := &dual{row: make([]int64, len(p.rows))}
	for dv := range dvs.Count {
		d.edge[dv] = make([]int64, len(p.vectors[dv].edges))
	}
	return d
}

func (d *dual) clone() *dual {
	c := &dual{row: slices.Clone(d.row)}
	for dv := range dvs.Count {
		c.edge[dv] = slices.Clone(d.edge[dv])
	}
	return c
}

// relaxed is the solution of a relaxation: its value, the cost of each column
// less what it earns, and how far each price's condition is broken.
type relaxed struct {
	value   int64
	reduced []int64
	edge    [dvs.Count][]int8
	row     []int
}

func newRelaxed(p *problem) *relaxed {
	r := &relaxed{reduced: make([]int64, len(p.columns)), row: make([]int, len(p.rows))}
	for dv := range dvs.Count {
		r.edge[dv] = make([]int8, len(p.vectors[dv].edges))
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
	for dv := range dvs.Count {
		p.buy(dv, d.edge[dv], r)
	}
	for c := range p.columns {
		earns := int64(0)
		for _, u := range p.adds[c] {
			earns += d.edge[u.dv][u.edge]
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
			r.edge[u.dv][u.edge]--
		}
		for _, t := range p.rowsOf[c] {
			r.row[t.n] -= t.coef
		}
	}
}

// buy finds the forest that vector dv takes under the given prices.
func (p *problem) buy(dv int, price []int64, r *relaxed) {
	g := &p.vectors[dv]
	var buffer [128]int32
	order := buffer[:0]
	for n := range g.edges {
		order = append(order, int32(n))
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(price[a], price[b]), int(a-b))
	})
	var f forest
	f.reset(g.vertices)
	var taken [16]int32
	rank, paid := 0, int64(0)
	best, bestRank := p.left(0), 0
	for _, n := range order {
		if !f.join(g.edges[n]) {
			continue
		}
		taken[rank] = n
		rank++
		paid += price[n]
		if v := paid + p.left(rank); v <= best || p.full {
			best, bestRank = v, rank
		}
		if rank == g.rank {
			break
		}
	}
	r.value += best
	clear(r.edge[dv])
	for _, n := range taken[:bestRank] {
		r.edge[dv][n] = 1
	}
}

// left returns the cost of the survivors that a rank leaves of one vector.
func (p *problem) left(rank int) int64 {
	return p.survivor * int64(plan.One>>rank)
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
		for dv := range r.edge {
			for n, b := range r.edge[dv] {
				if b > 0 || d.edge[dv][n] > 0 {
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
		for dv := range r.edge {
			for n, b := range r.edge[dv] {
				d.edge[dv][n] = max(0, d.edge[dv][n]+int64(b)*step)
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
