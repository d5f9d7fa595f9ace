// Package chaos checks what the gateway promises, from the outside: it writes down what clients sent, were told and
// received while the gateway is killed, restarted and overrun, and compares that with what the log holds in the end.
//
// # The parts
//
// A [Recorder] takes a [Record] of everything a client sees, in one order for all clients. A [History] is those records
// together with the final log, as [ReadLog] finds it. [Check] is the one checker: it returns a [Violation] for each promise
// that the history breaks, with its evidence.
//
//	rec := chaos.NewRecorder()
//	rec.Add(chaos.Record{Client: "alice", Kind: chaos.Sent, Room: room, Mark: "m1"})
//	… post it …
//	rec.Add(chaos.Record{Client: "alice", Kind: chaos.Acknowledged, Room: room, Mark: "m1"})
//	log, err := chaos.ReadLog(ctx, theLog)
//	for _, v := range chaos.Check(chaos.History{Records: rec.Records(), Log: log}) {
//		t.Error(v)
//	}
//
// # Marks
//
// Every command carries a mark, a text that no other command carries, such as the text of a message. By its mark a command
// is found again in the log and in what readers received. A command that makes several events says how many (Parts); all
// of them carry its mark in the log.
//
// # Lines
//
// Readers count in different numbers: positions of the whole log, versions of a room, turns of a room. A [Line] says which;
// the checker turns one into the other by the log. A cursor is one reader on one line in one room, and lives across all
// connections of that reader.
//
// # The tests
//
//   - TestKill kills the real program under load and lets it come back on the same data, again and again. It takes its
//     number of kills from STELE_CHAOS_KILLS and its seed from STELE_CHAOS_SEED; with STELE_CHAOS_RACE set, the program
//     has the race detector in it. A run that fails leaves its history, its data and the gateway's log in a folder.
//   - TestSlowReaders shows that a reader which does not read costs nobody anything, and little memory.
//   - TestNothingLeaks connects and disconnects a thousand times on each protocol.
//   - The checker is tested with histories that break one promise each, with a log that answers before it commits, with
//     one whose "after" includes its position, and with random mutations of random clean histories.
//
// # Invariants
//
//   - A record of a send is taken before the request leaves, one of an answer after it arrived. So when the answer to one
//     command was recorded before the send of another, the first must come first in the log, whoever sent them.
//   - The checker knows no protocol.
package chaos
