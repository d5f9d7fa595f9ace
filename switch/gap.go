package agentswitch

import "fmt"

// GapRestarted is the gap of a client whose cursor is above head: the server
// lost or never had what the client saw. The stream goes on at head.
func GapRestarted(head uint64) Gap {
	return Gap{
		FromSequence: head, ResumedAt: head,
		Reason: "the server " + TextRestarted + " and the cursor is ahead of its newest event; read the rooms again to catch up",
	}
}

// GapExpiredAtOpen is the gap of a client that opens below the oldest retained
// event. Both numbers are the one before that event; the cursor that was asked
// for is not told.
func GapExpiredAtOpen(droppedThrough uint64) Gap {
	return Gap{
		FromSequence: droppedThrough, ResumedAt: droppedThrough,
		Reason: "events after the cursor are no longer kept; rooms must be " + TextReRead,
	}
}

// GapExpired is the gap of a stream whose cursor fell below the oldest
// retained event while it was open.
func GapExpired(requested, droppedThrough uint64) Gap {
	return Gap{
		FromSequence: requested, ResumedAt: droppedThrough,
		Reason: fmt.Sprintf("events after %d are no longer kept, the oldest kept one comes after %d; rooms must be %s",
			requested, droppedThrough, TextReRead),
	}
}

// GapDamaged is the gap of a stream where the server's log is damaged: what had
// the sequences after from up to resumed can't be read any more.
func GapDamaged(from, resumed uint64) Gap {
	return Gap{
		FromSequence: from, ResumedAt: resumed,
		Reason: fmt.Sprintf("events after %d up to %d are damaged and lost; rooms must be %s", from, resumed, TextReRead),
	}
}
