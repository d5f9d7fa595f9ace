package core

// A room's version counts its events; its low 32 bits are the count, its high bits the life of the log in which the
// event was written. In a log that was never replaced by a backup a version therefore is the count. After a restored
// backup the versions of a room go on above every number that the lost life may have given, so that a cursor from that
// life names no event of this one and is recognised.
const (
	versionLifeBits = 32
	versionCount    = 1<<versionLifeBits - 1
)

// VersionLife is the life of the log in which a version was given.
func VersionLife(version uint64) uint64 { return version >> versionLifeBits }

// VersionCount is how many events a stream has up to a version.
func VersionCount(version uint64) uint64 { return version & versionCount }

// MessageNumber is the number of a message among those of its room, counted from 1, with the life of the log in its high
// bits as a version has it: version is that of the event that posted it.
func MessageNumber(version uint64, turn int) uint64 {
	return VersionLife(version)<<versionLifeBits | (uint64(turn) + 1)
}

// nextVersion is the version after one, in a life of the log.
func nextVersion(version uint64, life int) uint64 {
	return max(VersionLife(version), uint64(life))<<versionLifeBits | (VersionCount(version) + 1)
}

// Jump is where a room's versions go on in a later life of the log.
type Jump struct {
	// Last is the last version of the earlier life, First the first one of the later.
	Last  uint64 `json:"last"`
	First uint64 `json:"first"`
}

// HasVersion tells whether the room has an event with that version.
func (r *Room) HasVersion(version uint64) bool {
	if version == 0 || version > r.Version {
		return false
	}
	for _, j := range r.Jumps {
		if version > j.Last && version < j.First {
			return false
		}
	}
	return true
}

// ForeignCursor tells whether a position is from a life of the log that this one does not hold to its end: a backup was
// restored, and the events after resume that the cursor's owner may have seen are gone. Reading goes on after resume.
func (n *Node) ForeignCursor(p Position) (resume Position, foreign bool) {
	lives := n.log.Lives()
	if life := p.Life(); life < len(lives) && p > lives[life] {
		return lives[life], true
	}
	return 0, false
}
