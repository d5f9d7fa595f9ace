package core

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Bounds of the groups that rooms are filed in.
const (
	// MaxGroups is how many groups there may be, MaxGroupDepth how many of them inside each other.
	MaxGroups     = 4096
	MaxGroupDepth = 16
	// MaxColorBytes bounds the color of a group, which is any text that clients understand.
	MaxColorBytes = 64
)

// groupPathSeparator stands between the names of a path (Switch protocol: room groups).
const groupPathSeparator = " / "

// CreateGroup makes a folder for rooms. Names need not be unique.
type CreateGroup struct {
	Name, Description, Color string
	// ParentName, if set, is the exact name of the one group that the new one is nested in.
	ParentName *string
	// id is set by the node.
	id string
}

// GroupPlace is a group with the names from the outermost one to it.
type GroupPlace struct {
	Group
	Path string
}

// CreateGroup makes a group. With an idempotency key its id is derived from the key, so that a repeated command meets the
// group that the first one made. Errors: *[InvalidError] for a blank name, an unknown or ambiguous parent, and one group
// too many; *[TooLongError]; [ErrKeyReused].
func (n *Node) CreateGroup(ctx context.Context, cmd CreateGroup, key *Key) (GroupPlace, error) {
	var err error
	if cmd.id, err = n.directoryID(GroupPrefix, key); err != nil {
		return GroupPlace{}, err
	}
	made, _, err := propose(ctx, n.directory, cmd, nil)
	return made, err
}

// directoryID is the id of something new in the directory: derived from the idempotency key if there is one, whose answer
// then is the thing itself. Errors: [ErrKeyReused] for a key that was used in a room.
func (n *Node) directoryID(prefix string, key *Key) (string, error) {
	if key == nil {
		return n.ids.New(prefix, n.now()), nil
	}
	if _, used := n.index.keyRoom(key); used {
		return "", ErrKeyReused
	}
	return DerivedID(prefix, "key", key.Agent, key.Value), nil
}

// Groups lists every group, by path.
func (n *Node) Groups() (out []GroupPlace) {
	n.directory.view(func(d *Directory) {
		for _, g := range d.Groups {
			out = append(out, GroupPlace{Group: *g, Path: d.groupPath(g)})
		}
	})
	slices.SortFunc(out, func(a, b GroupPlace) int {
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out
}

// Group returns a group by id.
func (n *Node) Group(id string) (g GroupPlace, ok bool) {
	n.directory.view(func(d *Directory) {
		if found := d.Groups[id]; found != nil {
			g, ok = GroupPlace{Group: *found, Path: d.groupPath(found)}, true
		}
	})
	return g, ok
}

// GroupNamed returns the one group of a name. Errors: an *[InvalidError] about field when there is none or more than one.
func (n *Node) GroupNamed(field, name string) (g Group, err error) {
	n.directory.view(func(d *Directory) {
		var found *Group
		if found, err = d.groupNamed(field, name); err == nil {
			g = *found
		}
	})
	return g, err
}

func (c CreateGroup) decide(d *Directory, env Env) ([]Payload, GroupPlace, error) {
	if old := d.Groups[c.id]; old != nil {
		if !c.made(d, old) {
			return nil, GroupPlace{}, ErrKeyReused
		}
		return nil, GroupPlace{Group: *old, Path: d.groupPath(old)}, nil
	}
	err := firstError(
		checkName("name", c.Name),
		checkBytes("description", c.Description, MaxEntryDescriptionBytes),
		checkBytes("color", c.Color, MaxColorBytes),
	)
	if err != nil {
		return nil, GroupPlace{}, err
	}
	g := Group{ID: c.id, Name: c.Name, Description: c.Description, Color: c.Color, CreatedAt: env.Now}
	if c.ParentName != nil {
		parent, err := d.groupNamed("parent_group_name", *c.ParentName)
		if err != nil {
			return nil, GroupPlace{}, err
		}
		if len(d.groupLine(parent)) >= MaxGroupDepth {
			return nil, GroupPlace{}, &InvalidError{
				Field: "parent_group_name", Reason: fmt.Sprintf("groups may be nested %d deep", MaxGroupDepth),
			}
		}
		g.Parent = parent.ID
	}
	if len(d.Groups) >= MaxGroups {
		return nil, GroupPlace{}, full("group", "groups", MaxGroups)
	}
	return []Payload{&GroupCreatedEvent{Group: g}}, GroupPlace{Group: g, Path: d.groupPath(&g)}, nil
}

// made tells whether a group is what the command asks for.
func (c CreateGroup) made(d *Directory, g *Group) bool {
	parent := d.Groups[g.Parent]
	if (c.ParentName != nil) != (parent != nil) || parent != nil && parent.Name != *c.ParentName {
		return false
	}
	return g.Name == c.Name && g.Description == c.Description && g.Color == c.Color
}

func (d *Directory) groupNamed(field, name string) (found *Group, err error) {
	count := 0
	for _, g := range d.Groups {
		if g.Name == name {
			found = g
			count++
		}
	}
	switch {
	case count == 0:
		return nil, &InvalidError{Field: field, Reason: fmt.Sprintf("there is no group %.300q", name)}
	case count > 1:
		return nil, &InvalidError{Field: field, Reason: fmt.Sprintf("%d groups are called %.300q", count, name)}
	}
	return found, nil
}

// groupLine is a group with those it is nested in, itself first.
func (d *Directory) groupLine(g *Group) (line []*Group) {
	for ; g != nil && len(line) < MaxGroupDepth; g = d.Groups[g.Parent] {
		line = append(line, g)
	}
	return line
}

func (d *Directory) groupPath(g *Group) string {
	var names []string
	for _, at := range d.groupLine(g) {
		names = append(names, at.Name)
	}
	slices.Reverse(names)
	return strings.Join(names, groupPathSeparator)
}
