package core

import "slices"

// leaveNode counts a connection out of the node that has had its stream; nil is none.
func (x *index) leaveNode(c *Connection) {
	if c == nil {
		return
	}
	if x.atNode[c.Node]--; x.atNode[c.Node] <= 0 {
		delete(x.atNode, c.Node)
	}
}

// otherNodes names the nodes, except one, on which streams of connections live. It does not look at the connections.
func (x *index) otherNodes(self string) []string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var out []string
	for node := range x.atNode {
		if node != self {
			out = append(out, node)
		}
	}
	slices.Sort(out)
	return out
}

// owned is a connection with its agent.
type owned struct {
	agent string
	conn  *Connection
}

// connectionsAt lists the connections whose streams live on a node. It looks at every connection.
func (x *index) connectionsAt(node string) []owned {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var out []owned
	for agent, entry := range x.s.Agents {
		for _, c := range entry.State.Connections {
			if c.Node == node {
				out = append(out, owned{agent, c})
			}
		}
	}
	return out
}
