package switchfront

import (
	"net/http"
	"strconv"
	"unicode/utf8"

	"github.com/labstack/echo/v4"
	"go.uber.org/zap"

	agentswitch "stele/switch"
)

// Bounds of a report: each of its events becomes a line of the log.
const (
	maxReported     = 1000
	maxReportedText = 256
)

// reportEvents answers POST …/events/report. Reports hold what models and tools were told and said, which is nobody's
// business here: they are not stored, and the log gets the names and numbers of a call, never its arguments or results.
func (f *Front) reportEvents(c echo.Context) error {
	agent, _, req, err := asked(f, c, agentswitch.ParseEventReport)
	if err != nil {
		return err
	}
	if err := f.checkMember(agent, req.RoomID); err != nil {
		return err
	}
	if len(req.Events) > maxReported {
		return agentswitch.Refuse(http.StatusBadRequest, "a report holds at most %d events", maxReported)
	}
	for _, event := range req.Events {
		fields := []zap.Field{zap.String("agent", agent), zap.String("room", req.RoomID), zap.String("type", event.ReportType())}
		switch r := event.(type) {
		case agentswitch.ToolCallReport:
			fields = append(fields, zap.String("tool", cut(r.ToolName)), zap.String("request_id", cut(r.RequestID)))
			fields = append(fields, callFacts(r.CallFacts)...)
		case agentswitch.LLMCallReport:
			fields = append(fields, zap.String("model", cut(r.Model)), zap.String("request_id", cut(r.RequestID)))
			fields = append(fields, callFacts(r.CallFacts)...)
		}
		f.opts.Logger.Info("agent reported a call", fields...)
	}
	write(c.Response(), http.StatusAccepted, "", nil)
	return nil
}

// callFacts are the numbers of a call. A cost may be anything; only a number is one.
func callFacts(facts agentswitch.CallFacts) (fields []zap.Field) {
	if facts.DurationMS != nil {
		fields = append(fields, zap.Float64("duration_ms", *facts.DurationMS))
	}
	if cost, err := strconv.ParseFloat(string(facts.Cost), 64); err == nil {
		fields = append(fields, zap.Float64("cost", cost))
	}
	return fields
}

// cut shortens a text that is longer than any name.
func cut(s string) string {
	if len(s) <= maxReportedText {
		return s
	}
	s = s[:maxReportedText]
	for !utf8.ValidString(s) {
		s = s[:len(s)-1]
	}
	return s + "…"
}
