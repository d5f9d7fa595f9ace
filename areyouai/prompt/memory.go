package prompt

import (
	"slices"
	"strconv"
	"strings"
)

// Sizes of RECENT_MEMORY.
const (
	// MemoryMessages is how many messages are shown at most.
	MemoryMessages = 6
	// MemoryBudget is the size of the section in bytes, newlines included.
	// Only the newest message may exceed it, on its own. Source: contract,
	// "Known defects", row 1: 1000 tokens of 4 bytes, newest always whole.
	MemoryBudget = 4000
	// minCutBytes is the least text worth showing of a message that is cut.
	minCutBytes = 40
)

const emptyMemory = "(empty)"

// recentMemory goes from the newest message back, while the budget lasts.
func recentMemory(recent []Message) string {
	if len(recent) == 0 {
		return emptyMemory
	}
	lines := make([]string, 0, len(recent))
	left := MemoryBudget
	for i, m := range slices.Backward(recent) {
		head := "- turn=" + strconv.FormatInt(m.Turn, 10) + " sender=" + escapeLine(m.SenderID) + " msg="
		text := escapeLine(m.Text)
		if i < len(recent)-1 && len(head)+len(text)+1 > left {
			room := left - len(head) - 1
			if room >= minCutBytes {
				lines = append(lines, head+escapeFit(m.Text, room, byteLen))
			}
			break
		}
		lines = append(lines, head+text)
		left -= len(head) + len(text) + 1
	}
	slices.Reverse(lines)
	return strings.Join(lines, "\n")
}
