package superjson

import (
	"cmp"
	"slices"
)

// placed is one place of an object that stands in several.
type placed struct {
	node     int32
	segments int32
}

// group is the places of one object, the representative first. It lies at from to to in
// a list of all.
type group struct {
	from, to int
	index    uint32
	isIndex  bool
}

// references prints which places hold the same object: {representative: [others…]},
// a list for the root, or both.
func (e *encoder) references() {
	slices.SortStableFunc(e.repeats, func(a, b repeat) int { return cmp.Compare(a.first, b.first) })
	places := make([]placed, 0, 2*len(e.repeats))
	groups := make([]group, 0, len(e.repeats))
	root := group{}
	for rest := e.repeats; len(rest) > 0; {
		g := group{from: len(places)}
		places = append(places, e.placed(e.seen.firsts[rest[0].first].node))
		at := rest[0].first
		for len(rest) > 0 && rest[0].first == at {
			places = append(places, e.placed(rest[0].node))
			rest = rest[1:]
		}
		g.to = len(places)
		if !e.codec.Dedupe {
			// The shortest path represents the others, unless only the first place
			// met has the object.
			slices.SortStableFunc(places[g.from:], func(a, b placed) int { return cmp.Compare(a.segments, b.segments) })
		}
		switch rep := places[g.from]; rep.segments {
		case 0:
			root = g
			continue
		case 1:
			g.index, g.isIndex = e.nodes[rep.node].key.asIndex()
		}
		groups = append(groups, g)
	}
	slices.SortStableFunc(groups, func(a, b group) int {
		return compareIndices(a.index, a.isIndex, b.index, b.isIndex)
	})
	e.printGroups(places, root, groups)
}

func (e *encoder) placed(n int32) placed {
	p := placed{node: n}
	for ; e.nodes[n].parent >= 0; n = e.nodes[n].parent {
		p.segments++
	}
	return p
}

func (e *encoder) printGroups(places []placed, root group, groups []group) {
	rooted := root.to > 0
	if rooted {
		e.dst = append(e.dst, '[')
		e.others(places[root.from+1 : root.to])
	}
	if len(groups) > 0 {
		if rooted {
			e.dst = append(e.dst, ',')
		}
		e.dst = append(e.dst, '{')
		for i, g := range groups {
			e.comma(i)
			e.nodePath(places[g.from].node)
			e.dst = append(e.dst, ':')
			e.others(places[g.from+1 : g.to])
		}
		e.dst = append(e.dst, '}')
	}
	if rooted {
		e.dst = append(e.dst, ']')
	}
}

func (e *encoder) others(list []placed) {
	e.dst = append(e.dst, '[')
	for i, p := range list {
		e.comma(i)
		e.nodePath(p.node)
	}
	e.dst = append(e.dst, ']')
}

// nodePath prints the path from the root to n. The root's own node has no key.
func (e *encoder) nodePath(n int32) {
	e.steps = e.steps[:0]
	for ; e.nodes[n].parent >= 0; n = e.nodes[n].parent {
		e.steps = append(e.steps, n)
	}
	e.path = e.path[:0]
	for i := len(e.steps) - 1; i >= 0; i-- {
		e.path = e.nodes[e.steps[i]].key.appendSegment(e.path)
		if i > 0 {
			e.path = append(e.path, '.')
		}
	}
	e.dst = appendString(e.dst, e.path)
	e.path = e.path[:0]
}
