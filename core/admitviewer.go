package core

import "context"

// AdmitViewer lets a person watch a room who may do so without its code: whoever runs the gateway. The token that it returns
// names the viewer from then on. Errors: [ErrNoRoom], *[RoomNotActiveError] when the room was purged, *[InvalidError] when
// MaxViewers have joined.
func (n *Node) AdmitViewer(ctx context.Context, room string) (token string, err error) {
	sum, ok := n.Room(room)
	switch {
	case !ok:
		return "", ErrNoRoom
	case sum.State == StatePurged:
		return "", &RoomNotActiveError{Room: room, State: sum.State}
	}
	return n.newViewer(ctx, room)
}

// newViewer makes a viewer of a room.
func (n *Node) newViewer(ctx context.Context, room string) (token string, err error) {
	token = n.ids.Secret(viewerPrefix, viewerBytes)
	hash := HashSecret(token)
	c := n.galleryCell(room)
	defer c.unpin()
	if _, _, err := propose(ctx, c, joinViewers{hash: hash}, nil); err != nil {
		return "", err
	}
	n.watching.heard(room, hash, n.now())
	return token, nil
}
